package plan

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"openload/internal/nearest"
)

// A Value is a part of a file, with its place.
type Value struct {
	f    *File
	node *yaml.Node
	path string // how a problem names it: retry, phases 2
}

// A field is one name of a mapping, and its value.
type field struct {
	key string
	at  Place // of the name
	Value
}

// real is the node itself, or what it is an alias of.
func (v Value) real() *yaml.Node {
	if v.node.Kind == yaml.AliasNode && v.node.Alias != nil {
		return v.node.Alias
	}
	return v.node
}

// Place is where the value stands.
func (v Value) Place() Place { return Place{v.node.Line, v.node.Column} }

// Problem is what is wrong with the value.
func (v Value) Problem(format string, args ...any) error {
	if v.path != "" {
		format = strings.ReplaceAll(v.path, "%", "%%") + ": " + format
	}
	return v.f.Problem(v.Place(), format, args...)
}

// Unknown says that the value is none of some words, and which one may have been meant.
func (v Value) Unknown(text string, known []string) error {
	if meant := nearest.Of(text, known); meant != "" {
		return v.Problem("%q is unknown, did you mean %s?", text, meant)
	}
	return v.Problem("%q is unknown; known are %s", text, strings.Join(known, ", "))
}

// kind is what the value is, in words.
func (v Value) kind() string {
	switch n := v.real(); {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return "a text" // which may be a secret
}

// fields are the names and values of a mapping, in order.
func (v Value) fields() (all []field, err error) {
	n := v.real()
	if n.Kind != yaml.MappingNode {
		return nil, v.Problem("%s, where names and values belong, such as\n  rate: 50", v.kind())
	}
	var wrong []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		x := field{name.Value, Place{name.Line, name.Column}, Value{v.f, n.Content[i+1], strings.TrimPrefix(v.path+" "+shownName(name.Value), " ")}}
		if name.Kind != yaml.ScalarNode {
			wrong = append(wrong, v.f.Problem(x.at, "a name must be one word"))
			continue
		}
		if j := slices.IndexFunc(all, func(o field) bool { return o.key == x.key }); j >= 0 {
			wrong = append(wrong, v.f.Problem(x.at, "%s is given twice, first on line %d", shownName(x.key), all[j].at.Line))
			continue
		}
		all = append(all, x)
	}
	return all, errors.Join(wrong...)
}

// Fields are the values of a mapping by name; a name that is not known is an error.
func (v Value) Fields(known ...string) (map[string]Value, error) {
	fields, err := v.fields()
	wrong := []error{err}
	all := map[string]Value{}
	what := "unknown " + last(v.path) + " key"
	if _, err := strconv.Atoi(last(v.path)); err == nil { // one of a list
		what = v.path + ": " + topKey
	} else if v.path == "" {
		what = topKey
	}
	for _, x := range fields {
		if !slices.Contains(known, x.key) {
			wrong = append(wrong, v.f.unknown(x.at, x.key, what, known))
			continue
		}
		all[x.key] = x.Value
	}
	return all, errors.Join(wrong...)
}

// last is the last word of a path.
func last(path string) string { return path[strings.LastIndexByte(path, ' ')+1:] }

// Items are the members of a list; a value that is none is a list of one.
func (v Value) Items() (all []Value) {
	n := v.real()
	if n.Kind != yaml.SequenceNode {
		return []Value{v}
	}
	for i, x := range n.Content {
		all = append(all, Value{v.f, x, v.path + " " + strconv.Itoa(i+1)})
	}
	return all
}

// Text is the value as one text.
func (v Value) Text() (string, error) {
	n := v.real()
	if n.Kind != yaml.ScalarNode {
		return "", v.Problem("%s, where one value belongs", v.kind())
	}
	if n.ShortTag() == "!!null" {
		return "", v.Problem("has no value; write one, or leave the name out")
	}
	if n.ShortTag() == "!!int" && octal.MatchString(n.Value) {
		return "", v.Problem("%s begins with a zero, which readers of YAML take for an octal number; write %s", n.Value, strings.TrimLeft(n.Value, "0"))
	}
	return n.Value, nil
}

// octal is what YAML 1.1 reads to the base of eight.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// word is the value as one word for a flag.
func (v Value) word() ([]Word, error) {
	text, err := v.Text()
	if err != nil {
		return nil, err
	}
	return []Word{{text, v.Place()}}, nil
}

// isMapping reports whether the value has names.
func (v Value) isMapping() bool { return v.real().Kind == yaml.MappingNode }

// pairs writes a mapping as a flag takes it: name=value with blanks between. A list is
// the same name several times, and true the name alone.
func (v Value) pairs() (string, error) {
	fields, err := v.fields()
	wrong := []error{err}
	var all []string
	for _, x := range fields {
		for _, item := range x.Items() {
			text, err := item.Text()
			wrong = append(wrong, err)
			if err == nil && strings.ContainsAny(text, " \t\n") {
				wrong = append(wrong, item.Problem("%s has a blank; write it without", quoted(text)))
			}
			switch {
			case item.real().ShortTag() == "!!bool" && text == "true":
				all = append(all, x.key)
			case item.real().ShortTag() == "!!bool":
			default:
				all = append(all, x.key+"="+text)
			}
		}
	}
	return strings.Join(all, " "), errors.Join(wrong...)
}
