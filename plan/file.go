package plan

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"openload/internal/nearest"
)

// MaxFile is the largest plan file, in bytes.
const MaxFile = 1 << 20

// A File is a plan file: for each flag the words that it would be given, with their
// places. What the words mean is for the flags to say.
type File struct {
	Name string // as it was given

	lines    []string
	open     map[int][]stretch // what excerpts may show, by line; nil: the file could not be read
	keys     []Key
	words    map[string][]Word // by flag, or by the key's name if it has none
	sections map[string]Value
}

// A Word is a value as its flag takes it.
type Word struct {
	Text string
	At   Place
}

// Read reads a plan file in YAML or JSON. The error names every unknown key and every
// value that has not its key's form, with the line and what stands there.
func Read(name string, text []byte, keys []Key) (*File, error) {
	f := &File{Name: name, keys: keys, words: map[string][]Word{}, sections: map[string]Value{}}
	f.lines = strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n"), "\n")
	if len(text) > MaxFile {
		return nil, f.Problem(Place{}, "%d bytes are too many for a plan; it may have %d", len(text), MaxFile)
	}
	var doc yaml.Node
	if err := yaml.Load(text, &doc); err != nil {
		return nil, f.syntax(err)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, f.Problem(Place{}, "the file is empty; 'openload init' writes a plan to start from")
	}
	f.disclose(doc.Content[0])
	top, err := Value{f, doc.Content[0], ""}.fields()
	wrong := []error{err}
	asked := ""
	for _, field := range top {
		wrong = append(wrong, f.set(field))
		if slices.Contains(whomToAsk, field.key) {
			if asked != "" {
				wrong = append(wrong, f.Problem(field.at, "%s: beside %s, which says what to ask as well; leave out one of them", field.key, asked))
			}
			asked = field.key
		}
	}
	return f, errors.Join(wrong...)
}

// whomToAsk are the keys of which a plan has one.
var whomToAsk = []string{"url", "targets", requestsKey.Name}

// set takes one key of the file.
func (f *File) set(v field) error {
	if v.key == "$schema" { // where editors find the schema of a JSON file
		return nil
	}
	for _, k := range f.keys {
		if k.Name != v.key {
			continue
		}
		if k.Form == Sections {
			f.sections[k.Name] = v.Value
			return nil
		}
		words, err := k.read(v.Value)
		f.words[k.id()] = words
		return err
	}
	return f.unknown(v.at, v.key, topKey, f.names())
}

// topKey begins what is said of a key of the file itself.
const topKey = "unknown key"

// unknown says that there is no such name, and which one may have been meant. what is how
// it begins.
func (f *File) unknown(at Place, name, what string, known []string) error {
	for _, k := range f.keys {
		if what == topKey && (k.Flag == strings.TrimLeft(name, "-") || k.Flag == strings.ReplaceAll(name, "_", "-")) {
			return f.Problem(at, "unknown key %q; in a plan it is %s", shownName(name), k.Name)
		}
	}
	meant := nearest.Of(name, known)
	name = shownName(name)
	if meant != "" {
		return f.Problem(at, "%s %q, did you mean %s?", what, name, meant)
	}
	if what == topKey {
		return f.Problem(at, "unknown key %q; 'openload schema' lists the keys", name)
	}
	return f.Problem(at, "%s %q; known are %s", what, name, strings.Join(known, ", "))
}

func (f *File) names() (all []string) {
	for _, k := range f.keys {
		all = append(all, k.Name)
	}
	return all
}

// id is what a File keeps the key's words under.
func (k Key) id() string {
	if k.Flag == "" {
		return k.Name
	}
	return k.Flag
}

// Words are what the file says for a flag, or for the name of a key that has none;
// nil if it says nothing.
func (f *File) Words(flag string) []Word {
	if f == nil {
		return nil
	}
	return f.words[flag]
}

// Set says something else for a flag, as a variant of the plan does.
func (f *File) Set(flag string, words []Word) { f.words[flag] = words }

// Section is a key that is not a flag's; ok is false if the file hasn't got it.
func (f *File) Section(name string) (v Value, ok bool) {
	if f != nil {
		v, ok = f.sections[name]
	}
	return v, ok
}

// With is a copy of f in which what v says replaces what f says, key by key. What v says
// under the other names is left to the caller.
func (f *File) With(v Value, others ...string) (own map[string]Value, c *File, err error) {
	c = &File{Name: f.Name, lines: f.lines, open: f.open, keys: f.keys, words: map[string][]Word{}, sections: maps.Clone(f.sections)}
	for flag, words := range f.words {
		c.words[flag] = words
	}
	fields, err := v.fields()
	wrong := []error{err}
	own = map[string]Value{}
	for _, field := range fields {
		if slices.Contains(others, field.key) {
			own[field.key] = field.Value
			continue
		}
		if slices.Contains(whomToAsk, field.key) {
			for _, k := range whomToAsk {
				delete(c.words, k)
				delete(c.sections, k)
			}
		}
		wrong = append(wrong, c.set(field))
	}
	return own, c, errors.Join(wrong...)
}

// where finds the line and column in the messages of the YAML reader.
var where = regexp.MustCompile(`^go-yaml load error in \w+(?: \(.*?\))?(?: at .*?)?: (.*)$`)

// syntax is the YAML reader's error as a problem of the file.
func (f *File) syntax(err error) error {
	var at Place
	text := err.Error()
	if e := (*yaml.LoadError)(nil); errors.As(err, &e) {
		at, text = Place{e.Mark.Line, e.Mark.Column}, e.Message
		if (strings.Contains(text, "end of stream") || strings.Contains(text, "did not find expected")) && e.ContextMark.Line > 0 {
			at = Place{e.ContextMark.Line, e.ContextMark.Column} // where it began, and not where the file ends
		}
	}
	switch {
	case strings.Contains(text, "unknown anchor"):
		return f.Problem(at, "this is no YAML: a * in front of a name that nothing has; put the value into quotes")
	case strings.Contains(text, "no documents"):
		return f.Problem(Place{}, "the file is empty; 'openload init' writes a plan to start from")
	case strings.Contains(text, "found multiple"):
		return f.Problem(Place{}, "several documents in one file; a plan is one, without a second ---")
	case strings.Contains(text, "tab character"), strings.Contains(text, "cannot start any token") && f.hasTab(at):
		return f.Problem(at, "YAML is indented by spaces, and here is a tab")
	case strings.Contains(text, "mapping values are not allowed"):
		return f.Problem(at, "this is no YAML: a second colon on the line; put the value into quotes")
	}
	if m := where.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return f.Problem(at, "this is no YAML: %s", strings.TrimPrefix(text, "yaml: "))
}

func (f *File) hasTab(at Place) bool {
	return at.Line > 0 && at.Line <= len(f.lines) && strings.Contains(f.lines[at.Line-1], "\t")
}
