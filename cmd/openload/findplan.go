package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"openload/plan"
	"openload/request"
)

// searchers are commands that take of a plan what they have a flag for: its keys are
// still those of the commands that carry it out.
var searchers = []string{"find"}

// notFound are the flags of find that a plan does not give: it is asked for a server only
// with --sim, and its files are those of one run.
var notFound = []string{"server", "out"}

// settle takes what the command line does not say from the plan, and the environment: of
// whom to ask, and with --sim the server that is modelled.
func (c *findCmd) settle() error {
	if c.Sim && c.Server == "" {
		words := c.layers.wordsOf("server")
		switch {
		case len(c.URL) > 0:
			return usagef("--sim: in virtual time no URL is asked; leave out one of them")
		case len(words) == 0:
			return usagef("--sim: no server is modelled; write server: 'service=50ms' into the plan, or give --server")
		}
		c.Server = words[len(words)-1]
	}
	if c.Server != "" {
		return nil
	}
	if len(c.URL) == 0 && c.Targets == "" {
		c.URL = c.layers.wordsOf("url")
	}
	if len(c.URL) == 0 && c.Targets == "" && c.layers.file.HasRequests() {
		c.inline = c.layers.file
	}
	return nil
}

// refuse says what of the plan no search can keep to.
func (c *findCmd) refuse() error {
	if words := c.layers.wordsOf("closed"); len(words) > 0 && words[len(words)-1] == "true" {
		return usagef("--closed: a closed loop has no rate that could be searched for; give find a plan without it")
	}
	return nil
}

// leftOut names the keys of the plan file that a search has no use for.
func (c *findCmd) leftOut() (names []string) {
	l := c.layers
	if l.file == nil {
		return nil
	}
	has := flagNames([]*kong.Node{l.node})
	for _, k := range l.keys {
		used := slices.Contains(has, k.Flag) && !slices.Contains(notFound, k.Flag) || k.Flag == "url" || k.Flag == "server" && c.Sim ||
			k.Flag == "abort-on-fail" // each step does
		if k.Flag != "" && !used && len(l.file.Words(k.Flag)) > 0 {
			names = append(names, k.Name)
		}
	}
	return names
}

// sayLeftOut says so.
func (c *findCmd) sayLeftOut(s streams) {
	if names := c.leftOut(); len(names) > 0 {
		fmt.Fprintf(s.err, "openload: find: %s of %s: left out, for each step has its own\n", strings.Join(names, ", "), c.layers.file.Name)
	}
}

// reach reads what is sent and how, or in virtual time what tells operations apart.
func (c *findCmd) reach(in io.Reader) (err error) {
	switch {
	case c.Server == "" && len(c.URL) == 0 && c.Targets == "" && c.inline == nil, c.Server != "" && len(c.URL) > 0:
		return usagef("find searches against a URL, or in virtual time against --server; give one of them")
	case c.Order == request.Once.String():
		return usagef("--order once ends a step before its time; write cycle or random")
	case c.Server == "":
		c.wired, err = c.asRun().wire(in)
		return err
	}
	apart := simCmd{planFlags: c.planFlags, mixFlags: c.mixFlags}
	apart.Seed = c.Seed
	c.wired.sent, err = apart.mixed(in)
	return err
}

// virtually tells the plan where the requests are that nobody sends.
func (c *findCmd) virtually(p *plan.Plan) {
	p.Target.Network = c.mixFlags.whence(c.wired.sent, c.layers.file)
}
