package retry

import (
	"math/rand/v2"
	"time"
)

// A jitter spreads a window w.
type jitter uint8

const (
	none jitter = iota
	full
	equal
	centred
	proportional
	wide
)

var jitterNames = []string{none: "none", full: "full", equal: "equal", centred: "centred", proportional: "proportional", wide: "wide"}

// spread is the range of the delay in the window w: uniform from least to
// least + width. Full and centred are as wide as each other, and so are the peaks
// after them; they differ in the mean alone.
//
//	none          {w}             mean w      variance 0
//	full          [0, w]          mean w/2    variance w²/12
//	equal         [w/2, w]        mean 3w/4   variance w²/48
//	centred       [w/2, 3w/2]     mean w      variance w²/12
//	proportional  [0.8w, 1.2w]    mean w      variance w²/75
//	wide          [0, 2w]         mean w      variance w²/3
//
// Sources: Brooker, Exponential Backoff and Jitter (AWS, 2015) for full and equal;
// gRPC proposal A6 for proportional.
func (j jitter) spread(w time.Duration) (least, width time.Duration) {
	switch j {
	case full:
		return 0, w
	case equal:
		return w - w/2, w / 2
	case centred:
		return w / 2, w
	case proportional:
		return w - w/5, 2 * (w / 5)
	case wide:
		return 0, 2 * w
	}
	return w, 0
}

// draw is uniform from least to least + width. Without a width it draws nothing.
func draw(r *rand.Rand, least, width time.Duration) time.Duration {
	if width == 0 {
		return least
	}
	return least + time.Duration(r.Int64N(int64(width)+1))
}
