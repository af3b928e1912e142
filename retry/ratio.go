package retry

import "time"

const (
	// token is what one retry costs. Everything is counted in thousandths of it.
	token = 1000

	// ratioWindow is how long a deposit can be spent, and for how long a retry
	// is missing from the reserve. Source: Finagle's RetryBudget, ttl.
	ratioWindow = 10 * time.Second
)

// An allowance is what a ratio budget grants; the zero value is no budget at all.
type allowance struct {
	deposit int64 // thousandths of a retry for each original
	reserve int64 // thousandths of a retry in each window, whatever the originals
}

// A ratio is a budget of retries as a share of the originals, the first attempts of
// operations, with a reserve. Within a window of ten seconds no more retries are
// granted than the reserve and the window's deposits pay for. Deposits and retries
// both leave the window as time goes by, so the reserve comes back without any
// success. A nil ratio grants everything.
//
// Retries make no deposit: a budget counted on all traffic lets 20 % become
// 1/(1−0.2), 25 % of the originals.
//
// Source: Finagle's RetryBudget, with tokens that make 20 % exactly 200.
type ratio struct {
	allowance
	recent window // a: deposited, b: spent
}

func newRatio(a allowance) *ratio {
	if a == (allowance{}) {
		return nil
	}
	return &ratio{allowance: a, recent: newWindow(ratioWindow)}
}

// original deposits for an operation that starts.
func (r *ratio) original(now time.Duration) {
	if r != nil {
		r.recent.a[r.recent.at(now)] += r.deposit
	}
}

// withdraw pays for a retry, or says that there is not enough to.
func (r *ratio) withdraw(now time.Duration) bool {
	if r == nil {
		return true
	}
	i := r.recent.at(now)
	if r.balance() < token {
		return false
	}
	r.recent.b[i] += token
	return true
}

// refund takes back a retry that was paid for and not made. Which one is not known,
// so it is the oldest that still counts: the one whose end is nearest, anyway.
func (r *ratio) refund(now time.Duration) {
	if r == nil {
		return
	}
	newest := r.recent.at(now)
	for k := int64(1); k <= parts; k++ {
		if i := (newest + k) % parts; r.recent.b[i] > 0 {
			r.recent.b[i] -= token
			return
		}
	}
}

// balance is what can be spent, in thousandths of a retry. It is less than nothing
// when deposits have left the window before the retries that they paid for.
func (r *ratio) balance() int64 {
	deposited, spent := r.recent.sums()
	return r.reserve + deposited - spent
}
