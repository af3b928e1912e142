package plan

import (
	"slices"
	"strings"
)

// A Key is one name at the top of a plan file, and the flag that says the same. Where
// both do, precedence is flag, environment, file, default.
type Key struct {
	Name    string   // as the file writes it: connect_timeout
	Flag    string   // without its dashes: connect-timeout; "" if only a file says it
	Form    Form     // what its value looks like
	Enum    []string // the only values, if they are few
	Default string   // what holds where nobody says anything; "" for nothing
	Sample  string   // a placeholder such as TIME
	Doc     string   // what it means, in a sentence or two

	Of map[string]any // of Sections: the schema
}

// A Form is what a key's value looks like in a file. Every form can also be written as
// the text that the flag takes.
type Form uint8

// The forms.
const (
	Text     Form = iota
	Integer       // a whole number that is not negative
	Number        // a number
	Switch        // true or false
	Time          // a duration with its unit: 500ms
	List          // several texts, or one
	Pairs         // name: value, which the flag takes as name=value with spaces between
	Headers       // name: value, or a list of 'Name: value'
	Phases        // a list of phases: name, rate, duration, pause, warmup
	Sections      // what another reader takes: see [File.Section]
)

// named are the keys that do not go by their flag's name, or whose value is more than
// the flag's text.
var named = map[string]struct {
	name string
	form Form
}{
	"header":  {"headers", Headers},
	"out":     {"outputs", List},
	"phase":   {"phases", Phases},
	"retry":   {"retry", Pairs},
	"arrival": {"arrival", Pairs},
	"server":  {"server", Pairs},
}

// fileOnly are the keys without a flag.
var fileOnly = []Key{
	{Name: "description", Doc: "What the plan is for, in your own words."},
	requestsKey,
	{Name: "reason", Doc: "Why the plan departs from what lint asks for, such as a closed loop where a real client waits as well."},
}

// KeyOf is the key of a flag. form is that of the flag's text.
func KeyOf(flag string, form Form) Key {
	k := Key{Name: strings.ReplaceAll(flag, "-", "_"), Flag: flag, Form: form}
	if n, ok := named[flag]; ok {
		k.Name, k.Form = n.name, n.form
	}
	return k
}

// Env is the environment variable that says the same as k.
func (k Key) Env() string { return "OPENLOAD_" + strings.ToUpper(k.Name) }

// Keys are all that a file may say: those of flags, each once, and those without one.
func Keys(flags []Key) []Key {
	var all []Key
	for _, k := range append(flags, fileOnly...) {
		if !slices.ContainsFunc(all, func(o Key) bool { return o.Name == k.Name }) {
			all = append(all, k)
		}
	}
	return all
}
