package sink

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const mostBars = columns - margin

var (
	levels      = []rune("▁▂▃▄▅▆▇█")
	levelsASCII = []rune("_.-:=+*#")
)

const failedBar = 'x'

// A bar is one column of the picture: some neighbouring windows.
type bar struct {
	worst  time.Duration
	at     time.Duration // of the window with it
	value  bool          // worst is one
	failed bool          // the percentile of a window fell among its failures
}

// overTime draws the greatest latency over intended time, on a log scale of at least
// one decade: half a millisecond of noise is no mountain. A stretch with failures,
// which have none, is marked instead.
func (p *page) overTime() {
	all, step := p.bars()
	if len(all) < 2 {
		return
	}
	least, most, at, failed := time.Duration(math.MaxInt64), time.Duration(-1), time.Duration(0), false
	for _, b := range all {
		failed = failed || b.failed
		if b.value {
			least = min(least, max(b.worst, 1))
			if b.worst > most {
				most, at = b.worst, b.at
			}
		}
	}
	if most < 0 {
		return // nothing succeeded: there is nothing to draw
	}
	levels := levels
	if p.ASCII {
		levels = levelsASCII
	}
	decades := max(1, math.Log10(float64(most)/float64(least)))
	var line strings.Builder
	for _, b := range all {
		switch {
		case b.failed:
			line.WriteRune(failedBar)
		case !b.value:
			line.WriteByte(' ')
		default:
			height := math.Log10(float64(max(b.worst, 1))/float64(least)) / decades
			line.WriteRune(levels[min(int(height*float64(len(levels))), len(levels)-1)])
		}
	}
	p.lines([]string{fmt.Sprintf(" %-*s%s", margin-1, "over time", line.String())})
	legend := fmt.Sprintf("longest corrected per %s, %s to %s at %s (log)",
		p.duration(step), p.duration(least), p.duration(most), p.duration(at))
	if failed {
		legend += fmt.Sprintf(", %c: failed", failedBar)
	}
	p.say("", legend)
}

// bars puts the windows into bars of step each, at most mostBars.
func (p *page) bars() (all []bar, step time.Duration) {
	var wide, end time.Duration
	for _, w := range p.Series {
		wide, end = max(wide, w.Width), max(end, w.At)
	}
	if wide <= 0 {
		return nil, 0
	}
	step = readable(wide, end/wide/mostBars+1)
	all = make([]bar, end/step+1)
	for _, w := range p.Series {
		if w.At < 0 {
			continue
		}
		b := &all[w.At/step]
		if d := w.CorrectedMax; d != nil && (!b.value || *d > b.worst) {
			b.worst, b.at, b.value = *d, w.At, true
		}
		b.failed = b.failed || w.Failed > 0
	}
	return all, step
}

// readable is a multiple of wide by at least least and less than twice that,
// preferably one that people count in.
func readable(wide, least time.Duration) time.Duration {
	for m := least; m < 2*least && m < 1000; m++ {
		switch wide * m {
		case time.Second / 2, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
			time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour:
			return wide * m
		}
	}
	return wide * least
}
