package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// helpWidth is what help fits in.
const helpWidth = 80

// printHelp is kong's hook. Without a command it is the help of run, since that is
// what openload does without one, followed by the commands.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	var b strings.Builder
	node := ctx.Selected()
	top := node == nil || node.Name == "run"
	if top {
		node = ctx.Model.Children[0]
		b.WriteString("Usage: openload [flags] URL\n\n")
		paragraph(&b, "", ctx.Model.Help)
		b.WriteString(`
  openload --rate 12.5 --n 200 URL                      raw beside corrected
  openload --rate 300/m --duration 20s URL
  openload --rate 12.5 --n 200 --sla 'p99<500ms' URL    verdict by exit status
`)
	} else {
		fmt.Fprintf(&b, "Usage: openload %s [flags]%s\n\n", node.Name, positionals(node))
		paragraph(&b, "", node.Help)
	}
	flags(&b, node)
	if node.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(node.Detail, "\n"))
	}
	if top {
		b.WriteString("\nCommands (openload COMMAND --help says more):\n")
		for _, c := range ctx.Model.Children {
			item(&b, "  "+c.Name, 12, c.Help)
		}
		b.WriteString("\nExit status: 0 done, rules held; 1 could not run or write; 2 bad usage or input;\n" +
			"3 rules not met; 4 INVALID or INCONCLUSIVE; 130, 143 interrupted.\n")
	}
	_, err := io.WriteString(ctx.Stdout, b.String())
	return err
}

func positionals(n *kong.Node) string {
	var b strings.Builder
	for _, p := range n.Positional {
		b.WriteString(" " + strings.ToUpper(p.Name))
	}
	return b.String()
}

// flags lists the node's flags under their groups, in the order of groups; those
// without one come last.
func flags(b *strings.Builder, n *kong.Node) {
	for _, g := range append(groups[:len(groups):len(groups)], kong.Group{Title: "Flags:"}) {
		title := "\n" + g.Title + "\n"
		for _, f := range n.Flags {
			if f.Hidden || f.Name == "help" || groupOf(f) != g.Key {
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
