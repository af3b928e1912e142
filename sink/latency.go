package sink

import (
	"fmt"
	"time"

	"openload/report"
)

// A row is one of the latency table.
type row struct {
	name string
	*report.Dist
}

// readings are the rows to show.
func (p *page) readings() (rows []row) {
	for _, x := range []row{
		{"corrected", p.Latency.Corrected},
		{"raw", p.Latency.Raw},
		{"closed-loop", p.closedLoop()},
		{"queue", p.Latency.Queue},
		{"successes", p.successes()},
	} {
		if x.Dist != nil && x.N > 0 {
			rows = append(rows, x)
		}
	}
	return rows
}

// closedLoop is the prediction, where it is not the raw reading itself, as over a
// single connection.
func (p *page) closedLoop() *report.Dist {
	if c, r := p.Latency.ClosedLoop, p.Latency.Raw; c != nil && r != nil {
		if gap, agree := compare(c, r); gap == 0 && agree {
			return nil
		}
	}
	return p.Latency.ClosedLoop
}

// successes is the reading of the successes alone, where it says more.
func (p *page) successes() *report.Dist {
	if c := p.Latency.Corrected; c == nil || c.Failed == 0 {
		return nil
	}
	return p.Latency.CorrectedOK
}

// latency writes the table, and what its rows mean.
func (p *page) latency() {
	rows := p.readings()
	p.section()
	if !anySuccess(rows) {
		p.say("latency", "none: no operation succeeded")
		return
	}
	names := []string{" latency", "p50", "p90", "p95", "p99", "p99.9", "max", "mean"}
	table := [][]string{names}
	failed := false
	fine := false // p99.9 of fewer than 1,000 is the greatest
	for _, x := range rows {
		cells := []string{spaces(inset) + x.name}
		for _, d := range percentiles(x.Dist) {
			if d == nil {
				failed = true
			}
			cells = append(cells, p.known(d, "failed"))
		}
		table = append(table, append(cells, p.known(x.Mean, "-")))
		fine = fine || x.N >= 1000
	}
	if !fine {
		for i, cells := range table {
			table[i] = append(cells[:5:5], cells[6:]...)
		}
	}
	p.table(table)
	p.section()
	for _, x := range rows {
		p.term(x.name, p.meaning(x))
		if x.name == "raw" && p.Latency.ClosedLoop != nil && p.closedLoop() == nil {
			p.term("closed-loop", "the same as raw (prediction for a tool that waits for answers)")
		}
	}
	if failed {
		p.term("failed", "lies among the failures, which rank above every success")
	}
}

// table writes rows of numbers; if they are too wide, as a forced unit can make
// them, each row as a list.
func (p *page) table(rows [][]string) {
	lines := Columns(rows)
	if width(lines[0]) <= columns {
		p.lines(lines)
		return
	}
	names := rows[0]
	p.lines(names[:1])
	for _, row := range rows[1:] {
		for i := 1; i < len(row); i++ {
			row[i] = names[i] + " " + row[i]
		}
		p.list(row[0][1:], row[1:]...)
	}
}

func anySuccess(rows []row) bool {
	for _, x := range rows {
		if x.N > x.Failed {
			return true
		}
	}
	return false
}

func percentiles(d *report.Dist) []*time.Duration {
	return []*time.Duration{d.P50, d.P90, d.P95, d.P99, d.P999, d.Max}
}

// term explains a word of the table.
func (p *page) term(word, meaning string) { p.say("  "+word, meaning) }

func (p *page) meaning(x row) string {
	switch x.name {
	case "corrected":
		switch p.Correction.Method {
		case "backfill":
			return "raw, and the samples left out while the tool waited"
		case "schedule":
			return "from its place in the tool's schedule to the answer"
		case "queue":
			return "prediction: the raw times in one queue, at the asked rate"
		}
		return "from when it was due to its answer: what a user waited"
	case "raw":
		return "from when it was sent to its answer"
	case "closed-loop":
		return "prediction: what a tool that waits for answers would say"
	case "queue":
		return "prediction: the raw times replayed through one queue"
	}
	all := p.Latency.Corrected.N
	return fmt.Sprintf("corrected, of the %d that succeeded (%s of %d)", x.N, percent(float64(x.N)/float64(all)), all)
}
