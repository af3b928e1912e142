package retry

import "time"

// parts is how many slices a window has, as in Finagle's WindowedAdder.
const parts = 10

// A window adds up two numbers over the recent past. What was added leaves with its
// slice, a tenth of the window; so it counts for between nine and ten tenths of it.
type window struct {
	width  time.Duration // of a slice
	latest int64         // the number of the newest slice
	a, b   [parts]int64
}

func newWindow(length time.Duration) window {
	return window{width: max(1, length/parts)}
}

// at moves the window to the instant now and returns its newest slice. Time that
// goes backwards, as between an answer's end and its reading, stands still.
func (w *window) at(now time.Duration) (i int64) {
	latest := max(w.latest, int64(now/w.width))
	for k := max(w.latest+1, latest-parts+1); k <= latest; k++ {
		w.a[k%parts], w.b[k%parts] = 0, 0
	}
	w.latest = latest
	return latest % parts
}

// sums are the totals at the instant to which the window was moved last.
func (w *window) sums() (a, b int64) {
	for i := range parts {
		a += w.a[i]
		b += w.b[i]
	}
	return a, b
}

func (w *window) clear() { w.a, w.b = [parts]int64{}, [parts]int64{} }
