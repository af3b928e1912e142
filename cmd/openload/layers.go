package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"openload/experiment"
	"openload/plan"
)

// planFlags are the flags of commands that take a plan file.
type planFlags struct {
	Plan    string `short:"f" aliases:"file" group:"plan" placeholder:"FILE" help:"Take what the flags do not say from this plan file, YAML or JSON; - is standard input. 'openload init' writes one."`
	Explain bool   `group:"plan" help:"Print the plan and where every value came from (flag, OPENLOAD_* variable, file, default), and send nothing."`

	layers *layers
}

// planned are the commands that a plan file is for.
var planned = []string{"run", "sim", "schedule"}

// ownFlags are what a plan file does not say.
var ownFlags = []string{"help", "plan", "explain"}

// layers is where the values of flags come from that the command line does not give:
// the environment, then the plan file. It is a kong.Resolver.
type layers struct {
	keys []plan.Key
	in   io.Reader

	alone bool // without the environment: a file is judged by what it says itself

	read    bool
	node    *kong.Node
	file    *plan.File
	origins map[string]origin // by flag
	typed   map[string]bool   // flags of the command line
	wrong   []error
}

// An origin is where a flag's value came from.
type origin struct {
	env   string
	words []plan.Word // of the file; nil: not from there
}

// replaces are the flags that say the same thing in different ways: one of a higher
// layer puts all of them out of force that lower layers give.
var replaces = [][]string{{"rate", "phase", "schedule"}, {"url", "targets"}}

// flagKeys are the keys of plan files: the flags of the commands that take one.
func flagKeys(app *kong.Application) []plan.Key {
	keys := []plan.Key{{Name: "url", Flag: "url", Form: plan.List, Sample: "URL", Doc: "What to ask for: http://host:port/path, https://..., or host:port. Several are taken in turn, whatever their hosts."}}
	for _, c := range app.Children {
		if !slices.Contains(planned, c.Name) {
			continue
		}
		for _, f := range c.Flags {
			if f.Hidden || slices.Contains(ownFlags, f.Name) {
				continue
			}
			k := plan.KeyOf(f.Name, formOf(f))
			k.Doc, k.Default, k.Sample = f.Help, f.Default, strings.Trim(f.PlaceHolder, "'")
			if f.Enum != "" {
				k.Enum = f.EnumSlice()
			}
			keys = append(keys, k)
		}
	}
	return plan.Keys(append(keys, experiment.Key()))
}

// formOf is what a flag's value looks like.
func formOf(f *kong.Flag) plan.Form {
	t := f.Target.Type()
	switch {
	case t == reflect.TypeFor[span](), t == reflect.TypeFor[runLength]():
		return plan.Time
	case t.Kind() == reflect.Slice:
		return plan.List
	}
	switch t.Kind() {
	case reflect.Bool:
		return plan.Switch
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return plan.Integer
	case reflect.Float64:
		return plan.Number
	}
	return plan.Text
}

// Validate is there for kong.
func (l *layers) Validate(*kong.Application) error { return nil }

// Resolve is the value of a flag that was not typed; nil for none.
func (l *layers) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if err := l.start(ctx); err != nil {
		return nil, err
	}
	if l.node == nil || slices.Contains(ownFlags, flag.Name) || flag.Hidden || l.outdone(flag.Name) {
		return nil, nil
	}
	if slices.Contains(searchers, l.node.Name) && slices.Contains(notFound, flag.Name) {
		return nil, nil
	}
	var words []plan.Word
	if o, ok := l.origins[flag.Name]; ok && o.env != "" {
		for text := range strings.SplitSeq(os.Getenv(o.env), "\n") {
			words = append(words, plan.Word{Text: text})
		}
	} else if words = o.words; len(words) == 0 {
		return nil, nil
	}
	value := valueOf(flag, words)
	// A trial, since kong stops at the first value that is wrong.
	scratch := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), scratch); err != nil {
		l.wrong = append(l.wrong, l.locate(usagef("--%s: %s", flag.Name, plainNumber(err.Error()))))
		return nil, nil
	}
	return value, nil
}

// valueOf is the words as kong takes them.
func valueOf(flag *kong.Flag, words []plan.Word) any {
	if flag.Target.Kind() != reflect.Slice {
		return words[len(words)-1].Text
	}
	var texts []string
	var list []any
	for _, w := range words {
		texts, list = append(texts, w.Text), append(list, w.Text)
	}
	if sep := flag.Tag.Sep; sep != -1 {
		return strings.Join(texts, string(sep))
	}
	return list
}

// start reads the file, once, and finds out which layer gives what.
func (l *layers) start(ctx *kong.Context) error {
	if l.read {
		return nil
	}
	l.read = true
	l.node = ctx.Selected()
	if l.node == nil || !slices.Contains(planned, l.node.Name) && !slices.Contains(searchers, l.node.Name) {
		l.node = nil
		return nil
	}
	l.keys = flagKeys(ctx.Model)
	l.origins, l.typed = map[string]origin{}, map[string]bool{}
	name := ""
	for _, p := range ctx.Path {
		switch {
		case p.Flag != nil:
			l.typed[p.Flag.Name] = true
			if p.Flag.Name == "plan" {
				name = ctx.FlagValue(p.Flag).(string)
			}
		case p.Positional != nil:
			l.typed[p.Positional.Name] = true
		}
	}
	if l.file == nil && name != "" {
		if err := l.open(name); err != nil {
			l.wrong = append(l.wrong, usage(err))
		}
	}
	for _, k := range l.keys {
		if k.Flag == "" {
			continue
		}
		if text, ok := os.LookupEnv(k.Env()); ok && text != "" && !l.alone {
			l.origins[k.Flag] = origin{env: k.Env()}
		} else if words := l.file.Words(k.Flag); len(words) > 0 {
			l.origins[k.Flag] = origin{words: words}
		}
	}
	return nil
}

// open reads the plan file.
func (l *layers) open(name string) error {
	text, err := readPlan(name, l.in)
	if err != nil {
		return err
	}
	if name == "-" {
		name = "standard input"
	}
	l.file, err = plan.Read(name, text, l.keys)
	return err
}

// readPlan is the text of a plan file, at most a byte more than one may have.
func readPlan(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--plan: %w; 'openload init %s' would write one", err, name)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, plan.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("--plan: read %s: %w", name, err)
	}
	return text, nil
}

// outdone reports whether a higher layer says otherwise what the flag would say.
func (l *layers) outdone(flag string) bool {
	rank := func(name string) int {
		o, ok := l.origins[name]
		switch {
		case l.typed[name]:
			return 3
		case o.env != "":
			return 2
		case ok:
			return 1
		}
		return 0
	}
	for _, group := range replaces {
		if !slices.Contains(group, flag) {
			continue
		}
		for _, other := range group {
			if rank(other) > rank(flag) {
				return true
			}
		}
	}
	return false
}

// wordsOf is what the layers say for a positional argument that was not typed.
func (l *layers) wordsOf(name string) (texts []string) {
	o := l.origins[name]
	if l.outdone(name) {
		return nil
	}
	if o.env != "" {
		return strings.Split(os.Getenv(o.env), "\n")
	}
	for _, w := range o.words {
		texts = append(texts, w.Text)
	}
	return texts
}

// locate puts the places into an error whose lines begin with the flag that they are
// about, as in "--rate: ...", if the flag's value came from the environment or a file.
func (l *layers) locate(err error) error {
	if l == nil || l.node == nil || err == nil {
		return err
	}
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		lines = append(lines, l.located(line))
	}
	text := strings.Join(lines, "\n")
	if text == err.Error() {
		return err
	}
	if u := (usageError{}); errors.As(err, &u) {
		return usageError{errors.New(text)}
	}
	return errors.New(text)
}

func (l *layers) located(line string) string {
	name, rest, ok := strings.Cut(strings.TrimPrefix(line, "--"), ": ")
	if !strings.HasPrefix(line, "--") {
		if name, rest, ok = "url", line, strings.HasPrefix(line, "URL "); !ok {
			return line
		}
	}
	o, known := l.origins[name]
	if !ok || !known || l.typed[name] {
		return line
	}
	if o.env != "" {
		return o.env + ": " + rest
	}
	at := o.words[0].At
	for _, w := range o.words {
		if strings.Contains(rest, w.Text) || strings.Contains(rest, fmt.Sprintf("%q", w.Text)) {
			at = w.At
			break
		}
	}
	key := name
	for _, k := range l.keys {
		if k.Flag == name {
			key = k.Name
		}
	}
	if name == "url" || strings.HasPrefix(rest, key+" ") || strings.HasPrefix(rest, key+": ") {
		return l.file.Problem(at, "%s", rest).Error() // it names the key itself
	}
	return l.file.Problem(at, "%s: %s", key, rest).Error()
}
