package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// helpWidth is what help fits in.
const helpWidth = 80

// common are the flags that a run may need whatever it sends and wherever it goes; the
// help without a command shows these. Those of run are three times as many, too many to be
// read by somebody who has just come.
var common = []string{
	"plan", "rate", "n", "duration", "arrival", "seed", "closed", "method", "header", "body", "targets",
	"no-keepalive", "connections", "timeout", "connect-timeout", "deadline", "drain", "insecure",
	"retry", "sla", "expect-status", "out", "progress", "quiet",
}

// chapters are the commands by what they are for. One that is in none comes last.
var chapters = []struct {
	title    string
	commands []string
}{
	{"Measure:", []string{"run", "sim", "find", "experiment", "demo", "lab"}},
	{"Results, ours and other tools':", []string{"report", "judge", "compare", "merge", "correct", "peaks"}},
	{"Plans and schedules:", []string{"init", "lint", "schedule", "schema", "import"}},
}

// printHelp is kong's hook. Without a command it is a way in: the flags that most runs
// need, since openload without a command is run, and all commands.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	var b strings.Builder
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Children[0]
	}
	if node.Name == "run" && !slices.Contains(ctx.Args, "run") {
		wayIn(&b, ctx.Model, node)
	} else {
		name := pathOf(node)
		if node.Name == "run" {
			name = "[run] [flags]"
		}
		fmt.Fprintf(&b, "Usage: openload %s%s\n\n", name, positionals(node))
		paragraph(&b, "", node.Help)
		if len(node.Children) > 0 {
			b.WriteString("\n")
		}
		for _, c := range node.Children {
			item(&b, "  "+c.Name, 14, c.Help)
		}
		flags(&b, node, nil)
		if node.Detail != "" {
			b.WriteString("\n")
			detail(&b, strings.TrimRight(node.Detail, "\n"))
		}
	}
	_, err := io.WriteString(ctx.Stdout, b.String())
	return err
}

func wayIn(b *strings.Builder, app *kong.Application, run *kong.Node) {
	b.WriteString("Usage: openload [flags] URL\n       openload COMMAND ...\n\n")
	paragraph(b, "", app.Help)
	b.WriteString(`
  openload --rate 12.5 --n 200 URL                      raw beside corrected
  openload --rate 300/m --duration 20s URL
  openload --rate 12.5 --n 200 --sla 'p99<500ms' URL    verdict by exit status
`)
	flags(b, run, common)
	b.WriteString("\nAll flags: openload run --help\n")
	left := slices.Clone(app.Children)
	chapter := func(title string, nodes []*kong.Node) {
		for i, node := range nodes {
			if i == 0 {
				b.WriteString("\n" + title + "\n")
			}
			item(b, "  "+node.Name, 14, inShort(node.Help))
		}
	}
	for _, c := range chapters {
		var nodes []*kong.Node
		for _, name := range c.commands {
			if i := slices.IndexFunc(left, func(n *kong.Node) bool { return n.Name == name }); i >= 0 {
				nodes = append(nodes, left[i])
				left = slices.Delete(left, i, i+1)
			}
		}
		chapter(c.title, nodes)
	}
	chapter("Else:", left)
	b.WriteString("\nopenload COMMAND --help says more.\n\nExit status: 0 done, rules held; 1 could not run or write; 2 bad usage or input;\n" +
		"3 rules not met; 4 INVALID or INCONCLUSIVE; 130, 143 interrupted.\n")
}

// inShort is what a command's help says first.
func inShort(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	first, _, _ = strings.Cut(first, ": ")
	return strings.TrimSuffix(first, ".")
}

// pathOf is how a command is called, up to its arguments.
func pathOf(n *kong.Node) string {
	path := n.Name
	for p := n.Parent; p != nil && p.Type == kong.CommandNode; p = p.Parent {
		path = p.Name + " " + path
	}
	if len(n.Children) > 0 {
		return path + " COMMAND"
	}
	return path + " [flags]"
}

// detail writes a command's own text. Paragraphs that are too wide are wrapped anew; a
// table of keys keeps its lines.
func detail(b *strings.Builder, text string) {
	var prose []string
	flush := func() {
		if slices.ContainsFunc(prose, tooWide) {
			paragraph(b, "", strings.Join(prose, " "))
		} else if len(prose) > 0 {
			b.WriteString(strings.Join(prose, "\n") + "\n")
		}
		prose = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		switch {
		case line != "" && indent == "":
			prose = append(prose, line)
			continue
		case tooWide(line):
			flush()
			paragraph(b, indent, line)
		default:
			flush()
			b.WriteString(line + "\n")
		}
	}
	flush()
}

func tooWide(line string) bool { return utf8.RuneCountInString(line) > helpWidth }

func positionals(n *kong.Node) string {
	var b strings.Builder
	for i, p := range n.Positional {
		name := strings.ToUpper(p.Name)
		if p.Target.Kind() == reflect.Slice {
			name += "..."
		}
		if p.HasDefault || i > 0 && !p.Required {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}

// flags lists the node's flags under their groups, in the order of groups; those
// without one come last. only, if not nil, are the names of those to list.
func flags(b *strings.Builder, n *kong.Node, only []string) {
	for _, g := range append(groups[:len(groups):len(groups)], kong.Group{Title: "Flags:"}) {
		title := "\n" + g.Title + "\n"
		for _, f := range n.Flags {
			if f.Hidden || f.Name == "help" || groupOf(f) != g.Key || only != nil && !slices.Contains(only, f.Name) {
				continue
			}
			b.WriteString(title)
			title = ""
			item(b, flagHead(f), 30, flagHelp(f))
		}
	}
}

func groupOf(f *kong.Flag) string {
	if f.Group == nil {
		return ""
	}
	return f.Group.Key
}

func flagHead(f *kong.Flag) string {
	short := "    "
	if f.Short != 0 {
		short = fmt.Sprintf("-%c, ", f.Short)
	}
	head := "  " + short + "--" + f.Name
	if !f.IsBool() {
		head += " " + strings.Trim(f.FormatPlaceHolder(), `"`)
	}
	return head
}

func flagHelp(f *kong.Flag) string {
	help := f.Help
	if f.HasDefault && f.Default != "0" && !f.IsBool() && f.Enum == "" {
		help += " Default: " + f.Default + "."
	}
	if f.Required {
		help += " Required."
	}
	if len(f.Aliases) > 0 {
		help += " Also: --" + strings.Join(f.Aliases, ", --") + "."
	}
	return help
}

// item writes a head and, beside it from the given column on, its text.
func item(b *strings.Builder, head string, column int, text string) {
	if len(head) > column-2 {
		b.WriteString(head + "\n")
		head = ""
	}
	paragraph(b, head+strings.Repeat(" ", column-len(head)), text)
}

// paragraph wraps text at helpWidth; further lines stand under the end of head.
func paragraph(b *strings.Builder, head, text string) {
	line, indent := head, strings.Repeat(" ", len(head))
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len(line)+1+len(word) > helpWidth {
			b.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
