package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// allWrong is err, why args can't be parsed, and what else is wrong with flags: the parser
// stops at the first. What it complained of is taken out and the rest parsed again.
func allWrong(args []string, err error, app *kong.Application) error {
	wrong := []error{plainer(err, app)}
	for range args {
		var more bool
		if args, more = without(args, err, app); !more {
			break
		}
		if err = tryParse(args); err == nil || blamed(err) == "" {
			break // what is missing may be what was taken out
		}
		wrong = append(wrong, plainer(err, app))
	}
	return errors.Join(wrong...)
}

// tryParse parses for nothing but the error.
func tryParse(args []string) (err error) {
	defer func() {
		if _, ended := recover().(exited); ended { // help or a version was asked for
			err = nil
		}
	}()
	var g grammar
	none := strings.NewReader("")
	_, err = newParser(&g, &layers{in: none, alone: true}, streams{in: none, out: io.Discard, err: io.Discard}).Parse(args)
	return err
}

// ofFlag is how an error of the parser's begins that is about a flag.
var ofFlag = regexp.MustCompile(`^(?:unknown flag )?(--?[\w-]+)`)

// blamed is the flag that the parser complains of, with its dashes; "" for none.
func blamed(err error) string {
	if m := ofFlag.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// without takes the flag that err is about out of args, and its value; false if it is not
// clear what that is.
func without(args []string, err error, app *kong.Application) ([]string, bool) {
	name := blamed(err)
	if name == "" {
		return nil, false
	}
	spellings, takes := []string{name}, false
	for _, node := range nodes(app) {
		for _, f := range node.Flags {
			if "--"+f.Name != name {
				continue
			}
			takes = takes || !f.IsBool()
			if f.Short != 0 {
				spellings = append(spellings, "-"+string(f.Short))
			}
			for _, a := range f.Aliases {
				spellings = append(spellings, "--"+a)
			}
		}
	}
	found, length := -1, 0
	for i, a := range args {
		if a == "--" {
			break
		}
		typed, value, joined := strings.Cut(a, "=")
		if !strings.HasPrefix(a, "--") && len(a) > 2 && a[0] == '-' { // -c5
			typed, value, joined = a[:2], strings.TrimPrefix(a[2:], "="), true
		}
		if !slices.Contains(spellings, typed) {
			continue
		}
		n := 1
		if takes && !joined && i+1 < len(args) {
			value, n = args[i+1], 2
		}
		// Of several the one that the error quotes.
		if found < 0 || strings.Contains(err.Error(), fmt.Sprintf("%q", value)) {
			found, length = i, n
		}
	}
	unknown := !strings.HasPrefix(err.Error(), name)
	switch {
	case found < 0:
		return nil, false
	case unknown && !strings.Contains(args[found], "=") && found+1 < len(args) && !strings.HasPrefix(args[found+1], "-"):
		return nil, false // its value, or what comes after it
	}
	return slices.Delete(slices.Clone(args), found, found+length), true
}
