package live

import (
	"openload/correct"
	"openload/transport"
)

// Counters tell what happened to the connections.
type Counters struct {
	Opened     int       // connections established
	Peak       int       // most of them at once
	Held       bool      // a shot waited although more could have been opened
	CapReached bool      // a shot waited when no more could be opened
	Failures   []Failure // what the classes leave open, by text; the first few that came up
}

// A Failure is one way in which attempts or dials failed.
type Failure struct {
	Class correct.Class
	Text  string // without addresses or ports
	Count int
}

// maxFailures bounds the texts that are kept: a report shows a few.
const maxFailures = 32

func (c *Counters) count(o transport.Outcome) {
	if o.Detail == "" {
		return
	}
	for i := range c.Failures {
		if f := &c.Failures[i]; f.Class == o.Class && f.Text == o.Detail {
			f.Count++
			return
		}
	}
	if len(c.Failures) < maxFailures {
		c.Failures = append(c.Failures, Failure{o.Class, o.Detail, 1})
	}
}
