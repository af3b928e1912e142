package relay_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/relay"
	"openload/schedule"
)

// arrive tells l of an arrival that was due each millisecond, late by so much.
func arrive(l *relay.Line, seq uint64, late time.Duration) {
	at := time.Duration(seq) * ms
	l.Arrive(seq, at, at+late, 0, 0)
	l.Turn(at + late)
}

func end(l *relay.Line, seq uint64, at time.Duration) {
	l.Record(correct.Sample{Seq: seq, Attempt: 1, Done: at, Fired: true, Final: true})
	l.Turn(at)
}

func thousandPerSec(t *testing.T) schedule.Schedule {
	rate, err := schedule.ParseRate("1000")
	require.NoError(t, err)
	return schedule.Spec{Shape: schedule.Constant(rate), N: 1_000_000}.Open(nil)
}

// handOn hands on what there is.
func handOn(r *relay.Relay) {
	defer func() { _ = recover() }()
	r.Run(func() { panic("nothing is left") })
}

func (l *log) seqs() (seqs []uint64) {
	for _, a := range l.arrivals {
		seqs = append(seqs, a.Seq)
	}
	return seqs
}

// A loop that is late holds up what happened elsewhere meanwhile, and no more.
func TestOneIsLate(t *testing.T) {
	var got log
	r := relay.New(&got, relay.Options{Loops: 2, Schedule: thousandPerSec(t)})
	punctual, late := r.Line(0), r.Line(1)
	arrive(punctual, 0, 0)
	arrive(late, 1, 0)
	arrive(punctual, 2, 0)
	end(punctual, 0, 3*ms)
	handOn(r)
	require.Equal(t, []uint64{0, 1}, got.seqs(), "nobody knows yet what the other one did after 1 ms")
	arrive(punctual, 4, 0)
	late.Turn(5 * ms)
	handOn(r)
	require.Equal(t, []uint64{0, 1, 2}, got.seqs(), "4 waits for 3")
	require.Len(t, got.samples, 1)
	end(punctual, 2, 6*ms)
	late.Turn(7 * ms)
	handOn(r)
	require.Len(t, got.samples, 1, "which ended after 4 had arrived")
	arrive(late, 3, 5*ms)
	punctual.Turn(9 * ms)
	handOn(r)
	require.Equal(t, []uint64{0, 1, 2, 3, 4}, got.seqs())
	require.Len(t, got.samples, 2)
	late.End()
	arrive(punctual, 6, 0)
	punctual.End()
	handOn(r)
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 6}, got.seqs(), "nobody is left who could tell of 5")
}

// A recording may have gaps.
func TestGapsInTheSchedule(t *testing.T) {
	var got log
	gaps := schedule.Recording{{Seq: 1, At: ms}, {Seq: 4, At: 4 * ms}, {Seq: 6, At: 6 * ms}, {Seq: 9, At: 9 * ms}}
	r := relay.New(&got, relay.Options{Loops: 2, Schedule: gaps.Open()})
	arrive(r.Line(0), 4, 0)
	r.Line(1).Turn(4 * ms)
	handOn(r)
	require.Empty(t, got.seqs())
	arrive(r.Line(1), 1, 4*ms)
	arrive(r.Line(0), 6, 0)
	handOn(r)
	require.Equal(t, []uint64{1, 4}, got.seqs())
	arrive(r.Line(1), 9, 0)
	r.Line(1).End()
	r.Line(0).End()
	handOn(r)
	require.Equal(t, []uint64{1, 4, 6, 9}, got.seqs())
}

// What is kept for a loop that is far too late has an end.
func TestOneIsFarTooLate(t *testing.T) {
	var got log
	r := relay.New(&got, relay.Options{Loops: 2, Schedule: thousandPerSec(t)})
	const n = 120_000
	for k := range uint64(n) {
		arrive(r.Line(0), 2*k, 0)
		if k%1000 == 0 {
			r.Line(1).Turn(time.Duration(2*k) * ms)
			handOn(r)
		}
	}
	r.Line(0).End()
	require.NotEmpty(t, got.arrivals)
	arrive(r.Line(1), 1, 2*n*ms)
	r.Line(1).End()
	handOn(r)
	require.Len(t, got.arrivals, n+1)
	require.Greater(t, slices.Index(got.seqs(), 1), 50_000)
}

// A loop that tells more than anybody takes waits, and it is said that it did.
func TestNobodyTakesWhatIsTold(t *testing.T) {
	var got log
	r := relay.New(&got, relay.Options{Loops: 64})
	for i := range 63 {
		r.Line(i).End()
	}
	l := r.Line(63)
	var loop sync.WaitGroup
	loop.Go(func() {
		defer l.End()
		for k := range uint64(20_000) {
			arrive(l, k, 0)
		}
	})
	for full := false; !full; { // until it waits
		before := l.Told()
		for range 100 {
			runtime.Gosched()
		}
		full = before > 4_000 && before == l.Told()
	}
	r.Run(runtime.Gosched)
	loop.Wait()
	require.Len(t, got.arrivals, 20_000)
	require.Positive(t, r.Held())
}

// Telling takes no memory but that for what waits to be handed on.
func TestTellingAllocatesNothing(t *testing.T) {
	r := relay.New(&nobody{}, relay.Options{Loops: 1})
	seq := uint64(0)
	require.Zero(t, testing.AllocsPerRun(200, func() {
		for range 500 {
			arrive(r.Line(0), seq, 0)
			r.Line(0).Fire(engine.Shot{Seq: seq, Attempt: 1})
			end(r.Line(0), seq, time.Duration(seq)*ms)
			seq++
		}
		handOn(r)
	}))
}

// nobody listens.
type nobody struct{}

func (nobody) Arrive(uint64, time.Duration, time.Duration, int, int) {}
func (nobody) Record(correct.Sample)                                 {}
func (nobody) Fire(engine.Shot)                                      {}
func (nobody) Turn(time.Duration)                                    {}
