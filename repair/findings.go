package repair

import (
	"fmt"
	"math"
	"time"

	"openload/correct"
	"openload/report"
	"openload/source"
)

// findings are the tests of whether the sample lacks what its tool did not send.
// Tests of structure are nearly exact and stand first; values only hint.
func (x *sample) findings() []report.Finding {
	all := []report.Finding{}
	for _, test := range []func(*sample) (report.Finding, bool){
		(*sample).chained, (*sample).pinned, (*sample).sends, (*sample).startGap,
		(*sample).underStalls, (*sample).afterStalls, (*sample).scope,
		(*sample).timeout, (*sample).uncovered,
		(*sample).maxOverP99, (*sample).stallShare,
	} {
		if f, ok := test(x); ok {
			all = append(all, f)
		}
	}
	return append(x.untested(), all...)
}

func finding(code, says, format string, args ...any) (report.Finding, bool) {
	return report.Finding{Code: code, Says: says, Text: fmt.Sprintf(format, args...)}, true
}

var nothing report.Finding

// untested says which tests the file has not the times for.
func (x *sample) untested() []report.Finding {
	var why string
	switch f := &x.file.Facts; {
	case x.hi != nil:
		why = "a histogram has no order: only its values can be looked at"
	case f.Stamp == source.NoStamp:
		why = "rows have no times: only their values can be looked at"
	case f.Order == source.ByLatency:
		why = "rows are sorted by latency, not in time: only their values can be looked at"
	case !x.in.timed:
		why = fmt.Sprintf("times in steps of %v are too coarse for gaps, order and concurrency", f.StampStep)
	default:
		return nil
	}
	f, _ := finding("no_times", report.Unclear, "%s", why)
	return []report.Finding{f}
}

// chained: does the next request begin as the last answer comes?
func (x *sample) chained() (report.Finding, bool) {
	if x.in == nil || !x.in.timed {
		return nothing, false
	}
	if t := x.in.sequence(); t != nil {
		if t.pairs < 10 {
			return nothing, false
		}
		return finding("next_start", chainedSays(float64(t.chained)/float64(t.pairs)),
			"%d of %d requests began as the answer before them came", t.chained, t.pairs)
	}
	return finding("next_start", report.Unclear, "%.0f %% of requests began as an answer came, with up to %d under way at once (of the first %d rows)", 100*x.in.chained, x.in.most, len(x.in.early))
}

func chainedSays(share float64) string {
	if share >= 0.9 {
		return report.Coordinated
	}
	return report.Unclear
}

// pinned: are as many requests under way as there are workers, all the time?
func (x *sample) pinned() (report.Finding, bool) {
	if x.in == nil {
		return nothing, false
	}
	w, from := x.in.workers()
	busy := x.in.busy(x.total())
	if busy == 0 {
		return nothing, false
	}
	says := report.Unclear
	if busy >= 0.98 && busy <= 1.02 {
		says = report.Coordinated
	}
	return finding("in_flight", says, "%.4g of %d (%s) were under way on average: throughput times latency, by Little's law", busy*float64(w), w, from)
}

// total is the time that all requests took together.
func (x *sample) total() time.Duration { return x.raw.Sum() + x.failures.Sum() }

// sends: how many requests are missing that were due?
func (x *sample) sends() (report.Finding, bool) {
	if x.in == nil {
		return nothing, false
	}
	due, _, ok := x.in.slots()
	if !ok {
		return nothing, false
	}
	gone := math.Round(due) - float64(x.n)
	switch {
	case gone >= 2 && 50*gone >= due:
		return finding("sends", report.Coordinated, "%.0f requests were due in %v at %v, and %d are in the file: %.0f were not sent, or are lost", math.Round(due), digits(x.in.span), x.pace.interval, x.n, gone)
	case -gone > 0.2*due:
		return finding("sends", report.Unclear, "the file has %d rows for %.0f slots in %v at %v: it is not the tool's interval", x.n, math.Round(due), digits(x.in.span), x.pace.interval)
	}
	return finding("sends", report.NotCoordinated, "%.0f requests were due in %v at %v, and %d are in the file: as many, so none are missing", math.Round(due), digits(x.in.span), x.pace.interval, x.n)
}

// startGap: how long did nobody send?
func (x *sample) startGap() (report.Finding, bool) {
	if x.in == nil || x.pace.interval == 0 {
		return nothing, false
	}
	t := x.in.sequence()
	if t == nil || 2*t.widest <= 3*x.pace.interval {
		return nothing, false
	}
	return finding("start_gap", report.Coordinated, "a worker began nothing for %v, %.3g intervals", digits(t.widest), float64(t.widest)/float64(x.pace.interval))
}

// underStalls: did others go on being sent while a request was slow?
func (x *sample) underStalls() (report.Finding, bool) {
	if x.in == nil || x.in.stalls.expected < 4 {
		return nothing, false
	}
	s := &x.in.stalls
	says := report.Coordinated
	switch {
	case s.under >= 0.7*s.expected:
		says = report.NotCoordinated
	case s.began >= 0.5*s.expected:
		says = report.Unclear
	}
	return finding("under_stalls", says, "while %s pending, %.0f of about %.0f requests due began, and %.0f were under way at the end%s",
		requests(s.looked, "slow request was", "slow requests were"), s.began, s.expected, s.under, sums(s.looked))
}

func sums(n int) string {
	if n == 1 {
		return ""
	}
	return ", all added up"
}

func requests(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// afterStalls: did the tool skip, or catch up?
func (x *sample) afterStalls() (report.Finding, bool) {
	switch x.seen.pacing {
	case source.Skips:
		return finding("after_stalls", report.Coordinated, "%s", x.seen.why)
	case source.CatchesUp:
		return finding("after_stalls", report.Unclear, "%s: nothing is missing, but latencies begin too late", x.seen.why)
	}
	return nothing, false
}

// scope: was it the server that stalled, or one request?
func (x *sample) scope() (report.Finding, bool) {
	if x.in == nil {
		return nothing, false
	}
	w, _ := x.in.workers()
	s := &x.in.stalls
	switch {
	case w < 2 && s.looked > 0:
		return finding("scope", report.Unclear, "with one worker nothing tells whether the server stalled or a single request: what users saw lies between raw and queue")
	case s.wholes+s.locals == 0:
		return nothing, false
	case s.locals > s.wholes:
		return finding("scope", report.NotCoordinated, "%s slow alone: others were answered as usual meanwhile (of %d; %d held all up). Backfill is wrong for those",
			requests(s.locals, "request was", "requests were"), s.looked, s.wholes)
	}
	says := report.Coordinated
	if x.seen.pacing == source.OpenModel {
		says = report.Unclear
	}
	return finding("scope", says, "%s all: nothing was answered meanwhile (of %d; %d were slow alone)", requests(s.wholes, "stall held up", "stalls held up"), s.looked, s.locals)
}

// timeouts are what clients give up after, in the files seen.
var timeouts = []time.Duration{1 * time.Second, 2 * time.Second, 5 * time.Second, 7 * time.Second, 10 * time.Second, 15 * time.Second,
	20 * time.Second, 21 * time.Second, 30 * time.Second, 60 * time.Second, 75 * time.Second}

// timeout: were slow rows cut off at a limit?
func (x *sample) timeout() (report.Finding, bool) {
	values := correct.Unlimited(&x.raw)
	values.Merge(ptr(correct.Unlimited(&x.failures)))
	most, ok := values.Greatest()
	if !ok || most < time.Second {
		return nothing, false
	}
	top := values.Between(most-most/50, most)
	under := values.Between(most-most/5, most-most/50)
	if top >= 5 && 5*under < top {
		return finding("plateau", report.Lossy, "%d of the slowest took %v, within 2 %%, and hardly any a little less: they were cut off there, and would have taken longer", top, digits(most))
	}
	for _, t := range timeouts {
		if !x.file.Facts.Failures && most < t && most >= t-t/33 {
			return finding("near_timeout", report.Lossy, "the slowest took %v, just under %v: if that was the timeout, slower ones are not in the file", digits(most), t)
		}
	}
	return nothing, false
}

func ptr[T any](v T) *T { return &v }

// uncovered: was nothing under way for longer than the pace explains?
func (x *sample) uncovered() (report.Finding, bool) {
	if x.in == nil || !x.in.timed {
		return nothing, false
	}
	g := x.in.gaps.longest()
	most := 5 * x.pace.interval
	if t := x.in.sequence(); most == 0 && t != nil {
		most = 20 * t.mean()
	}
	usual, _ := x.raw.Quantile(correct.P50)
	if most = max(most, 10*usual); most == 0 || g.to-g.from <= most {
		return nothing, false
	}
	return finding("uncovered_gap", report.Lossy, "nothing was under way for %v, from %v on: a request that failed or timed out then may be missing, and no correction restores it", digits(g.to-g.from), digits(g.from-x.in.begin))
}

// maxOverP99 is a hint: one stall among many fast answers looks like that, but so do
// rare slow requests.
func (x *sample) maxOverP99() (report.Finding, bool) {
	most, ok := x.raw.Greatest()
	p99, has := x.raw.Quantile(correct.P99)
	if !ok || !has || p99 <= 0 || most < 30*p99 {
		return nothing, false
	}
	return finding("max_over_p99", report.Unclear, "a hint, no more: the maximum is %.0f times p99", float64(most)/float64(p99))
}

// stallShare sets the time that slow requests took against their number.
func (x *sample) stallShare() (report.Finding, bool) {
	if x.in == nil || x.in.wall <= 0 || !x.in.timed {
		return nothing, false
	}
	usual, _ := x.raw.Quantile(correct.P50)
	w, _ := x.in.workers()
	n, took := x.raw.Above(max(manyTimes*usual, 1))
	share := float64(took) / (float64(x.in.wall) * float64(max(1, w)))
	if n == 0 || share < 0.01 {
		return nothing, false
	}
	return finding("stall_share", report.Unclear, "slow requests took %.3g %% of the workers' time and are %.3g %% of the requests", 100*share, 100*float64(n)/float64(x.n))
}
