package correct

import "time"

// A block holds operations that succeeded at their first attempt, as nearly all of a
// healthy run do, until there are some dozens for the distributions to be told of, one
// distribution after another. Told one by one, between system calls that leave nothing
// of ours in the caches, each would cost several times as much.
type block struct {
	n        int
	intended [blockSize]time.Duration
	sent     [blockSize]time.Duration

	lag, wait, raw, corrected, lessLag, lessWait [blockSize]time.Duration
}

const blockSize = 64

// usual reports whether a block may take x.
func (r *Recorder) usual(x *Sample) bool {
	return x.Class == OK && x.Attempt == 1 && x.Final && x.Fired && x.Written && x.Resent == 0 && !x.Earlier &&
		x.Due == x.Intended && x.Opening == nil && x.First == 0 && x.Wrote == 0 && 0 < x.Status && x.Status < len(r.statuses)
}

// hold puts x, which is usual, into the block. It is to a Recorder what attempt and
// operation are.
func (r *Recorder) hold(x *Sample) {
	s, b := &r.snap, &r.block
	i := b.n % blockSize
	lag, wait, raw, corrected := x.Lag(), x.Wait(), x.Raw(), x.Corrected()
	b.intended[i], b.sent[i] = x.Intended, x.Sent
	b.lag[i], b.wait[i], b.raw[i], b.corrected[i] = lag, wait, raw, corrected
	b.lessLag[i], b.lessWait[i] = x.LessLag(), x.LessWait()
	r.statuses[x.Status]++
	s.LastDone = max(s.LastDone, x.Done)
	s.MaxLate = max(s.MaxLate, x.Late)
	r.closedLoop(x)
	if b.n++; b.n == blockSize {
		r.fold()
	}
}

// fold tells of what the block holds.
func (r *Recorder) fold() {
	s, b := &r.snap, &r.block
	k := b.n
	if k == 0 {
		return
	}
	b.n = 0
	n, c := uint64(k), &s.Counts
	c.Attempts += n
	c.AttemptsSent += n
	c.ByClass[OK] += n
	c.Fired += n
	c.Sent += n
	c.OK += n
	c.FirstTry += n
	c.made(1, n)
	if !r.opt.Again {
		for _, at := range b.sent[:k] {
			s.arrivals.all.Add(at)
		}
	}
	lag, wait, raw := s.dists[Lag].recordAll(b.lag[:k]), s.dists[Wait].recordAll(b.wait[:k]), s.dists[Raw].recordAll(b.raw[:k])
	if s.closed {
		return
	}
	s.dists[Corrected].recordAll(b.corrected[:k])
	s.dists[LessLag].recordAll(b.lessLag[:k])
	s.dists[LessWait].recordAll(b.lessWait[:k])
	if r.opt.Again {
		return
	}
	s.series.settleAll(b.intended[:k], b.wait[:k], b.raw[:k], b.corrected[:k])
	p := &s.phases
	p.n += n
	p.sums[Lagging].merge(lag)
	p.sums[Waiting].merge(wait)
	p.sums[Thinking].merge(raw)
	p.dists[Waiting].recordAll(positive(b.wait[:k]))
	if p.parted {
		p.dists[Thinking].recordAll(b.raw[:k])
	}
}

// positive moves what is over 0 to the front.
func positive(all []time.Duration) []time.Duration {
	k := 0
	for _, v := range all {
		all[k] = v
		if v > 0 {
			k++
		}
	}
	return all[:k]
}
