package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"openload/experiment"
	"openload/internal/nearest"
	"openload/plan"
	"openload/request"
	"openload/run"
)

// from keeps the layers for the command that the flags belong to.
func (f *planFlags) from(l *layers) { f.layers = l }

// explain prints the merged plan: each value, and where it came from. p is the plan
// that they make.
func (f *planFlags) explain(s streams, p *plan.Plan) (int, error) {
	l := f.layers
	w := bufio.NewWriter(s.out)
	rows := l.rows(p)
	key, value := 0, 0
	for _, r := range rows {
		key, value = max(key, len(r.key)), max(value, min(mostExplained, len([]rune(r.value))))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%-*s  %-*s  %s\n", key, r.key, value, r.value, r.from)
	}
	if p.Closed == nil {
		ready := run.Prepare(p)
		fmt.Fprintf(w, "\n%d operations in %s: %s, seed %d, sha256 %.12s\n", ready.Planned, ready.Length, p.Schedule, p.Seed, p.Schedule.SHA256())
	}
	if err := w.Flush(); err != nil {
		return statusBroken, fmt.Errorf("write to standard output: %w", err)
	}
	return statusDone, nil
}

// mostExplained is how wide the column of values may become.
const mostExplained = 40

// A row is a line of the explanation.
type row struct{ key, value, from string }

// rows are what is in force, flag by flag in the order of the help. p is the plan that
// it makes.
func (l *layers) rows(p *plan.Plan) (all []row) {
	for _, arg := range l.node.Positional {
		for i, text := range texts(arg.Target) {
			key := arg.Name
			if i > 0 {
				key = ""
			}
			if text != "" {
				all = append(all, row{key, request.RedactURL(text), l.from(arg.Name, i)})
			}
		}
	}
	if l.file.HasRequests() && len(all) == 0 {
		all = requestRows(p, "requests", l.file.Name)
		if v, _ := l.file.Section("requests"); len(all) == 0 { // a schedule alone asks for nothing
			all = append(all, row{"requests", fmt.Sprintf("%d of them", len(v.Items())), fmt.Sprintf("%s:%d", l.file.Name, v.Place().Line)})
		}
	}
	for _, g := range append(groups[:len(groups):len(groups)], kong.Group{}) {
		for _, f := range l.node.Flags {
			if f.Hidden || slices.Contains(ownFlags, f.Name) || groupOf(f) != g.Key {
				continue
			}
			key := plan.KeyOf(f.Name, formOf(f)).Name
			for i, text := range texts(f.Target) {
				if text == "" && zeroed(f) {
					text = "0s"
					if strings.HasSuffix(f.Name, "timeout") {
						text = "0s: no limit"
					}
				}
				if text == "" {
					continue
				}
				if i > 0 {
					key = ""
				}
				all = append(all, row{key, redacted(f.Name, text), l.from(f.Name, i)})
				if f.Name == "targets" {
					all = append(all, requestRows(p, "", text)...)
				}
			}
		}
	}
	return all
}

// from says where a flag's value came from, or the i-th of its values.
func (l *layers) from(flag string, i int) string {
	o := l.origins[flag]
	switch {
	case l.typed[flag] && flag == "url":
		return "command line"
	case l.typed[flag]:
		return "--" + flag
	case l.outdone(flag):
		return "default"
	case o.env != "":
		return o.env
	case len(o.words) > 0:
		return fmt.Sprintf("%s:%d", l.file.Name, o.words[min(i, len(o.words)-1)].At.Line)
	}
	return "default"
}

// zeroed reports whether f is a duration that is nothing although its default is not.
func zeroed(f *kong.Flag) bool {
	v, ok := f.Target.Interface().(span)
	return ok && v == 0 && f.HasDefault
}

// texts are a flag's values as they would be typed; false and nothing are none.
func texts(v reflect.Value) (all []string) {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			all = append(all, fmt.Sprint(v.Index(i)))
		}
		return all
	}
	switch x := v.Interface().(type) {
	case span:
		return []string{brief(time.Duration(x))}
	case runLength:
		return []string{brief(time.Duration(x))}
	case bool:
		if !x {
			return nil
		}
	}
	return []string{fmt.Sprint(v.Interface())}
}

// brief writes d as people do; nothing is the empty text.
func brief(d time.Duration) string {
	s := d.String()
	switch {
	case d == 0:
		return ""
	case strings.HasSuffix(s, "h0m0s"):
		return strings.TrimSuffix(s, "0m0s")
	case strings.HasSuffix(s, "m0s"):
		return strings.TrimSuffix(s, "0s")
	}
	return s
}

// redacted is a flag's value without its secrets.
func redacted(flag, text string) string {
	if name, _, ok := strings.Cut(text, ":"); flag == "header" && ok {
		if request.Secret(strings.TrimSpace(name)) {
			return name + ": ***"
		}
		return text
	}
	switch {
	case flag == "form", flag == "data-urlencode":
		return redactedField(text, "***")
	case flag == "retry":
		return plan.ShownRetry(text)
	case flag == "body" && !strings.HasPrefix(text, "@"):
		return fmt.Sprintf("%d bytes", len(text))
	case request.Secret(flag) && !strings.HasPrefix(text, "@"), flag == "user":
		return "***"
	}
	if strings.Contains(text, "://") {
		return request.RedactURL(text)
	}
	return text
}

// warn names on w the variables that look like a key's and are none's.
func (l *layers) warn(w io.Writer) {
	if l.node == nil || l.alone {
		return
	}
	var names []string
	for _, k := range l.keys {
		if k.Flag != "" {
			names = append(names, strings.TrimPrefix(k.Env(), "OPENLOAD_"))
		}
	}
	for _, name := range l.strays() {
		meant := ""
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "OPENLOAD_")), "_", "-")
		if i := slices.IndexFunc(l.keys, func(k plan.Key) bool { return k.Flag == flag }); i >= 0 {
			meant = fmt.Sprintf("; --%s is %s", flag, l.keys[i].Env())
		} else if near := nearest.Of(strings.TrimPrefix(name, "OPENLOAD_"), names); near != "" {
			meant = ", did you mean OPENLOAD_" + near + "?"
		}
		fmt.Fprintf(w, "openload: warning: %s is set and no key has that name%s\n", name, meant)
	}
}

// strays are the variables that look like a key's and are none's.
func (l *layers) strays() (all []string) {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "OPENLOAD_") && value != "" && !slices.Contains(experiment.Variables[:], name) && !slices.ContainsFunc(l.keys, func(k plan.Key) bool { return k.Flag != "" && k.Env() == name }) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
