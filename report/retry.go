package report

import (
	"openload/correct"
	"openload/plan"
)

// Retries is what attempts after the first came to; null for a run without a policy.
type Retries struct {
	Policy               string   `json:"policy"`
	AttemptsPerOperation *float64 `json:"attempts_per_operation"` // the amplification of the load
	OperationsByAttempts []uint64 `json:"operations_by_attempts"` // from those with none on
	OperationSuccess     *float64 `json:"operation_success"`      // share of the operations tried
	AttemptSuccess       *float64 `json:"attempt_success"`        // share of the attempts
	FirstTry             uint64   `json:"succeeded_at_first_try"` // operations
	Useful               uint64   `json:"useful"`                 // operations that succeeded by their deadline
	Wasted               uint64   `json:"wasted_attempts"`        // attempts that were not an operation's success
	Queries              uint64   `json:"queries"`                // attempts that only asked what became of an operation
	Resolved             uint64   `json:"resolved_by_query"`      // operations of which the answer was that they had been done
	Denied               uint64   `json:"denied_by_budget"`       // retries
	Blocked              uint64   `json:"blocked_by_breaker"`     // attempts
	Unsafe               uint64   `json:"unsafe"`                 // retries that might have done an operation twice
	Opened               uint64   `json:"breaker_opened"`         // times
}

// Refused is what a policy's budget and breaker did not let happen.
type Refused struct {
	Denied, Blocked, Unsafe, Opened uint64
}

func retriesOf(p *plan.Plan, s *correct.Snapshot, refused Refused) *Retries {
	if p.Retry.Attempts() < 2 {
		return nil
	}
	c := &s.Counts
	r := &Retries{
		Policy: plan.ShownRetry(p.Retry.String()), OperationsByAttempts: append([]uint64{}, c.ByAttempts...),
		FirstTry: c.FirstTry, Useful: c.OK, Wasted: c.Attempts - c.OK, Queries: c.Queries, Resolved: c.Resolved,
		Denied: refused.Denied, Blocked: refused.Blocked, Unsafe: refused.Unsafe, Opened: refused.Opened,
	}
	r.AttemptsPerOperation = ratio(c.Attempts, c.Fired)
	r.OperationSuccess = ratio(c.OK, c.Fired)
	r.AttemptSuccess = ratio(c.OK, c.Attempts)
	return r
}

// ratio is a/b; nil if there is no b.
func ratio(a, b uint64) *float64 {
	if b == 0 {
		return nil
	}
	v := float64(a) / float64(b)
	return &v
}
