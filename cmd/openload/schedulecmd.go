package main

import (
	"bufio"
	"fmt"

	"openload/plan"
	"openload/schedule"
)

// scheduleCmd prints the instants of a schedule.
type scheduleCmd struct {
	planFlags
	load
}

func (c *scheduleCmd) run(s streams) (int, error) {
	p := plan.Plan{Seed: c.Seed}
	if err := c.open(&p); err != nil {
		return 0, usage(err)
	}
	if err := p.Check(); err != nil {
		return 0, usage(err)
	}
	if c.Explain {
		return c.explain(s, &p)
	}
	w := bufio.NewWriter(s.out)
	if _, err := schedule.WriteCSV(w, p.Arrivals()); err != nil {
		return 0, fmt.Errorf("write the schedule to standard output: %w", err)
	}
	if err := w.Flush(); err != nil {
		return 0, fmt.Errorf("write the schedule to standard output: %w", err)
	}
	return 0, nil
}
