package relay_test

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/relay"
	"openload/sla"
	"openload/watch"
)

// all is what a run tells without a relay.
type all struct {
	*correct.Grouped
	picture *correct.Picture
	*watch.Watch
}

func newAll() all {
	r, _ := sla.Parse("p99<500ms")
	return all{correct.NewGrouped(correct.Options{Limits: []time.Duration{500 * time.Millisecond}}), correct.NewPicture(false), watch.New(sla.Follow([]sla.Rule{r}, sla.Course{AutoCap: true}))}
}

func (a all) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	a.Grouped.Arrive(seq, intended, dispatched, waiting, out)
	a.Watch.Arrive(seq, intended, dispatched, waiting, out)
}

func (a all) Record(x correct.Sample) {
	a.Grouped.Record(x)
	a.picture.Record(&x)
	a.Watch.Record(x)
}

// operate tells w of operations at 30,000/s as a loop does, with two system calls each.
func operate(b *testing.B, w engine.Watcher) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	buf := make([]byte, 200)
	var spent time.Duration
	b.ResetTimer()
	for i := range b.N {
		at := time.Duration(i) * 33 * time.Microsecond
		syscall.Write(fds[0], buf)
		began := time.Now()
		w.Arrive(uint64(i), at, at+1000, 0, 0)
		w.Fire(engine.Shot{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at + 1000, Handed: at + 1000})
		w.Turn(at + 1000)
		x := correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at + 1000, Handed: at + 1000, Sent: at + 2000, Done: at + 20000 + time.Duration(i%1000), Status: 200, Fired: true, Written: true, Final: true}
		spent += time.Since(began)
		syscall.Read(fds[1], buf)
		began = time.Now()
		w.Record(x)
		w.Turn(x.Done)
		spent += time.Since(began)
	}
	b.ReportMetric(float64(spent)/float64(b.N), "ns/telling")
}

func BenchmarkDirect(b *testing.B) { operate(b, newAll()) }

func BenchmarkNothing(b *testing.B) { operate(b, nobody{}) }

func BenchmarkRelay(b *testing.B) {
	r := relay.New(newAll(), relay.Options{Loops: 1})
	var done sync.WaitGroup
	done.Go(func() { r.Run(func() { time.Sleep(5 * time.Millisecond) }) })
	operate(b, r.Line(0))
	r.Line(0).End()
	done.Wait()
	b.ReportMetric(float64(r.Held()), "held")
}
