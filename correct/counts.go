package correct

import (
	"maps"
	"slices"
)

// Counts is the balance of a run. It adds up: Scheduled = Fired + Dropped, and
// Fired is the sum of the classes other than Dropped, each operation counted once
// under the class of its last attempt. ByAttempts adds up to Scheduled.
type Counts struct {
	Scheduled uint64 // operations due before the end
	Fired     uint64 // operations that were tried
	Dropped   uint64 // operations that found the backlog full
	Sent      uint64 // operations of which a byte went on the wire
	OK        uint64

	ByClass [classes]uint64

	Attempts     uint64 // tries, the first included
	AttemptsSent uint64 // of them, those that put a byte on the wire: with Resent, what the server saw
	Cut          uint64 // attempts that ran into the timeout
	Resent       uint64 // requests that a transport repeated by itself

	ByAttempts []uint64 // operations by how many attempts were made at them, from none on
	FailedBy   []uint64 // those of them that failed
	FirstTry   uint64   // operations that succeeded at their first attempt
	Queries    uint64   // of the attempts, those that only asked what became of an operation
	Resolved   uint64   // operations of which the answer was that they had been done
	Unknown    uint64   // failed operations that may have had their effect all the same

	Status map[int]uint64 // complete responses by HTTP status, of all attempts
}

func (c *Counts) status(code int, n uint64) {
	if c.Status == nil {
		c.Status = map[int]uint64{}
	}
	c.Status[code] += n
}

// made notes n operations that settled after so many attempts, and failed those of them
// that failed.
func (c *Counts) made(attempts int, n uint64) { c.ByAttempts = plus(c.ByAttempts, attempts, n) }

func (c *Counts) failed(attempts int) { c.FailedBy = plus(c.FailedBy, attempts, 1) }

func plus(all []uint64, i int, n uint64) []uint64 {
	for len(all) <= i {
		all = append(all, 0)
	}
	all[i] += n
	return all
}

// Repeated is the number of attempts after an operation's first.
func (c *Counts) Repeated() (n uint64) {
	for made, operations := range c.ByAttempts {
		n += uint64(max(0, made-1)) * operations
	}
	return n
}

// FailedBefore is the number of operations that failed after fewer attempts than those.
func (c *Counts) FailedBefore(attempts int) (n uint64) {
	for _, operations := range c.FailedBy[:min(attempts, len(c.FailedBy))] {
		n += operations
	}
	return n
}

// Of is the number of operations that ended in class k.
func (c *Counts) Of(k Class) uint64 { return c.ByClass[k] }

// TimedOut is the number of operations that ran out of time.
func (c *Counts) TimedOut() uint64 { return c.sum(Class.TimedOut) }

// Errors is the number of operations that ended in an error other than a time-out.
func (c *Counts) Errors() uint64 { return c.sum(Class.Error) }

// Failed is the number of scheduled operations that did not succeed.
func (c *Counts) Failed() uint64 { return c.Scheduled - c.OK }

func (c *Counts) sum(of func(Class) bool) (n uint64) {
	for k, m := range c.ByClass {
		if of(Class(k)) {
			n += m
		}
	}
	return n
}

func (c *Counts) merge(o *Counts) {
	c.Scheduled += o.Scheduled
	c.Fired += o.Fired
	c.Dropped += o.Dropped
	c.Sent += o.Sent
	c.OK += o.OK
	c.Attempts += o.Attempts
	c.AttemptsSent += o.AttemptsSent
	c.Cut += o.Cut
	c.Resent += o.Resent
	c.FirstTry += o.FirstTry
	c.Queries += o.Queries
	c.Resolved += o.Resolved
	c.Unknown += o.Unknown
	for i, n := range o.ByAttempts {
		c.ByAttempts = plus(c.ByAttempts, i, n)
	}
	for i, n := range o.FailedBy {
		c.FailedBy = plus(c.FailedBy, i, n)
	}
	for k, n := range o.ByClass {
		c.ByClass[k] += n
	}
	for code, n := range o.Status {
		c.status(code, n)
	}
}

func (c Counts) clone() Counts {
	c.Status = maps.Clone(c.Status)
	c.ByAttempts, c.FailedBy = slices.Clone(c.ByAttempts), slices.Clone(c.FailedBy)
	return c
}
