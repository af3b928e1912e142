package run

import (
	"fmt"

	"openload/correct"
	"openload/plan"
)

// supply says what became of data and rounds that have an end: what was sent again and
// again, or not at all, or ended the run. n is how many operations there were.
func supply(p *plan.Plan, n uint64) (all []correct.Doubt) {
	what := "requests of the round"
	if p.Rows > 0 {
		what = "rows of the data"
	}
	switch {
	case n == 0:
	case p.Once > 0 && n < p.Once:
		all = append(all, correct.Doubt{Code: "once_unsent", Text: fmt.Sprintf("--order once: %d of the %d %s had no turn", p.Once-n, p.Once, what)})
	case p.Once > 0 && p.Closed != nil && p.Closed.Duration > 0:
		all = append(all, correct.Doubt{Code: "once_ended", Text: fmt.Sprintf("--order once: the %d %s were all there was to send, before --duration was over", p.Once, what)})
	case p.Once > 0 && timeFor(p) > p.Once:
		all = append(all, correct.Doubt{
			Code: "once_ended", Text: fmt.Sprintf("--order once: the %d %s were all there was to send, and the schedule had time for %d operations", p.Once, what, timeFor(p)),
		})
	case p.Once == 0 && p.Rows > 0 && n > p.Rows:
		times := fmt.Sprint(n / p.Rows)
		if n%p.Rows > 0 {
			times += fmt.Sprintf(" or %d", n/p.Rows+1)
		}
		all = append(all, correct.Doubt{Code: "data_repeated", Text: fmt.Sprintf("%d operations took their data from %d rows: each row was taken %s times", n, p.Rows, times)})
	}
	return all
}

// timeFor is how many operations the schedule would have if nothing but time ended it; 0:
// it would not end.
func timeFor(p *plan.Plan) uint64 {
	q := *p
	q.Schedule.N = 0
	if p.Closed != nil || q.Schedule.Check() != nil {
		return 0
	}
	return q.Planned()
}
