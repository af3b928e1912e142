package correct

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Kept distribution is what a Dist leaves in a file: all that it counts with.
type Kept struct {
	N, Failed    uint64
	Min, Slowest time.Duration // of the durations
	Sum          *big.Int      // of the durations, in ns; nil: unknown, and so is the mean
	Histogram    string        // as Encoded writes it
	Over         []Over        // by limit
}

// Over is an exact count: N values, failures included, reach Limit.
type Over struct {
	Limit time.Duration
	N     uint64
}

// Keep is what d leaves in a file.
func (d *Dist) Keep() Kept {
	k := Kept{N: d.N(), Failed: d.failed, Min: d.min, Slowest: d.max, Sum: d.sum.big(), Histogram: d.Encoded()}
	for i, limit := range d.limits {
		k.Over = append(k.Over, Over{limit, d.over[i] + d.failed})
	}
	return k
}

// Dist is what k was kept of. The error says what cannot have been.
func (k *Kept) Dist() (Dist, error) {
	d := Dist{values: k.N - k.Failed, failed: k.Failed, min: k.Min, max: k.Slowest}
	switch {
	case k.Failed > k.N:
		return Dist{}, fmt.Errorf("%d of %d values failed", k.Failed, k.N)
	case k.Min < 0 || k.Min > k.Slowest:
		return Dist{}, fmt.Errorf("the least value is %s, the greatest %s", k.Min, k.Slowest)
	}
	if k.Sum != nil && !d.sum.set(k.Sum) {
		return Dist{}, fmt.Errorf("the values add up to %s ns", k.Sum)
	}
	if k.Histogram != "" {
		h, err := hdrhistogram.Decode([]byte(k.Histogram))
		if err != nil {
			return Dist{}, fmt.Errorf("histogram: %w", err)
		}
		if h.LowestTrackableValue() != 1 || h.HighestTrackableValue() != int64(Longest) || h.SignificantFigures() != 3 {
			return Dist{}, errors.New("histogram: its buckets are not those of openload")
		}
		for _, bar := range h.Distribution() {
			if bar.Count > 0 {
				d.keep(time.Duration(bar.From), uint64(bar.Count))
			}
		}
	}
	if kept := d.kept(); kept > d.values || kept < d.values && d.max <= Longest {
		return Dist{}, fmt.Errorf("the histogram holds %d of %d values", kept, d.values)
	}
	least := uint64(0)
	for _, o := range slices.Backward(k.Over) {
		if o.N < max(least, k.Failed) || o.N > k.N {
			return Dist{}, fmt.Errorf("%d of %d values reach %s", o.N, k.N, o.Limit)
		}
		least = o.N
	}
	for i, o := range k.Over {
		if i > 0 && o.Limit <= k.Over[i-1].Limit {
			return Dist{}, fmt.Errorf("the limit %s comes after %s", o.Limit, k.Over[i-1].Limit)
		}
		d.limits, d.over = append(d.limits, o.Limit), append(d.over, o.N-k.Failed)
	}
	return d, nil
}

// kept is how many values the histogram holds.
func (d *Dist) kept() uint64 {
	if d.bins == nil {
		return 0
	}
	return d.bins.n
}

func (s *sum) set(v *big.Int) bool {
	if v.Sign() < 0 || v.BitLen() > 128 {
		return false
	}
	s.lo = new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1)).Uint64()
	s.hi = new(big.Int).Rsh(v, 64).Uint64()
	return true
}

// Saved is a snapshot as a file keeps it: what the verdict rests on. Series, peaks and
// phases are not in it.
type Saved struct {
	Counts                          Counts
	FirstIntended, LastIntended     time.Duration
	FirstDispatched, LastDispatched time.Duration
	LastDone                        time.Duration
	MaxLate                         time.Duration
	Closed                          bool
	Dists                           [Sets]*Dist // nil: there is no such reading
	Episodes                        []Episode
	Parts                           []Part
}

// Snapshot can be judged, and has no more to it than s.
func (s *Saved) Snapshot() *Snapshot {
	return &Snapshot{
		Counts:        s.Counts.clone(),
		FirstIntended: s.FirstIntended, LastIntended: s.LastIntended,
		FirstDispatched: s.FirstDispatched, LastDispatched: s.LastDispatched,
		LastDone: s.LastDone, MaxLate: s.MaxLate,
		closed: s.Closed, saved: &s.Dists, Episodes: s.Episodes, Parts: s.Parts,
	}
}

// Only is d with exact counts for these limits alone, as far as it has them. Then it
// merges with others of which as much is known.
func (d *Dist) Only(limits []time.Duration) Dist {
	c := d.Clone()
	c.limits, c.over = nil, nil
	for _, limit := range limits {
		if i, ok := slices.BinarySearch(d.limits, limit); ok {
			c.limits, c.over = append(c.limits, limit), append(c.over, d.over[i])
		}
	}
	return c
}

// Limits are those that d counts exactly.
func (d *Dist) Limits() []time.Duration { return slices.Clone(d.limits) }
