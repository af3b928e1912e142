package report

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"openload/correct"
	"openload/sla"
)

// A Gate says how much worse a reading may get: p99 +10%, raw.p50 +5ms, errors +0.5%.
type Gate struct {
	text  string
	rule  sla.Rule      // what is read; its limit means nothing
	share float64       // of the base's reading; of all operations for errors
	more  time.Duration // beside it
}

// String is the gate as it was written.
func (g Gate) String() string { return g.text }

// ParseGate reads a gate. The error says what to write.
func ParseGate(text string) (Gate, error) {
	bad := func(format string, a ...any) (Gate, error) {
		return Gate{}, fmt.Errorf("%q: %s; write how much worse it may get, such as 'p99 +10%%' or 'p99 +20ms'", text, fmt.Sprintf(format, a...))
	}
	metric, more, ok := strings.Cut(text, "+")
	if !ok {
		return bad("there is no + in it")
	}
	g := Gate{text: strings.TrimSpace(metric) + " +" + strings.TrimSpace(more)}
	metric, more = strings.TrimSpace(metric), strings.TrimSpace(more)
	limit := "<1s"
	if strings.HasSuffix(metric, "errors") {
		limit = "<1%"
	}
	var err error
	if g.rule, err = sla.Parse(metric + limit); err != nil {
		return bad("%q is nothing that is compared: percentiles, max, mean and errors are", metric)
	}
	switch g.rule.Metric {
	case sla.Percentile, sla.Mean, sla.Errors:
	default:
		return bad("%q is not compared: percentiles, max, mean and errors are", metric)
	}
	if share, isShare := strings.CutSuffix(more, "%"); isShare {
		v, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		if err != nil || !(0 <= v && v <= 1e6) {
			return bad("%q is no share", more)
		}
		g.share = v / 100
		return g, nil
	}
	if g.rule.Metric == sla.Errors {
		return bad("errors are a share")
	}
	if g.more, err = time.ParseDuration(more); err != nil || g.more < 0 {
		return bad("%q is neither a share nor a time", more)
	}
	return g, nil
}

// bar is the most that the reading may be, if it was this. Errors are shares already,
// and so is what they may grow by.
func (g Gate) bar(base float64) float64 {
	if g.rule.Metric == sla.Errors {
		return base + g.share
	}
	return base*(1+g.share) + float64(g.more)
}

// errNoReading is for a run that lacks what is to be compared.
var errNoReading = errors.New("there is no such reading")

// read is what the run has for r: ns, or a share for errors. A percentile that falls
// among the failures, or a mean with any, is infinite.
func read(s *correct.Snapshot, r sla.Rule) (float64, error) {
	if r.Target != "" {
		if s = s.Part(sla.TargetDimension, r.Target); s == nil {
			return 0, fmt.Errorf("there is no target %s", r.Target)
		}
	}
	if r.Metric == sla.Errors {
		if s.Counts.Scheduled == 0 {
			return 0, errNoReading
		}
		return float64(s.Counts.Failed()) / float64(s.Counts.Scheduled), nil
	}
	d := s.Dist(r.Set)
	if d == nil || d.N() == 0 {
		return 0, errNoReading
	}
	v, ok := d.Mean()
	if r.Metric == sla.Percentile {
		v, ok = d.Quantile(r.Quantile)
	}
	if !ok {
		return math.Inf(1), nil
	}
	return float64(v), nil
}
