package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// AfterApply refuses, beside --server, the flags of requests and connections: in virtual
// time there is nothing that they could change. It is what kong calls once all is read.
func (c *findCmd) AfterApply(k *kong.Context) error {
	if c.Server == "" && !c.Sim {
		return nil
	}
	known := map[string]bool{}
	for _, command := range k.Model.Children {
		if command.Name == "sim" {
			for _, name := range flagNames([]*kong.Node{command}) {
				known[name] = true
			}
		}
	}
	var idle []string
	for _, p := range k.Path {
		if f := p.Flag; f != nil && !p.Resolved && f.Group != nil && f.Group.Key != "load" && f.Group.Key != "plan" && !known[f.Name] {
			idle = append(idle, "--"+f.Name)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	return fmt.Errorf("--server: virtual time knows no %s; leave it out, or give a URL in place of --server", strings.Join(idle, ", "))
}
