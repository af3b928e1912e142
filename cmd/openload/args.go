package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"openload/internal/nearest"
	"openload/request"
)

// longWithOneDash is a long flag in the style of vegeta and hey, which kong would
// take for a cluster of short ones.
var longWithOneDash = regexp.MustCompile(`^-([a-zA-Z][a-zA-Z-]+)(=.*)?$`)

// negative is a number with a sign where a flag's value should stand.
var negative = regexp.MustCompile(`^-[0-9.]`)

// attach joins a number with a sign to a flag that takes one, which kong would take for
// another flag: --field -1 becomes --field=-1.
func attach(args []string, app *kong.Application) (all []string) {
	signed := map[string]bool{}
	for _, node := range nodes(app) {
		for _, f := range node.Flags {
			signed["--"+f.Name] = signed["--"+f.Name] || f.Tag.Has("signed")
		}
	}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(all, args[i:]...)
		}
		if signed[args[i]] && i+1 < len(args) && negative.MatchString(args[i+1]) {
			all = append(all, args[i]+"="+args[i+1])
			i++
			continue
		}
		all = append(all, args[i])
	}
	return all
}

// check finds the mistakes that people coming from other tools make, where a
// parser's own error would mislead them.
func check(args []string, app *kong.Application) error {
	plain := map[string]bool{"-4": true, "-6": true} // flags without a value that may stand before -4 or -6
	known := map[string]string{}                     // long names and aliases, by what they stand for
	for _, node := range nodes(app) {
		for _, f := range node.Flags {
			known[f.Name] = f.Name
			if f.IsBool() {
				plain["--"+f.Name], plain["-"+string(f.Short)] = true, true
			}
			for _, a := range f.Aliases {
				known[a] = f.Name
			}
		}
	}
	var wrong []error
	for i, a := range args {
		if a == "--" {
			break
		}
		if i > 0 && negative.MatchString(a) && strings.HasPrefix(args[i-1], "-") && args[i-1] != "-" && !(plain[a] && plain[args[i-1]]) {
			wrong = append(wrong, fmt.Errorf("%s: %s is negative; leave the minus sign out", args[i-1], a))
		}
		if m := longWithOneDash.FindStringSubmatch(a); m != nil && known[m[1]] != "" && len(m[1]) > 1 {
			wrong = append(wrong, fmt.Errorf("%s: long flags take two dashes; write --%s%s", a, known[m[1]], m[2]))
		}
		if a == "-q" && i+1 < len(args) && isNumber(args[i+1]) || len(a) > 2 && strings.HasPrefix(a, "-q") && isNumber(strings.TrimPrefix(a[2:], "=")) {
			rate := strings.TrimLeft(strings.TrimPrefix(a, "-q"), "=")
			if rate == "" {
				rate = args[i+1]
			}
			wrong = append(wrong, fmt.Errorf("-q is --quiet and takes no value; for the rate use -r %s", rate))
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return checkCommand(args[0], app)
}

// nodes are the program and all its commands.
func nodes(app *kong.Application) (all []*kong.Node) {
	all = append(all, app.Node)
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Children...)
	}
	return all
}

// checkCommand makes sure that a mistyped command is not taken for a URL.
func checkCommand(first string, app *kong.Application) error {
	if strings.HasPrefix(first, "-") {
		return nil
	}
	var commands []string
	for _, c := range app.Children {
		if c.Name == first {
			return nil
		}
		commands = append(commands, c.Name)
	}
	if ext := filepath.Ext(first); ext == ".yaml" || ext == ".yml" {
		if _, err := os.Stat(first); err == nil {
			return fmt.Errorf("%q is a file; write -f %s", first, quote(first))
		}
	}
	if _, _, err := request.ParseURL(first); err == nil {
		return nil
	}
	if near := nearest.Of(first, commands); near != "" {
		return fmt.Errorf("%q is not a command, did you mean %q?", first, near)
	}
	return fmt.Errorf("%q is neither a command nor a URL; commands are %s, a URL looks like http://127.0.0.1:8080/", first, strings.Join(commands, ", "))
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
