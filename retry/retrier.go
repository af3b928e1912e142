package retry

import (
	"math/rand/v2"
	"time"

	"openload/correct"
)

// Options are what a Retrier must know of the run beside its Policy.
type Options struct {
	// Chance returns the stream of an operation from its beginning, the same
	// whenever it is asked for. It may be nil if the policy draws nothing.
	Chance func(seq uint64) *rand.Rand

	Method   string                  // of the requests, as sent
	MethodOf func(seq uint64) string // of an operation's, if they differ; Method is not read then
	Key      bool                    // each operation carries an idempotency key of its own
	Deadline time.Duration           // of each operation, from Intended, as the engine's; 0: none
}

// Counts is what a Retrier refused.
type Counts struct {
	Denied  uint64 // retries for which the budget had nothing left
	Blocked uint64 // attempts that the breaker did not let through
	Unsafe  uint64 // retries that might have done an operation twice
	Opened  uint64 // times that the breaker opened
}

// Add adds another shard's counts.
func (c *Counts) Add(o Counts) {
	c.Denied += o.Denied
	c.Blocked += o.Blocked
	c.Unsafe += o.Unsafe
	c.Opened += o.Opened
}

// A Retrier applies a Policy to a run. Start and After are called by the engine, in
// order of time, by one goroutine.
type Retrier struct {
	policy Policy
	opt    Options
	counts Counts

	ratio    *ratio
	throttle *throttle
	breaker  *breaker
}

// New returns the Retrier of p, with full budgets and a closed breaker. It panics if
// p needs chance and there is none.
func New(p Policy, opt Options) *Retrier {
	if opt.Chance == nil && p.backoff.random() {
		panic("retry: a policy with jitter needs a source of chance")
	}
	return &Retrier{policy: p, opt: opt, ratio: newRatio(p.ratio), throttle: newThrottle(p.throttle), breaker: newBreaker(p.fuse)}
}

// Counts is what was refused so far.
func (r *Retrier) Counts() Counts {
	c := r.counts
	if r.breaker != nil {
		c.Opened = r.breaker.opened
	}
	return c
}

// Start is asked about every attempt when its time has come; attempt is 1 for the
// first. If it says no, the breaker is open: the attempt is not made, and the
// operation has failed.
func (r *Retrier) Start(attempt int, now time.Duration) bool {
	if !r.breaker.lets(now) {
		r.counts.Blocked++
		if attempt > 1 {
			r.ratio.refund(now)
		}
		return false
	}
	if attempt == 1 {
		r.ratio.original(now)
	}
	return true
}

// After is told of every attempt that Start let through, successes as well, when it
// has ended. It says whether the operation is tried again, and after what pause from
// x.Done; if so, its budget is spent.
func (r *Retrier) After(x correct.Sample) (delay time.Duration, again bool) {
	return r.after(x, x.RetryAfter)
}

// after is After for a response that asked for a pause before the next attempt.
func (r *Retrier) after(x correct.Sample, asked time.Duration) (delay time.Duration, again bool) {
	wanted := r.policy.on.has(x) || x.Query && x.Status == notDone
	r.breaker.ended(r.result(x, wanted), x.Dispatched, x.Done)
	if x.Class == correct.OK {
		r.throttle.success()
		return 0, false
	}
	if !wanted {
		return 0, false
	}
	r.throttle.failure() // whether or not an attempt is left, as in gRPC
	if x.Attempt >= r.policy.Attempts() {
		return 0, false
	}
	if !r.mayRepeat(x) {
		r.counts.Unsafe++
		return 0, false
	}
	delay = r.delay(x, asked)
	return delay, r.inTime(x, delay) && r.afford(x.Done, x.Done+delay)
}

// Asks reports whether the attempt that follows x only asks what became of the operation.
func (r *Retrier) Asks(x correct.Sample) bool {
	return r.policy.query != "" && Unknown(r.method(x.Seq), x)
}

// result is how x counts for the breaker. An answer that is not to be retried, such
// as 404, shows a server that works.
func (r *Retrier) result(x correct.Sample, wanted bool) result {
	switch {
	case !x.Fired, x.Class.Ours(), x.Class == correct.Unfinished:
		return neither
	case wanted, x.Class == correct.Deadline:
		return failure
	case x.Class == correct.OK, x.Class == correct.BadStatus:
		return success
	}
	return neither
}

// mayRepeat reports whether sending the operation again cannot do it twice.
func (r *Retrier) mayRepeat(x correct.Sample) bool {
	return r.policy.reckless || r.opt.Key || Idempotent(r.method(x.Seq)) || !written(x)
}

func (r *Retrier) method(seq uint64) string {
	if r.opt.MethodOf != nil {
		return r.opt.MethodOf(seq)
	}
	return r.opt.Method
}

// delay is the pause after x. If the response asked for more than the backoff's
// least, the whole range of the backoff moves up until it begins there: nobody comes
// too early, and those who were asked alike do not all come at once.
func (r *Retrier) delay(x correct.Sample, asked time.Duration) time.Duration {
	var chance *rand.Rand
	if r.policy.backoff.random() {
		chance = r.opt.Chance(x.Seq)
	}
	delay, least := r.policy.backoff.delay(chance, x.Attempt-1)
	if r.policy.deaf {
		return delay
	}
	return delay + max(0, asked-least)
}

// inTime reports whether the next attempt would start before the deadline.
func (r *Retrier) inTime(x correct.Sample, delay time.Duration) bool {
	return r.opt.Deadline == 0 || x.Done+delay < x.Intended+r.opt.Deadline
}

// afford pays for a retry that is decided now and made at due. What the breaker is
// sure to block then is not paid for.
func (r *Retrier) afford(now, due time.Duration) bool {
	if r.breaker.blocks(due) {
		r.counts.Blocked++
		return false
	}
	if !r.throttle.allows() || !r.ratio.withdraw(now) {
		r.counts.Denied++
		return false
	}
	return true
}
