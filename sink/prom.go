package sink

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/report"
)

// prom writes the report in Prometheus' text exposition format, as node_exporter's
// textfile collector reads it. Operations and attempts that failed have no latency and
// rank above every success: they are in a histogram's +Inf bucket and count, and not
// in its sum.
// Source: prometheus.io, Exposition formats, version 0.0.4.
func prom(w io.Writer, r *report.Report, _ TextOptions) error {
	e := &exposition{bufio.NewWriter(w)}
	p := pageOf(r, TextOptions{})
	e.family("openload_run_info", "gauge", "What ran.")
	labels := []string{"version", p.Tool.Version, "method", p.Plan.Method, "url", where(&p.Plan), "engine", p.Run.Engine}
	if s := p.Schedule; s != nil {
		labels = append(labels, "schedule", s.Description, "seed", strconv.FormatUint(s.Seed, 10))
	}
	e.sample("openload_run_info", "1", labels...)
	if at := p.Run.Started; !at.IsZero() {
		e.gauge("openload_run_start_time_seconds", "When the run began, since 1970.", float64(at.UnixMilli())/1000)
	}
	e.gauge("openload_run_duration_seconds", "From the run's beginning to its last answer.", p.Run.Duration.Seconds())

	e.family("openload_verdict", "gauge", "1 for the verdict that the run came to.")
	for _, v := range []string{"pass", "fail", "invalid", "inconclusive", "none"} {
		e.sample("openload_verdict", either(p.Verdict == v, "1", "0"), "verdict", v)
	}
	e.rules(p.SLA)
	e.outcomes(p)
	if p.Rate != nil {
		e.gauge("openload_asked_operations_per_second", "Rate of the schedule.", p.Rate.Asked)
		e.gauge("openload_offered_operations_per_second", "Rate at which operations were dispatched.", p.Rate.Offered)
	}
	if lag := p.Latency.Lag; lag != nil && lag.Max != nil {
		e.gauge(lagMetric, lagHelp, lag.Max.Seconds())
	}
	for _, x := range []struct {
		name, help string
		dist       *report.Dist
	}{{correctedMetric, correctedHelp, p.Latency.Corrected}, {rawMetric, rawHelp, p.Latency.Raw}} {
		if err := e.reading(x.name, x.help, x.dist); err != nil {
			return err
		}
	}
	return e.Flush()
}

// Metrics that a finished run's file and a Meter share.
const (
	operationsMetric, operationsHelp = "openload_operations_total", "Operations by what became of them."
	scheduledMetric, scheduledHelp   = "openload_operations_scheduled_total", "Operations that were due."
	waitingMetric, waitingHelp       = "openload_operations_waiting", "Operations that are due and have not ended: the server has them, or they wait for a connection or a backoff."
	attemptsMetric, attemptsHelp     = "openload_attempts_total", "Tries at operations, the first of each included."
	lagMetric, lagHelp               = "openload_lag_max_seconds", "Openload's own greatest lateness."
	correctedMetric, correctedHelp   = "openload_corrected_seconds", "From when an operation was due to its answer: what a user waited."
	rawMetric, rawHelp               = "openload_raw_seconds", "From when an attempt was sent to its answer."
)

// An exposition is metrics in the making. Errors show when it is flushed.
type exposition struct{ *bufio.Writer }

func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes one value, with labels in pairs of name and value.
func (e *exposition) sample(name, value string, labels ...string) {
	e.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(e, `%s%s="%s"`, either(i == 0, "{", ","), labels[i], ofLabel.Replace(printable(labels[i+1])))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + value + "\n")
}

var ofLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (e *exposition) gauge(name, help string, value float64) {
	e.family(name, "gauge", help)
	e.sample(name, float(value))
}

func (e *exposition) counter(name, help string, n uint64) {
	e.family(name, "counter", help)
	e.sample(name, strconv.FormatUint(n, 10))
}

func float(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (e *exposition) rules(all []report.Rule) {
	if len(all) == 0 {
		return
	}
	e.family("openload_rule_outcome", "gauge", "1 for what a rule came to.")
	seen := map[string]bool{} // a rule given twice would be the same series twice
	for _, r := range all {
		if rule := printable(r.Rule); !seen[rule] {
			seen[rule] = true
			e.sample("openload_rule_outcome", "1", "rule", rule, "outcome", r.Outcome)
		}
	}
}

func (e *exposition) outcomes(p *page) {
	c := p.Counts
	e.counter(scheduledMetric, scheduledHelp, c.Scheduled)
	e.family(operationsMetric, "counter", operationsHelp)
	by := map[string]uint64{"ok": c.OK, "bad_status": c.BadStatus, "dropped": c.Dropped, "unfinished": c.Unfinished, "blocked": c.Blocked}
	for class, n := range c.Errors {
		by[printable(class)] += n
	}
	late := c.TimedOut
	for kind, n := range c.Timeouts {
		by[printable(kind)] += n
		late -= min(late, n)
	}
	if late > 0 {
		by["timed_out"] += late
	}
	for _, outcome := range slices.Sorted(maps.Keys(by)) {
		e.sample(operationsMetric, strconv.FormatUint(by[outcome], 10), "outcome", outcome)
	}
	e.counter(attemptsMetric, attemptsHelp, c.Attempts)
}

// bounds are the upper ends of the histograms' buckets.
var bounds = []time.Duration{
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
	5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
}

// reading writes a reading as a histogram. The report's three digits decide what lies
// in a bucket: a value that may lie on either side of its end counts as above.
func (e *exposition) reading(name, help string, d *report.Dist) error {
	all, err := bars(d)
	if err != nil {
		return fmt.Errorf("histogram of %s: %w", name, err)
	}
	if d == nil || d.N > 0 && d.N > d.Failed && len(all) == 0 {
		return nil // it exists, but nobody kept its values
	}
	below := make([]uint64, len(bounds))
	var sum float64
	for _, b := range all {
		for i, bound := range bounds {
			if b.value <= bound {
				below[i] += b.count
			}
		}
		sum += b.value.Seconds() * float64(b.count)
	}
	if d.Mean != nil {
		sum = d.Mean.Seconds() * float64(d.N)
	}
	e.histogram(name, help, below, d.N, sum)
	return nil
}

// histogram writes cumulative counts at bounds, of count values in all that come to
// sum seconds.
func (e *exposition) histogram(name, help string, below []uint64, count uint64, sum float64) {
	e.family(name, "histogram", help)
	for i, bound := range bounds {
		e.sample(name+"_bucket", strconv.FormatUint(below[i], 10), "le", float(bound.Seconds()))
	}
	e.sample(name+"_bucket", strconv.FormatUint(count, 10), "le", "+Inf")
	e.sample(name+"_sum", float(sum))
	e.sample(name+"_count", strconv.FormatUint(count, 10))
}
