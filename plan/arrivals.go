package plan

import (
	"math/rand/v2"
	"time"

	"openload/schedule"
)

// chance is the stream that random arrivals are drawn from.
func (p *Plan) chance() *rand.Rand { return p.Seed.Stream("arrivals") }

// Arrivals starts the plan's schedule.
func (p *Plan) Arrivals() schedule.Schedule { return p.Schedule.Open(p.chance()) }

// Planned is the number of operations of the whole plan; 0 for a closed loop that
// only time ends.
func (p *Plan) Planned() uint64 {
	if p.Closed != nil {
		return p.Closed.N
	}
	return p.Schedule.Planned(p.chance)
}

// Length is the instant by which the plan sends no more; 0 for a closed loop that
// ends by number.
func (p *Plan) Length() time.Duration {
	if p.Closed != nil {
		return p.Closed.Duration
	}
	return p.Schedule.Length(p.chance)
}
