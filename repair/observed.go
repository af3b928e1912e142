package repair

import (
	"fmt"
	"time"

	"openload/source"
)

// observed is what the rows themselves say of their tool.
type observed struct {
	pacing source.Pacing // PacingUnknown: they don't tell
	why    string        // what was found
}

// workers is how many the tool had: as given, as the file states or names them, or as
// many requests as were under way at once. 0: nobody knows.
func (a *intake) workers() (n int, from string) {
	switch {
	case a.opt.Workers > 0:
		return a.opt.Workers, "--workers"
	case a.pace.workers > 0:
		return a.pace.workers, "the file's head"
	case a.facts.Workers && len(a.tracks) > 0:
		return len(a.tracks), "the file's rows"
	case a.timed && a.n > 0:
		return max(1, a.most), "the most requests under way at once"
	}
	return 0, ""
}

// single reports whether the rows are one worker's, in their order: none overlaps
// another, or the user says so of rows without times.
func (a *intake) single() bool {
	if a.opt.Workers > 1 || a.line == nil {
		return false
	}
	return a.opt.Workers == 1 || a.stalls.n > 0
}

// sequence is what the requests that follow each other show together; nil where
// nothing tells which do.
func (a *intake) sequence() *track {
	if a.timed && a.facts.Workers && len(a.tracks) > 0 {
		all := &track{interval: a.pace.interval}
		for _, t := range a.tracks {
			all.join(t)
		}
		return all
	}
	if a.timed && a.single() {
		return &a.one
	}
	return nil
}

// observe tests the data: what did the tool do while it was stuck, and after?
func (a *intake) observe() observed {
	if s := &a.stalls; s.expected >= 4 && s.under >= 0.7*s.expected {
		return observed{source.OpenModel, fmt.Sprintf("while slow requests were pending others went on being sent: %.0f were under way at the end, of %.0f due", s.under, s.expected)}
	}
	if t := a.sequence(); t != nil {
		told := t.burst + t.even
		paced := a.pace.interval == 0 || 2*t.onPace >= t.rows-min(t.rows, told)
		chained := t.pairs >= 10 && 10*t.chained >= 9*t.pairs
		switch {
		case told >= 4 && 5*t.burst >= 4*told && paced && !chained:
			return observed{source.CatchesUp, fmt.Sprintf("after a stall %d of %d requests followed in a burst", t.burst, told)}
		case chained:
			return observed{source.Closed, fmt.Sprintf("%d of %d requests began as the answer before them came", t.chained, t.pairs)}
		case told >= 4 && 5*t.even >= 3*told:
			return observed{source.Skips, fmt.Sprintf("after a stall %d of %d requests kept the interval: what was due meanwhile was not sent", t.even, told)}
		}
	}
	return a.counted()
}

// counted compares the number of rows with what the schedule had slots for.
func (a *intake) counted() observed {
	due, missed, ok := a.slots()
	if !ok || missed < 5 || float64(missed) < 0.05*due {
		return observed{}
	}
	n, third := float64(a.n), float64(missed)/3
	switch {
	case n >= due-third && n <= due+third:
		return observed{source.CatchesUp, fmt.Sprintf("the file has a row for each of the %.0f slots, although %d passed while a worker waited", due, missed)}
	case n >= due-float64(missed)-third && n <= due-float64(missed)+third:
		return observed{source.Skips, fmt.Sprintf("the file has %d rows for %.0f slots, of which %d passed while a worker waited", a.n, due, missed)}
	}
	return observed{}
}

// slots is how many requests were due, first and last included, and how many of them
// while their worker waited. ok is false where that can't be known.
func (a *intake) slots() (due float64, missed uint64, ok bool) {
	w, _ := a.workers()
	if a.pace.interval == 0 || w == 0 || a.span <= 0 || a.facts.Order == source.ByLatency {
		return 0, 0, false
	}
	missed = a.missing.all.N() + a.missing.alone.N()
	return float64(w) * (float64(a.span)/a.pace.perSlot + 1), missed, true
}

// busy is the share of the workers' time that their requests took: by Little's law
// the mean number under way, in workers.
func (a *intake) busy(sum time.Duration) float64 {
	w, _ := a.workers()
	if w == 0 || a.wall <= 0 || !a.timed {
		return 0
	}
	return float64(sum) / (float64(w) * float64(a.wall))
}
