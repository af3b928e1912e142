package sink

import (
	"bufio"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"openload/correct"
)

// A Meter counts a run's attempts as they end, for whoever asks meanwhile: what a
// Prometheus server scrapes. The zero value is ready. Observe takes some 50 ns and
// waits for nobody.
type Meter struct {
	Closed bool // a closed loop: nothing was intended

	scheduled      atomic.Uint64      // operations that were due
	outcomes       [256]atomic.Uint64 // operations that ended, by class
	attempts       atomic.Uint64
	lag            atomic.Int64 // our own greatest, in nanoseconds
	corrected, raw gauged
}

// Arrive notes that an operation is due. It belongs to the goroutine of Observe.
func (m *Meter) Arrive() { m.scheduled.Add(1) }

// Observe takes one attempt. It belongs to one goroutine.
func (m *Meter) Observe(x correct.Sample) {
	if lag := int64(x.Lag()); lag > m.lag.Load() { // there is one writer
		m.lag.Store(lag)
	}
	if x.Fired {
		m.attempts.Add(1)
		m.raw.add(x.Raw(), x.Class == correct.OK)
	}
	if x.Final {
		m.outcomes[x.Class].Add(1)
		if !m.Closed {
			m.corrected.add(x.Corrected(), x.Class == correct.OK)
		}
	}
}

// A gauged reading counts values by bounds, each in the lowest that holds it.
type gauged struct {
	in  [32]atomic.Uint64 // the last are the values above all bounds, and the failures
	sum atomic.Int64      // of successes, in nanoseconds
}

func (g *gauged) add(v time.Duration, ok bool) {
	i := len(bounds)
	if ok {
		g.sum.Add(int64(v))
		for i = 0; i < len(bounds) && v > bounds[i]; i++ {
		}
	}
	g.in[i].Add(1)
}

// WriteMetrics writes what was counted so far in Prometheus' text format, under the
// names that --out prom uses.
func (m *Meter) WriteMetrics(w io.Writer) error {
	e := &exposition{bufio.NewWriter(w)}
	e.family(operationsMetric, "counter", operationsHelp)
	var ended uint64
	for _, c := range correct.Classes() {
		if n := m.outcomes[c].Load(); n > 0 || c == correct.OK {
			ended += n
			e.sample(operationsMetric, strconv.FormatUint(n, 10), "outcome", c.String())
		}
	}
	scheduled := max(ended, m.scheduled.Load()) // read last: what ended was due before
	e.counter(scheduledMetric, scheduledHelp, scheduled)
	e.gauge(waitingMetric, waitingHelp, float64(scheduled-ended))
	e.counter(attemptsMetric, attemptsHelp, m.attempts.Load())
	e.gauge(lagMetric, lagHelp, time.Duration(m.lag.Load()).Seconds())
	if !m.Closed {
		m.corrected.write(e, correctedMetric, correctedHelp)
	}
	m.raw.write(e, rawMetric, rawHelp)
	return e.Flush()
}

// write reads each count once, so that they add up whatever is added meanwhile.
func (g *gauged) write(e *exposition, name, help string) {
	below := make([]uint64, len(bounds))
	n := uint64(0)
	for i := range bounds {
		n += g.in[i].Load()
		below[i] = n
	}
	e.histogram(name, help, below, n+g.in[len(bounds)].Load(), time.Duration(g.sum.Load()).Seconds())
}
