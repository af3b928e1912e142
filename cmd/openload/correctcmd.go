package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"openload/plan"
	"openload/repair"
	"openload/schedule"
	"openload/sla"
	"openload/source"
)

// correctCmd reads another tool's file.
type correctCmd struct {
	File string `arg:"" optional:"" help:"The file; - is standard input."`

	Interval *span         `group:"file" placeholder:"TIME" help:"Time between two requests that one worker was meant to send: 80ms."`
	Rate     schedule.Rate `short:"r" group:"file" placeholder:"RATE" help:"Requests per second of all workers together, in place of --interval; with --workers."`
	Workers  *int          `short:"c" group:"file" placeholder:"N" help:"How many workers (connections, threads, users) the tool had."`
	Method   string        `group:"file" default:"auto" placeholder:"METHOD" help:"auto: by format and data; backfill: add what was skipped; schedule: back to the schedule; queue: predict; none."`
	Force    bool          `group:"file" help:"Correct by --method although the data say that it is wrong."`

	Label     string   `group:"file" placeholder:"TEXT" help:"Only requests of this label."`
	Tag       string   `group:"file" placeholder:"TEXT" help:"Only the histogram of this tag; - is the one without."`
	Unit      string   `group:"file" placeholder:"UNIT" help:"Unit of the latencies where the file has none: ns, us, ms, s."`
	TimeField string   `signed:"" group:"file" placeholder:"FIELD" help:"Field with the latency: a name, or in a text log its number, from the end if negative."`
	Columns   []string `group:"file" placeholder:"NAME,..." help:"Columns of a JMeter CSV without header."`
	TZ        string   `name:"tz" group:"file" placeholder:"ZONE" help:"Zone of times that are written without one: UTC, Europe/Berlin."`
	Lenient   bool     `group:"file" help:"Skip and count what can't be read, in place of stopping there; judge what is there of a file that was cut."`

	SLA          []string `name:"sla" group:"verdict" sep:"none" placeholder:"RULE" help:"A rule such as 'p99<500ms', 'errors<1%', 'raw.max<2s'. Repeatable. The exit status is the verdict."`
	Confidence   float64  `group:"verdict" placeholder:"PERCENT" help:"Ask for proof at that confidence, such as 95. Synthetic samples prove nothing."`
	ExpectStatus string   `group:"verdict" placeholder:"LIST" help:"Which statuses are a success: 200-399, 200,204, any. Default: what the tool took for one."`
	outputFlags
}

// Help is what stands below the flags.
func (c *correctCmd) Help() string {
	return `Read: hey, vegeta, k6, JMeter, ab -g, oha, h2load, fortio, ghz, Gatling, siege,
HdrHistogram, wrk2, access logs, plain numbers. A file is known by its content.

  openload correct hey.csv --interval 80ms
  openload correct hey.csv --rate 12.5 --workers 1 --sla 'p99<500ms'
  openload correct access.log --time-field request_time --unit s --interval 50ms
  cat vegeta.json | openload correct - --interval 83.333ms`
}

func (c *correctCmd) run(s streams) (int, error) {
	opt, read, err := c.options()
	if err != nil {
		return 0, usage(err)
	}
	outs, err := c.prepare(s)
	if err != nil {
		return 0, err
	}
	if outs.needRun() {
		return 0, usagef("--out csv: the attempts of a run as it goes on, and there is no run here; write the report as json or hlog")
	}
	in, err := c.open(s)
	if err != nil {
		return 0, usage(err)
	}
	defer in.Close()
	f, err := source.Open(in, read)
	if err != nil {
		return 0, usage(c.advise(err))
	}
	r, err := repair.File(f, opt)
	if r == nil {
		return 0, usage(c.advise(err))
	}
	if writeErr := outs.write(s, r); writeErr != nil {
		return statusBroken, writeErr
	}
	if err != nil {
		return 0, usage(err)
	}
	if r.Run.Interrupted {
		return statusInvalid, nil // nothing is decided
	}
	return statusOfVerdict(r.Verdict), nil
}

func (c *correctCmd) open(s streams) (io.ReadCloser, error) {
	switch c.File {
	case "":
		return nil, errors.New("no file given; name one, or - for standard input")
	case "-":
		return io.NopCloser(s.in), nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("%w; name a file that can be read, or - for standard input", err)
	}
	return f, nil
}

// options are what the flags say to those who read and to those who correct.
func (c *correctCmd) options() (opt repair.Options, read source.Options, err error) {
	var wrong []error
	fail := func(flag string, err error) {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", flag, err))
		}
	}
	read = source.Options{
		TimeField: c.TimeField, Columns: c.Columns, Label: c.Label, Tag: c.Tag, Lenient: c.Lenient,
	}
	if c.Tag == repair.Untagged {
		read.Tag, read.Untagged = "", true
	}
	if c.Unit != "" {
		read.Unit = units[c.Unit]
		if read.Unit == 0 {
			fail("--unit", fmt.Errorf("%q is none; write ns, us, ms or s", c.Unit))
		}
	}
	if c.TZ != "" {
		read.TZ, err = time.LoadLocation(c.TZ)
		if err != nil {
			fail("--tz", fmt.Errorf("%q is not a zone; write one such as UTC or Europe/Berlin", c.TZ))
		}
	}
	var interval time.Duration
	if c.Interval != nil {
		if interval = time.Duration(*c.Interval); interval == 0 {
			fail("--interval", fmt.Errorf("%v is none; give the time between two requests of one worker, such as 80ms", interval))
		}
	}
	workers := 0
	if c.Workers != nil {
		if workers = *c.Workers; workers == 0 {
			fail("--workers", errors.New("0 is none; give the number of connections or threads of the tool"))
		}
	}
	opt = repair.Options{
		Interval: interval, Rate: c.Rate, Workers: workers, Method: repair.Method(c.Method), Force: c.Force,
		Confidence: c.Confidence, Name: c.File, Version: version(), Command: c.again(),
	}
	for _, text := range c.SLA {
		rule, err := sla.Parse(text)
		fail("--sla", err)
		opt.Rules = append(opt.Rules, rule)
	}
	if c.ExpectStatus != "" {
		expect, err := plan.ParseStatuses(c.ExpectStatus)
		fail("--expect-status", err)
		opt.Expect = &expect
	}
	wrong = append(wrong, opt.Check())
	return opt, read, errors.Join(wrong...)
}

var units = map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second}

// advise adds to an error about the file what to do about it.
func (c *correctCmd) advise(err error) error {
	var missing *source.Missing
	var row *source.RowError
	var cut *source.Cut
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("%w; give %s", err, map[source.Need]string{
			source.NeedUnit: "--unit", source.NeedTimeField: "--time-field", source.NeedColumns: "--columns",
		}[missing.Need])
	case errors.As(err, &row) && !c.Lenient:
		return fmt.Errorf("%w; correct the file, or skip what can't be read with --lenient", err)
	case errors.As(err, &cut):
		return adviseCut(cut, c.Lenient)
	case errors.Is(err, source.ErrUnknown):
		return fmt.Errorf("%w; 'openload correct --help' lists what it may be", err)
	}
	return err
}

// adviseCut is the error for a file that is not whole, with what to do about it.
func adviseCut(cut *source.Cut, lenient bool) error {
	if cut.None || lenient || cut.Rows == 0 {
		return fmt.Errorf("%w; get the whole file", cut)
	}
	return fmt.Errorf("%w; get the whole file, or take what is there with --lenient", cut)
}

// again is the command that does the same.
func (c *correctCmd) again() string {
	var b strings.Builder
	fmt.Fprintf(&b, "openload correct %s", quote(c.File))
	add := func(flag, value string) {
		if value != "" {
			fmt.Fprintf(&b, " --%s %s", flag, quote(value))
		}
	}
	if c.Interval != nil {
		add("interval", time.Duration(*c.Interval).String())
	}
	if !c.Rate.IsZero() {
		add("rate", c.Rate.String())
	}
	if c.Workers != nil {
		add("workers", fmt.Sprint(*c.Workers))
	}
	if c.Method != string(repair.Auto) {
		add("method", c.Method)
	}
	if c.Force {
		b.WriteString(" --force")
	}
	add("label", c.Label)
	add("tag", c.Tag)
	add("unit", c.Unit)
	add("time-field", c.TimeField)
	add("columns", strings.Join(c.Columns, ","))
	add("tz", c.TZ)
	if c.Lenient {
		b.WriteString(" --lenient")
	}
	for _, rule := range c.SLA {
		add("sla", rule)
	}
	if c.Confidence > 0 {
		add("confidence", fmt.Sprint(c.Confidence))
	}
	add("expect-status", c.ExpectStatus)
	return b.String()
}
