package repair

import (
	"fmt"
	"strings"
	"time"

	"openload/correct"
	"openload/source"
)

// warnings are what makes the numbers doubtful, beyond the choice of the method.
func (x *sample) warnings() (notes []correct.Doubt) {
	warn := func(code, format string, args ...any) {
		notes = append(notes, correct.Doubt{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if n := len(x.labels); n > 1 {
		var names []string
		for _, id := range x.labels {
			names = append(names, fmt.Sprintf("%.40q", x.file.Name(id)))
		}
		warn("labels_together", "requests of several labels are judged together; --label picks one of %s", strings.Join(names, ", "))
	}
	if p50, ok := x.raw.Quantile(correct.P50); ok && p50 > 0 && (p50 > time.Hour || p50 < time.Microsecond) {
		warn("implausible_unit", "half of the latencies are %s %v: is %s their unit?", either(p50 > time.Hour, "above", "below"), digits(p50), unitName(x.file.Facts.Unit))
	}
	if x.corrected == nil {
		if x.in != nil && x.pace.interval == 0 && x.choice.refuse != nil {
			x.guess(warn)
			if x.single() && len(x.opt.Rules) == 0 {
				warn("no_rules", "with a rule, such as --sla 'p99<500ms', the report says at which rates it would fail")
			}
		}
		return notes
	}
	if long := x.tooLong(); x.choice.method == Backfill && 5*long > x.n {
		warn("long_samples", "%s of the samples take longer than the interval of %v: the tool could not keep it, or it is not this file's", percent(long, x.n), x.pace.interval)
	}
	if w := x.opt.Workers; x.in != nil && x.in.timed && x.pace.interval > 0 && w > x.in.most && x.in.most > 0 {
		warn("fewer_workers", "--workers %d, but never more than %d of the first %d requests were under way at once: with fewer workers the interval of each is another",
			w, x.in.most, len(x.in.early))
	}
	if below := x.below(); len(below) > 0 {
		warn("below_raw", "corrected %s below raw: the samples added are shorter than the stall, and there are more of them", lies(below))
	}
	if 2*x.synthetic > x.n+x.synthetic {
		warn("mostly_synthetic", "%s of the corrected samples are synthetic: the correction says more than the file", percent(x.synthetic, x.n+x.synthetic))
	}
	if x.least < x.synthetic && x.hi != nil {
		warn("bucket_width", "from %d to %d synthetic samples: a bucket's values are taken to be its greatest", x.least, x.synthetic)
	}
	if failed := x.raw.Failed(); failed > 0 && x.synthetic > 0 {
		if longest, ok := x.failures.Max(); ok && longest >= 2*x.pace.interval {
			warn("failed_stalls", "failures of up to %v held up their workers too; what was not sent meanwhile is taken to have been answered, so corrected percentiles are lower bounds", digits(longest))
		}
	}
	if x.in != nil {
		x.offPace(warn)
	}
	return notes
}

// guess names the interval that the file itself suggests.
func (x *sample) guess(warn func(code, format string, args ...any)) {
	if t := x.in.sequence(); t != nil && t.cycles >= fewest && x.seen.pacing != source.Closed {
		warn("interval_guess", "before the first stall a worker's requests began every %s on average: if the tool had a rate, its interval is near that", fine(t.mean()))
	}
}

// offPace warns of an interval that is not the tool's own: in a replay the error adds up.
func (x *sample) offPace(warn func(code, format string, args ...any)) {
	t := x.in.sequence()
	if t == nil || t.cycles < fewest || x.seen.pacing == source.Closed || x.choice.method == None {
		return
	}
	if mean := t.mean(); 200*(mean-x.pace.interval).Abs() > x.pace.interval {
		warn("interval_off", "before the first stall requests began every %s on average, not every %v; if that was the tool's schedule, give --interval %s",
			fine(mean), x.pace.interval, fine(mean))
	}
}

func (x *sample) tooLong() uint64 {
	if x.hi != nil {
		return x.hi.tooLong()
	}
	return x.in.tooLong
}

// below names the percentiles that are lower than raw.
func (x *sample) below() (names []string) {
	for _, q := range []correct.Quantile{correct.P50, correct.P90, correct.P95, correct.P99, correct.P999, correct.Max} {
		c, ok := x.corrected.Quantile(q)
		raw, has := x.raw.Quantile(q)
		if ok && has && c < raw {
			names = append(names, q.String())
		}
	}
	return names
}

// lies are names with their verb: p90 lies; p90 and p95 lie.
func lies(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0] + " lies"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " lie"
}

func percent(part, all uint64) string {
	return fmt.Sprintf("%.3g %%", 100*float64(part)/float64(all))
}

// digits is d to three digits.
func digits(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 1000 {
			return d.Round(unit)
		}
	}
}

// fine is d to five digits, as --interval reads it.
func fine(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 100_000 {
			return d.Round(unit).String()
		}
	}
}

func either(which bool, a, b string) string {
	if which {
		return a
	}
	return b
}
