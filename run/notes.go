package run

import (
	"fmt"
	"time"

	"openload/correct"
	"openload/plan"
	"openload/retry"
)

// notes are what a reader of a run's numbers should know of its attempts.
func notes(p *plan.Plan, s *correct.Snapshot) (all []correct.Doubt) {
	if p.Target.Insecure {
		all = append(all, correct.Doubt{Code: "insecure", Text: "-k: TLS certificates were NOT VERIFIED; whoever answered may not be the target"})
	}
	if code, text := hidden(p, s); text != "" {
		all = append(all, correct.Doubt{Code: code, Text: text})
	}
	if text := dependent(p, s); text != "" {
		all = append(all, correct.Doubt{Code: "attempts_not_independent", Text: text})
	}
	if text := short(p, s); text != "" {
		all = append(all, correct.Doubt{Code: "timeout_too_short", Text: text})
	}
	return all
}

// held says that the recording held up the sending.
func held(times uint64) []correct.Doubt {
	if times == 0 {
		return nil
	}
	return []correct.Doubt{{Code: "recording_slow", Text: fmt.Sprintf("recording could not keep up, and the loops waited for it %d times: what that delayed counts as our own lag; fewer --threads leave it more of the machine", times)}}
}

func totals(s *correct.Snapshot) retry.Totals {
	return retry.Totals{Operations: s.Counts.Fired, Attempts: s.Counts.Attempts, Failed: s.Counts.Fired - s.Counts.OK}
}

// hidden says what a caller who looks at operations alone does not see: at least one
// attempt in a hundred failed and was made good by another. Where as many were sent
// again for next to nothing, it says that.
func hidden(p *plan.Plan, s *correct.Snapshot) (code, text string) {
	t := totals(s)
	ops, ok1 := t.OperationSuccess()
	tries, ok2 := t.AttemptSuccess()
	average, _ := t.Average()
	more := s.Counts.Repeated()
	if p.Retry.Attempts() < 2 || !ok1 || !ok2 || more*100 < t.Operations {
		return "", ""
	}
	saved := s.Counts.OK - s.Counts.FirstTry
	load := fmt.Sprintf("; the server got %.2f times the load", average)
	if saved*100 < more {
		return "retries_in_vain", fmt.Sprintf("retries bought next to nothing: %d attempts after the first made %d operations good", more, saved) + load
	}
	if ops-tries < 0.01 {
		return "", ""
	}
	return "retries_hid_failures", fmt.Sprintf("retries hid failures: %.1f %% of the operations succeeded, %.1f %% of the attempts", 100*ops, 100*tries) + load
}

// dependent says so if far more or fewer operations failed than attempts that fail
// independently of each other would have left. That can be told only where every
// operation that failed made all its attempts: not where a budget, a deadline or a failure
// that is not tried again ended some.
func dependent(p *plan.Plan, s *correct.Snapshot) string {
	t := totals(s)
	want, ok := t.Independent(p.Retry.Attempts())
	if p.Retry.Attempts() < 2 || !ok || s.Counts.Repeated() < 100 || s.Counts.FailedBefore(p.Retry.Attempts()) > 0 || float64(t.Failed) > want/2 && float64(t.Failed) < 2*want+10 {
		return ""
	}
	return fmt.Sprintf("the attempts at one operation did not fail independently of each other: of those that do, as many of them would have left %.0f operations failed; %d did", want, t.Failed)
}

// short says so if the timeout cuts into the body of the distribution: one attempt
// in a hundred or more ran into it, and answers came until close before it.
func short(p *plan.Plan, s *correct.Snapshot) string {
	cut := s.Counts.Cut
	raw := s.Dist(correct.Raw)
	if p.Timeout == 0 || cut == 0 || cut*100 < s.Counts.Attempts || raw.N() == raw.Failed() {
		return ""
	}
	slowest := raw.Slowest()
	if slowest < p.Timeout*8/10 {
		return "" // answers come well before it, or not at all: a hang, not a cut
	}
	share := 100 * float64(s.Counts.Attempts-cut) / float64(s.Counts.Attempts)
	return fmt.Sprintf("--timeout %v is too short for this server: it cut off %d of %d attempts while answers still came after %v; of the service time only what lies below p%.1f is known, and no mean",
		p.Timeout, cut, s.Counts.Attempts, slowest.Round(time.Millisecond), share)
}
