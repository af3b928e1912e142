package sink

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"openload/report"
)

// junit writes the verdict as JUnit XML, which every CI system shows: a test case for
// each rule, and one for the run being valid. What the target failed is a failure. What
// openload could not decide is an error, and then the other rules are skipped: an
// invalid run decides nothing.
// Source: the schema of Jenkins' xunit plugin, junit-10.xsd.
func junit(w io.Writer, r *report.Report, opt TextOptions) error {
	opt.Color = false
	p := pageOf(r, opt)
	var whole strings.Builder
	if err := Text(&whole, r, TextOptions{ASCII: opt.ASCII}); err != nil {
		return err
	}
	word, parts := p.headline()
	suite := testSuite{
		Name: "openload", Time: seconds(p.Run.Duration), Output: whole.String(),
		Properties: p.properties(),
		Cases:      []testCase{p.validCase(word, strings.Join(parts, ", "))},
	}
	if at := p.Run.Started; !at.IsZero() {
		suite.Timestamp = at.UTC().Format("2006-01-02T15:04:05")
	}
	for _, rule := range p.SLA {
		suite.Cases = append(suite.Cases, p.ruleCase(rule))
	}
	for _, c := range suite.Cases {
		suite.Tests++
		suite.Failures += one(c.Failure)
		suite.Errors += one(c.Error)
		suite.Skipped += one(c.Skipped)
	}
	b, err := xml.MarshalIndent(testSuites{
		Name: "openload", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time, Suites: []testSuite{suite},
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}

type testSuites struct {
	XMLName  xml.Name    `xml:"testsuites"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Suites   []testSuite `xml:"testsuite"`
}

type testSuite struct {
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Errors     int        `xml:"errors,attr"`
	Skipped    int        `xml:"skipped,attr"`
	Time       string     `xml:"time,attr"`
	Timestamp  string     `xml:"timestamp,attr,omitempty"`
	Properties []property `xml:"properties>property"`
	Cases      []testCase `xml:"testcase"`
	Output     string     `xml:"system-out"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	Time    string  `xml:"time,attr"`
	Skipped *result `xml:"skipped"`
	Error   *result `xml:"error"`
	Failure *result `xml:"failure"`
}

type result struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func one(r *result) int {
	if r == nil {
		return 0
	}
	return 1
}

// seconds is d as the schema wants it: seconds with a point.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// validCase says whether the run can be relied on, and that it failed if no rule is at hand
// that says so.
func (p *page) validCase(word, headline string) testCase {
	c := testCase{Name: "run is valid", Class: "openload", Time: seconds(p.Run.Duration)}
	var texts []string
	for _, r := range p.Reasons {
		texts = append(texts, r.Text)
	}
	why := &result{Message: word + ": " + headline, Type: strings.ToLower(word), Text: strings.Join(texts, "\n")}
	switch {
	case p.undecidable():
		c.Error = why
	case word == "FAIL" && len(p.SLA) == 0:
		c.Failure = why
	}
	return c
}

// undecidable reports whether the run as a whole decides nothing.
func (p *page) undecidable() bool { return p.word() == "INVALID" || p.word() == "INTERRUPTED" }

// ruleCase is one rule's outcome.
func (p *page) ruleCase(r report.Rule) testCase {
	c := testCase{Name: r.Rule, Class: "openload.sla", Time: seconds(0)}
	text := p.outcome(r)
	for _, d := range []string{p.over(r), p.flip(r)} {
		if d != "" {
			text += "\n" + d
		}
	}
	why := func() *result { return &result{Message: p.outcome(r), Type: r.Outcome, Text: text} }
	switch {
	case r.Outcome == "invalid" || r.Outcome == "inconclusive":
		c.Error = why()
	case p.undecidable():
		c.Skipped = &result{Message: "not decided: the run is " + p.word()}
	case r.Outcome == "fail":
		c.Failure = why()
	}
	return c
}

// properties are what the run was, in names and values.
func (p *page) properties() (all []property) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, property{name, value})
		}
	}
	add("verdict", p.Verdict)
	add("openload.version", p.Tool.Version)
	add("method", p.Plan.Method)
	add("url", where(&p.Plan))
	add("server", p.Plan.Server)
	if s := p.Schedule; s != nil {
		add("schedule", s.Description)
		add("seed", fmt.Sprint(s.Seed))
		add("schedule.sha256", s.SHA256)
	}
	add("command", p.Plan.Command)
	return all
}
