package schedule

import "time"

// An Arrival is one intended send.
type Arrival struct {
	Seq uint64        // place in the whole run's schedule, from 0
	At  time.Duration // offset from the run's epoch
}

// A Schedule yields arrivals in order: At never decreases, Seq always grows.
type Schedule interface {
	Next() (Arrival, bool)
}
