package run

import (
	"math/rand/v2"

	"openload/engine"
	"openload/plan"
	"openload/report"
	"openload/retry"
)

// retries returns what applies the plan's policy; nil if there is none.
func retries(p *plan.Plan) *retrier {
	if p.Retry.Attempts() < 2 {
		return nil
	}
	return &retrier{retry.New(p.Retry, retry.Options{
		Chance:   func(seq uint64) *rand.Rand { return p.Seed.At("retry", seq) },
		MethodOf: p.Method, Key: p.HasKey, Deadline: p.Deadline,
	})}
}

// A retrier is a policy at work. Nil is none.
type retrier struct{ *retry.Retrier }

func (r *retrier) hook() engine.Retry {
	if r == nil {
		return nil // and not an interface that holds a nil
	}
	return r.Retrier
}

func (r *retrier) counts() report.Refused {
	if r == nil {
		return report.Refused{}
	}
	c := r.Counts()
	return report.Refused{Denied: c.Denied, Blocked: c.Blocked, Unsafe: c.Unsafe, Opened: c.Opened}
}
