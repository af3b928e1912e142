package source

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"openload/correct"
)

// Text logs: nginx's and Apache's combined format with fields added, whose fields
// are known by their number (from the end if negative) or as name=value, and
// Envoy's default format, whose fields are fixed.

// words cuts a line at spaces. [...] and "..." keep theirs, also within a word.
func words(b []byte, dst [][]byte) [][]byte {
	dst = dst[:0]
	start, until := -1, byte(0) // of the word at hand; what ends the brackets in it
	for i, c := range b {
		switch {
		case until != 0:
			if c == until && b[i-1] != '\\' {
				until = 0
			}
		case c == ' ' || c == '\t':
			if start >= 0 && len(dst) < maxColumns {
				dst = append(dst, b[start:i])
			}
			start = -1
		default:
			if c == '"' {
				until = '"'
			} else if c == '[' && start < 0 {
				until = ']'
			}
			if start < 0 {
				start = i
			}
		}
	}
	if start >= 0 && len(dst) < maxColumns {
		dst = append(dst, b[start:])
	}
	return dst
}

// inner drops the brackets or quotes around a word.
func inner(w []byte) []byte {
	if n := len(w); n > 1 && (w[0] == '"' && w[n-1] == '"' || w[0] == '[' && w[n-1] == ']') {
		return w[1 : n-1]
	}
	return w
}

// named cuts name=value; ok is false for a word that isn't that.
func named(w []byte) (name, value []byte, ok bool) {
	name, value, ok = bytes.Cut(w, []byte("="))
	return name, inner(value), ok && len(name) > 0 && !bytes.ContainsAny(name, `"[/?&`)
}

// isTextLog looks for a time in brackets, or for three names with values.
func isTextLog(h []byte) bool {
	n := 0
	for _, w := range words(firstLine(h), nil) {
		if _, _, ok := named(w); ok {
			n++
		}
		if w[0] != '[' {
			continue
		}
		if _, _, p := logTime(w, nil); p == "" && len(w) > 12 {
			return true
		}
	}
	return n >= 3
}

// A textLog is an accessLog whose fields are words of a line.
type textLog struct {
	accessLog
	words [][]byte
	at    [roles]int // the field's number, 0 if it has a name
}

func openTextLog(f *File) error {
	t := &textLog{accessLog: accessLog{f: f}, words: make([][]byte, 0, 64)}
	line := firstLine(f.s.peek(headSize))
	if isEnvoy(line) && f.opt.TimeField == "" {
		t.envoy()
		return nil
	}
	var has, numbered []string
	for i, w := range words(line, nil) {
		name, _, ok := named(w)
		switch {
		case ok:
			has = append(has, string(name))
			continue
		case w[0] == '[' && t.names[roleEnd] == "":
			t.names[roleEnd] = strconv.Itoa(i + 1)
		case w[0] == '"' && t.names[roleLabel] == "":
			t.names[roleLabel] = strconv.Itoa(i + 1)
			t.names[roleStatus] = strconv.Itoa(i + 2)
		}
		numbered = append(numbered, strconv.Itoa(i+1)+": "+clip(w))
	}
	if err := t.choose(has, numbered); err != nil {
		return err
	}
	for i, name := range t.names {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "$")); err == nil {
			t.at[i] = n
		}
	}
	f.rows = t.rows(f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		t.cut(line)
		return t.read(r)
	}))
	return nil
}

// cut finds the values of a line.
func (t *textLog) cut(line []byte) {
	t.val = [roles][]byte{}
	t.words = words(line, t.words)
	for i, n := range t.at {
		switch {
		case n > 0 && n <= len(t.words):
			t.val[i] = inner(t.words[n-1])
		case n < 0 && -n <= len(t.words):
			t.val[i] = inner(t.words[len(t.words)+n])
		}
	}
	for _, w := range t.words {
		name, value, ok := named(w)
		if !ok {
			continue
		}
		for i := range t.names {
			if t.at[i] == 0 && t.names[i] == string(name) {
				t.val[i] = value
			}
		}
	}
}

// isEnvoy looks for a start in ISO 8601 and a request behind it.
func isEnvoy(line []byte) bool {
	w := words(line, nil)
	if len(w) < 10 || w[0][0] != '[' || w[1][0] != '"' {
		return false
	}
	_, _, _, ok := rfc3339(inner(w[0]))
	return ok
}

// envoy reads [start] "request" code flags received sent DURATION upstream ...
// with the duration in ms. Source: Envoy, default format string of access logs.
func (t *textLog) envoy() {
	f := t.f
	t.names = [roles]string{roleTime: "duration (7)", roleStart: "start (1)", roleStatus: "code (3)", roleLabel: "request (2)"}
	t.at = [roles]int{roleTime: 7, roleStart: 1, roleStatus: 3, roleLabel: 2}
	t.begin(time.Millisecond)
	f.rows = t.rows(f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		t.cut(line)
		use, wrong := t.read(r)
		if use && len(t.words) > 3 && string(t.words[3]) != "-" {
			r.verdict(false, r.Status, nil)
			r.Class = envoyClass(t.words[3], r.Class)
		}
		return use, wrong
	}))
}

// envoyClass reads response flags; several are divided by commas, the first is taken.
func envoyClass(flags []byte, otherwise correct.Class) correct.Class {
	first, _, _ := bytes.Cut(flags, []byte(","))
	switch string(first) {
	case "UT", "SI", "DT", "UMSDR":
		return correct.Timeout
	case "UF", "UH", "UO":
		return correct.Refused
	case "UC", "UR", "LR":
		return correct.Reset
	case "DC":
		return correct.Unfinished
	}
	return otherwise
}
