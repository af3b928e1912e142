package correct

import (
	"math/big"
	"time"
)

// A Phase is one part of what a user waited for an operation. Together they are
// Corrected, to the nanosecond.
type Phase uint8

// The phases, in the order in which they pass.
const (
	Before    Phase = iota // Intended to Due of the last attempt: the earlier ones, and their backoff
	Lagging                // Due to Dispatched: our own lateness
	Waiting                // Dispatched to Sent, without what follows
	Resolving              // the name of the target was looked up for it
	Connecting
	Securing // the TLS handshake
	Writing  // Sent until the last byte of the request was handed over
	Thinking // until the first byte of the response
	Reading  // until its last

	Phases // how many there are
)

var phaseNames = [Phases]string{
	Before: "earlier_attempts", Lagging: "lag", Waiting: "wait", Resolving: "dns", Connecting: "connect",
	Securing: "tls", Writing: "write", Thinking: "first_byte", Reading: "body",
}

// String is the phase's name in JSON.
func (p Phase) String() string { return phaseNames[p] }

// An Opening is how a connection was opened, in instants that do not decrease. What
// there was no need for takes no time.
type Opening struct {
	Began     time.Duration
	Resolved  time.Duration // the target's address was known
	Connected time.Duration
	Ready     time.Duration // the TLS handshake was over
}

// Phases is where Corrected went. A connection that was opened while the attempt
// waited counts for as long as it did: no attempt is tied to a dial, and one may have
// begun before.
func (s *Sample) Phases() (in [Phases]time.Duration) {
	in[Before], in[Lagging], in[Waiting] = s.Due-s.Intended, s.Lag(), s.Wait()
	if o := s.Opening; o != nil {
		at := max(s.Dispatched, o.Began)
		for i, end := range [...]time.Duration{o.Resolved, o.Connected, o.Ready} {
			if end = min(end, s.Sent); end > at {
				in[int(Resolving)+i] = end - at
				in[Waiting] -= end - at
				at = end
			}
		}
	}
	first := s.Raw()
	if s.First > 0 {
		first = min(s.First, first)
	}
	in[Writing] = min(s.Wrote, first)
	in[Thinking] = first - in[Writing]
	in[Reading] = s.Raw() - first
	return in
}

// phases adds up where the corrected time of successes went. Most have no part in
// most of them, and a first byte that came with the last: so a phase is recorded only
// where there is one, and the time to the first byte parts from Raw only once it differs.
type phases struct {
	n      uint64
	sums   [Phases]sum
	dists  [Phases]Dist // without the zeros; of Thinking once parted; never of Lagging
	parted bool
}

// parts reports whether the attempt is the first of which a time to the first byte
// differs from Raw. It must be asked before Raw is told.
func (p *phases) parts(x *Sample) bool {
	return !p.parted && x.Class == OK && (x.First > 0 || x.Wrote > 0)
}

func (p *phases) part(raw *Dist) {
	d := Unlimited(raw)
	d.failed = 0
	p.dists[Thinking], p.parted = d, true
}

// add takes an operation that succeeded.
func (p *phases) add(x *Sample) {
	p.n++
	for i, d := range x.Phases() {
		recorded := d > 0 && Phase(i) != Lagging
		if Phase(i) == Thinking {
			recorded = p.parted
		}
		if recorded {
			p.dists[i].Record(d)
		}
		if d > 0 {
			p.sums[i].plus(d)
		}
	}
}

// merge adds o. The readings are those from which each has not parted yet.
func (p *phases) merge(o *phases, raw, other *Dist) {
	if p.parted != o.parted {
		if !p.parted {
			p.part(raw)
		} else {
			c := o.clone()
			c.part(other)
			o = &c
		}
	}
	p.n += o.n
	for i := range p.sums {
		p.sums[i].merge(o.sums[i])
		p.dists[i].Merge(&o.dists[i])
	}
}

func (p *phases) clone() phases {
	c := *p
	for i := range c.dists {
		c.dists[i] = p.dists[i].Clone()
	}
	return c
}

// A PhaseTotal is one phase of all successes.
type PhaseTotal struct {
	Phase Phase
	Sum   *big.Int      // ns; those of all phases add up to the sum of CorrectedOK
	Mean  time.Duration // to the nearest nanosecond
	Dist  *Dist         // of each success's share in it; of Lagging, nil: the set Lag has it of attempts
}

// Phases is where the corrected time of the successes went, phase by phase; nil in a
// closed loop, which has none, of samples that come from a file, and without a success.
func (s *Snapshot) Phases() (all []PhaseTotal) {
	n := s.phases.n
	if n == 0 || n != s.Counts.OK {
		return nil
	}
	for i := range Phases {
		t := PhaseTotal{Phase: i, Sum: s.phases.sums[i].big(), Mean: s.phases.sums[i].over(n)}
		if i != Lagging {
			d := s.phases.dists[i].Clone()
			if i == Thinking && !s.phases.parted {
				d = s.dists[Raw].Clone()
				d.failed = 0
			}
			d.RecordN(0, n-d.N())
			t.Dist = &d
		}
		all = append(all, t)
	}
	return all
}
