package repair

import (
	"fmt"

	"openload/correct"
	"openload/source"
)

// A Refused is the error for a correction that would make the numbers wrong, or that
// the file has not what it takes for.
type Refused struct {
	Code string // stable, for programs
	Why  string
	Do   string // what to do instead
}

// Error states why, and what to do.
func (e *Refused) Error() string { return e.Why + "; " + e.Do }

// The codes of refusals. All but the last leave the raw numbers to show, if no other
// method was asked for.
const (
	NoInterval   = "no_interval"       // nothing tells how often a request was due
	NoCorrection = "no_correction"     // none is right for this file, or not the one asked for
	Corrected    = "corrected_already" // a second correction
)

// A choice is the correction that is right, or that was asked for, and what to know of it.
type choice struct {
	method Method
	notes  []correct.Doubt
	refuse *Refused
	raw    bool // the refusal leaves the raw numbers to show
}

// data is what a choice rests on.
type data struct {
	facts    *source.Facts
	pace     pace
	seen     observed
	single   bool // rows could be one worker's
	workers  int
	replay   bool // the schedule could be replayed
	late     bool // it could have been, had that been asked for
	faster   bool // more rows than slots
	buckets  bool // a histogram: there are no rows
	finished bool // corrected already
	spared   bool // the corrected latencies of the run are in the file, and were not asked for
	coarse   bool // times don't put rows in order
	tooWide  bool // a histogram whose buckets are wider than the interval
}

// choose finds the method.
func choose(asked Method, force bool, d *data) choice {
	if asked == "" {
		asked = Auto
	}
	c := choice{method: asked}
	if d.finished {
		return c.finished(d)
	}
	does := d.does()
	switch asked {
	case None:
		return c
	case Auto:
		c.method = d.right(does)
	}
	if c.method == None {
		return c
	}
	if d.pace.interval == 0 {
		c.raw = true
		c.refuse = &Refused{NoInterval, "no interval: nothing tells how often a request was due, and for a test of concurrency alone no interval exists",
			"if the tool was given a rate, give --interval (of one worker) or --rate with --workers; if not, measure again at a rate: openload --rate RATE URL"}
		return c
	}
	c.refuse = d.against(c.method, does)
	switch {
	case c.refuse == nil:
	case c.refuse.Do == "": // force doesn't help
		c.raw, c.refuse.Do = true, d.instead()
	case force && !(c.method == Schedule && d.late): // what was not looked for can't be forced
		c.note("forced", "--force: %s", c.refuse.Why)
		c.refuse = nil
	case asked == Auto:
		c.raw = true
	}
	if c.refuse == nil {
		c.doubts(d, does)
	}
	return c
}

func (c *choice) note(code, format string, args ...any) {
	c.notes = append(c.notes, correct.Doubt{Code: code, Text: fmt.Sprintf(format, args...)})
}

// finished is the choice for what must not be corrected again.
func (c choice) finished(d *data) choice {
	if given := c.method != Auto && c.method != None || d.pace.interval > 0 && d.pace.given(); given && d.spared {
		c.refuse = &Refused{Corrected, "the file holds what the same requests took from their schedule, under the tag corrected: adding to the raw ones would count every stall twice",
			"leave out --tag, or give --tag corrected, and neither --interval, --rate nor --method"}
		return c
	}
	if c.method != Auto && c.method != None || d.pace.interval > 0 && d.pace.given() {
		c.refuse = &Refused{Corrected, "the latencies are corrected already, and a second correction would count every stall twice",
			"leave out --interval, --rate and --method to judge them as they are"}
		return c
	}
	c.method = None
	return c
}

// given reports whether the user gave the pace.
func (p *pace) given() bool { return len(p.source) > 2 && p.source[:2] == "--" }

// does is what the tool did, by the data where they tell, else by its format.
func (d *data) does() source.Pacing {
	switch {
	case d.seen.pacing == source.PacingUnknown:
		return d.facts.Pacing
	case d.seen.pacing == source.Closed && !d.faster && (d.facts.Pacing == source.CatchesUp || d.facts.Pacing == source.OpenModel && d.pace.interval > 0):
		return source.CatchesUp // behind its schedule all the time, it looks like a closed loop
	}
	return d.seen.pacing
}

// right is the method for a tool that does so.
func (d *data) right(does source.Pacing) Method {
	switch does {
	case source.OpenModel, source.Corrected:
		return None
	case source.CatchesUp:
		return Schedule
	}
	return Backfill
}

// against is what speaks against a method; nil if nothing does. Without a Do nothing
// can be done about it.
func (d *data) against(m Method, does source.Pacing) *Refused {
	why := d.seen.why
	if why == "" {
		why = d.facts.Tool + " works like that"
	}
	switch {
	case m == Backfill && does == source.CatchesUp:
		return &Refused{NoCorrection, "the tool caught up with what was due while it waited (" + why + "): backfill would count those requests twice",
			"use --method schedule, or --force if you know better"}
	case m == Backfill && does == source.OpenModel:
		return &Refused{NoCorrection, "the tool did not wait for answers (" + why + "): nothing is missing, and backfill would add what was sent",
			"use --method none, or --force if you know better"}
	case m == Backfill && d.tooWide:
		return &Refused{NoCorrection, "the histogram's bars are wider than the interval: what was left out can't be told from them",
			"use a file with one row a request, or --force for a rough guess"}
	case m == Schedule && d.late:
		return &Refused{NoCorrection, "the tool caught up with what was due while it waited (" + why + "), which " + d.facts.Tool + " is not known to do",
			"if it did, use --method schedule"}
	case m == Schedule && !d.replay:
		return &Refused{Code: NoCorrection, Why: d.noReplay()}
	case m == Schedule && does == source.Skips:
		return &Refused{NoCorrection, "the tool skipped what was due while it waited (" + why + "): it has no row for every slot to put back",
			"use --method backfill, or --force if you know better"}
	case m == Schedule && does == source.Closed:
		return &Refused{NoCorrection, "the tool kept no schedule (" + why + ") that could be put back",
			"use --method backfill, or --force if you know better"}
	case m == Queue && !d.single:
		return &Refused{Code: NoCorrection, Why: "the queue is a prediction for requests of one worker in their order, and these are of several, or without an order"}
	}
	return nil
}

// noReplay says why a schedule can't be replayed.
func (d *data) noReplay() string {
	switch {
	case d.buckets:
		return "the tool caught up with what was due while it waited, and a histogram has no order to put that back into"
	case d.facts.Stamp == source.NoStamp || d.facts.Order == source.ByLatency:
		return "the tool caught up with what was due while it waited, and its rows have no times to put them back to their places"
	}
	why := d.seen.why
	if why != "" {
		why = " (" + why + ")"
	}
	if d.coarse {
		return fmt.Sprintf("the tool caught up with what was due while it waited%s, and times in steps of %v don't put its rows back to their places", why, d.facts.StampStep)
	}
	return fmt.Sprintf("the tool caught up with what was due while it waited%s, each of %d workers by a schedule of its own, and rows don't name theirs", why, d.workers)
}

// instead is the way out where no method is right.
func (d *data) instead() string {
	switch {
	case d.buckets:
		return "use a file with one row a request"
	case d.facts.Stamp == source.NoStamp && d.facts.Tool == "ghz":
		return "use ghz's JSON (-O json), which has times; if it ran without --rps it kept no schedule, and --method backfill --force takes the interval for an assumption"
	case d.facts.Stamp == source.NoStamp:
		return "use a file of the tool's that has times, or measure with openload --rate"
	}
	return "run the tool with one worker, or measure with openload --rate"
}

// doubts are what the choice leaves open.
func (c *choice) doubts(d *data, does source.Pacing) {
	switch {
	case c.method == Backfill && (d.seen.pacing == source.Closed || does == source.Closed):
		c.note("assumed_interval", "the tool kept no schedule: the interval of %v is an assumption, and so is all that was added by it", d.pace.interval)
	case c.method == Backfill && does == source.PacingUnknown:
		c.note("untested", "nothing in the file tells whether the tool skips what was due while it waits; backfill is right only if it does")
	case d.seen.pacing != source.PacingUnknown && d.facts.Pacing != source.PacingUnknown && d.facts.Pacing != d.seen.pacing && d.facts.Pacing != source.Closed && d.seen.pacing != source.Closed:
		c.note("against_format", "%s usually %s, but here %s", d.facts.Tool, habits[d.facts.Pacing], d.seen.why)
	}
}

// habits are the pacings as verbs.
var habits = map[source.Pacing]string{
	source.Skips: "skips what it missed", source.CatchesUp: "catches up with what it missed", source.OpenModel: "does not wait for answers",
	source.Corrected: "corrects by itself",
}
