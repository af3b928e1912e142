package repair

import (
	"slices"

	"openload/correct"
	"openload/source"
)

// A batch is some rows on their way from the reader to the intake.
type batch struct {
	rows  [1024]moment
	n     int
	run   int32         // of the file's runs
	facts *source.Facts // of the first batch: some formats' are complete only with rows
}

// A pipe hands rows to an intake that works beside the reader: each needs about as
// long as the other.
type pipe struct {
	full, used chan *batch
	filling    *batch
	file       *source.File
	facts      *source.Facts

	label  int32 // of the last row
	labels []int32
}

// mostLabels are told apart; more are not worth naming.
const mostLabels = 8

// pipe reads the file through an intake, which is nil if there are no rows.
func (x *sample) pipe() *intake {
	const batches = 4 // one is filled, one taken in, two wait
	p := &pipe{full: make(chan *batch, batches), used: make(chan *batch, batches), file: x.file, label: source.NoName}
	for range batches {
		p.used <- new(batch)
	}
	taken := make(chan *intake)
	go func() { taken <- x.takeIn(p) }()
	p.filling = <-p.used
	x.file.Rows()(p.put)
	p.send()
	close(p.full)
	x.labels = p.labels
	return <-taken
}

// takeIn is the intake's side.
func (x *sample) takeIn(p *pipe) (a *intake) {
	for b := range p.full {
		if b.n > 0 {
			if a == nil {
				a = newIntake(x.opt, b.facts, x.pace, x.limits)
			}
			a.take(b.rows[:b.n], b.run)
		}
		p.used <- b
	}
	return a
}

// put is the reader's side.
func (p *pipe) put(r *source.Row) bool {
	b := p.filling
	if b.n == len(b.rows) || r.Run != b.run {
		p.send()
		b = p.filling
		b.run = r.Run
	}
	if r.Label != p.label && len(p.labels) < mostLabels {
		p.label = r.Label
		if !slices.Contains(p.labels, r.Label) {
			p.labels = append(p.labels, r.Label)
		}
	}
	m := &b.rows[b.n]
	b.n++
	// Field by field: a literal would be built elsewhere first and copied, at twice the time.
	m.start, m.took = r.Start, r.Latency
	m.worker, m.status = r.Worker, int16(r.Status)
	m.class, m.ok = r.Class, r.Class == correct.OK
	return true
}

func (p *pipe) send() {
	b := p.filling
	if p.facts == nil && b.n > 0 {
		facts := p.file.Facts
		p.facts = &facts
	}
	b.facts = p.facts
	p.full <- b
	p.filling = <-p.used
	p.filling.n = 0
}
