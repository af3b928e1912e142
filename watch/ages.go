package watch

import "time"

// Ages are kept in windows of time, at most this many; they widen if the oldest has
// waited for longer than they reach.
const (
	windows    = 512
	leastShift = 20 // the least width is 1.05 ms: a power of two is divided by in no time
)

// ages are the instants since when things wait that have not ended yet. It takes the
// same room for a million of them as for one.
type ages struct {
	n      uint64
	shift  uint  // a window is 1<<shift ns wide
	lo, hi int64 // the windows in use, if n > 0
	at     [windows]window
}

// A window is how many wait since an instant in it, and the sum of the instants.
type window struct {
	n   uint64
	sum time.Duration // from the window's start
}

func (a *ages) cell(i int64) *window { return &a.at[i&(windows-1)] }

// within is where in its window t lies.
func (a *ages) within(t time.Duration) time.Duration { return t & (1<<a.shift - 1) }

func (a *ages) add(t time.Duration) {
	if a.n == 0 {
		a.shift = leastShift
		a.lo = int64(t >> a.shift)
		a.hi = a.lo
	}
	for {
		i := int64(t >> a.shift)
		lo, hi := min(a.lo, i), max(a.hi, i)
		if hi-lo < windows {
			a.lo, a.hi = lo, hi
			break
		}
		for a.lo < a.hi && a.cell(a.lo).n == 0 {
			a.lo++
		}
		if hi-min(a.lo, i) >= windows {
			a.widen()
		}
	}
	a.n++
	w := a.cell(int64(t >> a.shift))
	w.n++
	w.sum += a.within(t)
}

// remove takes out what was added with t.
func (a *ages) remove(t time.Duration) {
	if a.n == 0 {
		return
	}
	w := a.cell(int64(t >> a.shift))
	a.n--
	w.n--
	w.sum -= a.within(t)
	if w.n == 0 {
		w.sum = 0
	}
}

// widen joins the windows two by two.
func (a *ages) widen() {
	old := *a
	a.shift++
	a.lo, a.hi = old.lo>>1, old.hi>>1
	a.at = [windows]window{}
	for i := old.lo; i <= old.hi; i++ {
		from, to := old.cell(i), a.cell(i>>1)
		to.n += from.n
		to.sum += from.sum + time.Duration(from.n)*time.Duration(i&1)<<old.shift
	}
}

func (a *ages) copyTo(dst *ages) {
	dst.n, dst.shift, dst.lo, dst.hi = a.n, a.shift, a.lo, a.hi
	if a.n == 0 {
		return
	}
	for i := a.lo; i <= a.hi; i++ {
		*dst.cell(i) = *a.cell(i)
	}
}

// An age is how many wait since about the same time, and for how long now.
type age struct {
	n uint64
	d time.Duration
}

// youngestFirst lists who waits.
func (a *ages) youngestFirst(now time.Duration) (list []age) {
	if a.n == 0 {
		return nil
	}
	for i := a.hi; i >= a.lo; i-- {
		if w := a.cell(i); w.n > 0 {
			since := time.Duration(i)<<a.shift + w.sum/time.Duration(w.n)
			list = append(list, age{w.n, max(0, now-since)})
		}
	}
	return list
}

// atLeast is how many have surely waited for d or longer.
func (a *ages) atLeast(d, now time.Duration) (n uint64) {
	if a.n == 0 {
		return 0
	}
	for i := a.lo; i <= a.hi; i++ {
		w := a.cell(i)
		switch start := time.Duration(i) << a.shift; {
		case w.n == 0:
		case w.n == 1 && now-start-w.sum >= d, now-start-time.Duration(1)<<a.shift >= d:
			n += w.n
		}
	}
	return n
}

// total is how long all have waited together.
func (a *ages) total(now time.Duration) (sum time.Duration) {
	for _, x := range a.youngestFirst(now) {
		sum += time.Duration(x.n) * x.d
	}
	return sum
}
