package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"openload/plan"
	"openload/request"
)

// firstPlan is what init writes.
//
//go:embed init.yaml
var firstPlan string

// initCmd writes a plan to start from.
type initCmd struct {
	File string `arg:"" optional:"" default:"plan.yaml" help:"Where to write it; - is standard output."`
	URL  string `placeholder:"URL" help:"What to ask for. Default: the lab server of 'openload lab'."`
}

func (c *initCmd) run(s streams) (int, error) {
	name := "FILE"
	if c.File != "-" {
		name = quote(c.File)
	}
	text := strings.ReplaceAll(firstPlan, "FILE", name)
	if c.URL != "" {
		url, _, err := request.ParseURL(c.URL)
		if err != nil {
			return 0, usagef("--url: %w", err)
		}
		text = strings.Replace(text, "http://127.0.0.1:8080/", "'"+strings.ReplaceAll(url, "'", "''")+"'", 1)
	}
	if c.File == "-" {
		if _, err := io.WriteString(s.out, text); err != nil {
			return statusBroken, fmt.Errorf("write the plan to standard output: %w", err)
		}
		return statusDone, nil
	}
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return 0, usagef("%s is there already; name another file, or - to see what would be written", c.File)
	}
	if err != nil {
		return statusBroken, fmt.Errorf("write the plan: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return statusBroken, fmt.Errorf("write the plan: %w", err)
	}
	fmt.Fprintf(s.out, "wrote %s\n\n  openload sim -f %[1]s\n  openload run -f %[1]s\n", quote(c.File))
	return statusDone, nil
}

// schemaCmd prints the schema of plan files.
type schemaCmd struct{}

// Help says what it is good for.
func (c *schemaCmd) Help() string {
	return `Write it beside a plan, and editors that know JSON Schema complete and check the plan:

  openload schema > openload.schema.json
`
}

func (c *schemaCmd) run(s streams) (int, error) {
	var g grammar
	text := plan.Schema(flagKeys(newParser(&g, &layers{}, s).Model))
	if _, err := s.out.Write(text); err != nil {
		return statusBroken, fmt.Errorf("write the schema to standard output: %w", err)
	}
	return statusDone, nil
}
