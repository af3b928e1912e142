package repair

import "openload/source"

// A load is a batch of rows on its way from the reader to the intake.
type load struct {
	source.Batch
	facts *source.Facts // when the first batch was full: some formats' are complete only with rows
}

// pipe reads the file through an intake, which is nil if there are no rows. The intake
// works beside the reader: each needs about as long as the other.
func (x *sample) pipe() *intake {
	const loads = 4 // one is filled, one taken in, two wait
	full, used := make(chan *load, loads), make(chan *load, loads)
	for range loads {
		used <- new(load)
	}
	taken := make(chan *intake)
	go func() { taken <- x.takeIn(full, used) }()
	var facts *source.Facts
	var filling *load
	x.file.Batches(func(b *source.Batch) *source.Batch {
		if b != nil {
			if facts == nil {
				now := x.file.Facts
				facts = &now
			}
			filling.facts = facts
			full <- filling
		}
		filling = <-used
		return &filling.Batch
	})
	close(full)
	x.labels = x.file.Labels()
	return <-taken
}

// takeIn is the intake's side.
func (x *sample) takeIn(full <-chan *load, used chan<- *load) (a *intake) {
	for l := range full {
		if a == nil {
			a = newIntake(x.opt, l.facts, x.pace, x.limits)
		}
		a.take(l.Rows[:l.N], l.Run)
		used <- l
	}
	return a
}
