package retry

import "math"

// Totals are the three numbers that are known of most services' calls, and what
// follows from them alone. Without operations nothing does, and ok is false.
type Totals struct {
	Operations uint64
	Attempts   uint64
	Failed     uint64 // operations
}

// Average is the attempts for each operation, the amplification of the load.
func (t Totals) Average() (attempts float64, ok bool) { return over(t.Attempts, t.Operations) }

// OperationSuccess is the share of the operations that succeeded in the end.
func (t Totals) OperationSuccess() (share float64, ok bool) {
	return over(t.Operations-t.Failed, t.Operations)
}

// AttemptSuccess is the share of the attempts that succeeded.
func (t Totals) AttemptSuccess() (share float64, ok bool) {
	return over(t.Operations-t.Failed, t.Attempts)
}

func over(a, b uint64) (float64, bool) { return float64(a) / float64(max(1, b)), b > 0 }

// FirstTry bounds the operations that succeeded at their first attempt, given that
// those which failed made all of their attempts. ok is false if no run of at most so
// many attempts has these totals.
func (t Totals) FirstTry(attempts uint64) (least, most uint64, ok bool) {
	good, extra, ok := t.extra(attempts)
	if !ok || attempts == 1 {
		return good, good, ok
	}
	// Fewest when each extra attempt is another operation's, most when few
	// operations made as many as they could.
	return good - min(good, extra), good - (extra+attempts-2)/(attempts-1), true
}

// LastTry bounds the operations that succeeded at their last attempt in the same way.
func (t Totals) LastTry(attempts uint64) (least, most uint64, ok bool) {
	good, extra, ok := t.extra(attempts)
	if !ok || attempts == 1 {
		return good, good, ok
	}
	before := (attempts - 2) * good // extra attempts that need no last one
	return extra - min(extra, before), extra / (attempts - 1), true
}

// extra is the operations that succeeded, and their attempts after the first.
func (t Totals) extra(attempts uint64) (good, extra uint64, ok bool) {
	if attempts == 0 || t.Failed > t.Operations {
		return 0, 0, false
	}
	good = t.Operations - t.Failed
	used := attempts*t.Failed + good
	if t.Attempts < used || t.Attempts-used > (attempts-1)*good {
		return 0, 0, false
	}
	return good, t.Attempts - used, true
}

// Independent is the number of operations that would have failed if every attempt
// failed with the same probability whatever the ones before it did. Many more than
// did fail means that later attempts succeed more often: such as when they find the
// work done that an abandoned attempt began. ok is false if the average is no number
// of attempts from 1 to the given one.
func (t Totals) Independent(attempts int) (failed float64, ok bool) {
	average, ok := t.Average()
	if !ok || average < 1 || average > float64(attempts) {
		return 0, false
	}
	low, high := 0.0, 1.0
	for range 64 { // halves the interval to less than a float can tell
		if mid := (low + high) / 2; Expected(mid, attempts) < average {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Pow(high, float64(attempts)) * float64(t.Operations), true
}

// Expected is the mean number of attempts at an operation, at most so many, of which
// each fails with the probability given: 1 + f + f² + …
func Expected(failure float64, attempts int) (mean float64) {
	for range attempts {
		mean = 1 + failure*mean
	}
	return mean
}
