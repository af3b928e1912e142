package sink

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"openload/report"
)

// assets are the page's parts. uPlot draws the figures: version 1.6.32 of its npm
// package, as it was published.
//
//go:embed html
var assets embed.FS

// htmlPage is the report as one page that needs nothing else: it opens from a disk
// without a network, and its content security policy forbids it to ask for anything.
// Everything that is drawn stands in tables too; they and the verdict need no
// JavaScript. However long the run, what is drawn is bounded.
func htmlPage(w io.Writer, r *report.Report, opt TextOptions) error {
	opt.Color, opt.ASCII, opt.Quiet = false, false, false
	p := pageOf(r, opt)
	view, err := p.htmlView()
	if err != nil {
		return err
	}
	// The names in the template are our own: an error is a bug, and shows in every test.
	page := template.Must(template.New("report.html").ParseFS(assets, "html/report.html"))
	return page.Execute(w, view)
}

// An htmlView is what the page is made of. Every string in it is text; the template
// escapes it for where it stands.
type htmlView struct {
	Version              string
	Word, Mood, Headline string
	Reasons              []string
	What                 string
	Rules                *htmlTable
	Latency              htmlTable
	Terms                [][2]string
	Why                  []htmlList
	Became               []string
	Trust                string
	Measured, Notes      []string
	Figures              []figure
	Waterfall            *waterfall
	Tables               []titled
	Plan                 htmlTable
	Command              string
	Drawing              map[string]any
	Policy               string
	Style                template.CSS
	Library, Script      template.JS
}

// An htmlTable is a table of text; Words says that its cells are no numbers.
type htmlTable struct {
	Label string
	Words bool
	Head  []string
	Rows  [][]string
}

type htmlList struct {
	Title string
	Texts []string
}

type titled struct {
	Title string
	Table htmlTable
}

// A figure is drawn by the script under its ID, from Drawing[ID]; the table has the
// same numbers.
type figure struct {
	ID, Title, Finding string
	Table              htmlTable
}

func (p *page) htmlView() (*htmlView, error) {
	word, parts := p.headline()
	if p.Plan.Insecure {
		parts = append(parts, "(-k: TLS not verified)")
	}
	v := &htmlView{
		Version: printable(p.Tool.Version), Word: word, Mood: strings.ToLower(p.word()), Headline: printable(strings.Join(parts, " · ")),
		Reasons: printables(p.untold()), What: printable(p.what()), Became: printables(p.became()), Notes: printables(p.notes()),
		Command: strings.TrimSpace(printable(p.Plan.Command)), Plan: p.planTable(), Drawing: map[string]any{},
	}
	v.Latency = p.latencyTable("latency", p.readings())
	for _, x := range p.readings() {
		v.Terms = append(v.Terms, [2]string{x.name, p.meaning(x)})
	}
	if len(p.SLA) > 0 {
		v.Rules = p.rulesTable()
	}
	if title, texts := p.explanation(); title != "" {
		v.Why = append(v.Why, htmlList{strings.ToUpper(title[:1]) + title[1:], printables(texts)})
	}
	if f := p.File; f != nil && len(f.Findings) > 0 {
		l := htmlList{Title: "Does the sample lack what was not sent?"}
		for _, x := range f.Findings {
			l.Texts = append(l.Texts, printable(answer(x.Says)+": "+x.Text))
		}
		v.Why = append(v.Why, l)
	}
	if f := p.File; f != nil && len(f.Fails) > 0 {
		l := htmlList{Title: "At which rates would it fail? By the queue model, a prediction"}
		for _, x := range f.Fails {
			l.Texts = append(l.Texts, printable(p.failsAt(x)))
		}
		v.Why = append(v.Why, l)
	}
	v.Trust = "The run is valid."
	if p.File != nil {
		v.Trust = "A file: " + strings.Join(p.aboutFile(), ", ") + "."
	}
	switch p.word() {
	case "INVALID":
		v.Trust = "The run is invalid: it decides nothing."
	case "INTERRUPTED":
		v.Trust = "The run was interrupted: it decides nothing."
	}
	v.Trust = printable(v.Trust)
	v.Measured = printables(append(p.measured(), p.correction()...))
	if err := p.draw(v); err != nil {
		return nil, err
	}
	v.Waterfall = p.waterfall()
	v.Tables = p.partTables()
	return v, v.embed()
}

// embed puts style and scripts in, and the policy that lets exactly these in.
func (v *htmlView) embed() error {
	read := func(names ...string) string {
		var b strings.Builder
		for _, name := range names {
			content, err := assets.ReadFile("html/" + name)
			if err != nil {
				panic("sink: " + err.Error()) // it is in the program
			}
			b.Write(content)
		}
		return b.String()
	}
	style, library, script := read("uPlot.min.css", "report.css"), read("uPlot.iife.min.js"), read("report.js")
	v.Style, v.Library, v.Script = template.CSS(style), template.JS(library), template.JS(script)
	v.Policy = fmt.Sprintf("default-src 'none'; script-src %s %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", hashOf(library), hashOf(script), hashOf(style))
	return nil
}

// hashOf is a source expression that admits this text alone.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func printables(texts []string) []string {
	out := slices.Clone(texts)
	for i, text := range out {
		out[i] = printable(text)
	}
	return out
}

// what says in a line what ran.
func (p *page) what() string {
	var parts []string
	switch {
	case p.Plan.Server != "":
		parts = append(parts, "simulated: "+p.Plan.Server)
	case p.Plan.URL != "":
		parts = append(parts, whom(&p.Plan))
	case p.File != nil:
		parts = append(parts, p.File.Name)
	}
	if s := p.Schedule; s != nil {
		parts = append(parts, s.Description)
	}
	if at := p.Run.Started; !at.IsZero() {
		parts = append(parts, at.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	return strings.Join(parts, " · ")
}
