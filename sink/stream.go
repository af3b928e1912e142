package sink

import (
	"bufio"
	"errors"
	"io"
	"time"

	"openload/correct"
)

// A Stream writes a run's attempts while the run goes on: none is kept in memory but
// those on their way to the file, which is written by a goroutine of its own.
//
// The thread that sends requests hands its attempts over in batches, and never waits
// for a disk: once 262,144 attempts (31 MB) wait for it, further ones are lost and
// counted. Where nobody's time passes meanwhile, as in a simulation, it does wait.
type Stream struct {
	out    Output
	target *target
	rows   rows
	wait   bool

	filling *attemptBatch
	full    chan *attemptBatch
	used    chan *attemptBatch
	made    int // batches
	lost    uint64
	end     correct.End // set before full is closed
	ended   chan error
}

// rows are how a kind of output writes attempts. Each call may fail; none follows
// one that did.
type rows interface {
	begin(w *bufio.Writer) error
	attempt(w *bufio.Writer, x *correct.Sample) error
	end(w *bufio.Writer, e correct.End) error
}

// StreamOptions are what a Stream must know of the run.
type StreamOptions struct {
	Closed  bool   // a closed loop: nothing was intended
	Wait    bool   // wait for a slow file in place of losing attempts
	Version string // of the program

	// Warm says of when an operation was intended that it is sent and not judged: it has
	// a mark in the csv, and is left out of the hlog. Nil: everything is judged.
	Warm func(intended time.Duration) bool

	// Target is the name of what an operation asks for, for the csv. Nil: all ask for the same.
	Target func(seq uint64) string

	// Started is asked, once an attempt has ended, when the run's epoch was.
	Started func() time.Time
}

const (
	batchSize   = 256
	mostBatches = 1024
)

type attemptBatch struct {
	n    int
	rows [batchSize]correct.Sample
}

// Stream opens the output's file, or takes stdout if it has none, for what Observe
// will bring. Close must be called.
func (o Output) Stream(stdout io.Writer, opt StreamOptions) (*Stream, error) {
	t, err := o.create(stdout)
	if err != nil {
		return nil, o.explain(err)
	}
	s := &Stream{
		out: o, target: t, rows: o.Kind.Rows(opt), wait: opt.Wait,
		full: make(chan *attemptBatch, mostBatches), used: make(chan *attemptBatch, mostBatches), ended: make(chan error, 1),
	}
	go func() { s.ended <- s.write() }()
	return s, nil
}

// Observe takes one attempt. It belongs to one goroutine.
func (s *Stream) Observe(x correct.Sample) {
	if s.filling == nil && !s.next() {
		s.lost++
		return
	}
	b := s.filling
	b.rows[b.n] = x
	if b.n++; b.n == batchSize {
		s.full <- b // there is room for all batches that exist
		s.filling = nil
	}
}

// next takes an empty batch; false if all are full.
func (s *Stream) next() bool {
	select {
	case s.filling = <-s.used:
		return true
	default:
	}
	if s.made < mostBatches {
		s.made++
		s.filling = new(attemptBatch)
		return true
	}
	if s.wait {
		s.filling = <-s.used
	}
	return s.wait
}

// Close writes what is left and how the run ended, waits until all is written, and puts
// the file into its place. lost is how many attempts are not in it: end is told. After an error there is no file, or
// the one that was there before.
func (s *Stream) Close(end correct.End) (lost uint64, err error) {
	if s.filling != nil {
		s.full <- s.filling
		s.filling = nil
	}
	s.end = end
	s.end.Lost = s.lost
	close(s.full)
	return s.lost, s.out.explain(s.target.close(<-s.ended))
}

// Output is what it writes, and where.
func (s *Stream) Output() Output { return s.out }

// errDropped is why there is no file of a run that did not take place.
var errDropped = errors.New("the run did not take place")

// Drop ends the stream and leaves no file.
func (s *Stream) Drop() {
	close(s.full)
	<-s.ended
	_ = s.target.close(errDropped)
}

// write is the writer's side. When it can't write any more it goes on taking batches:
// whoever brings them must not be held up.
func (s *Stream) write() error {
	w := bufio.NewWriterSize(s.target, 1<<16)
	err := s.rows.begin(w)
	for b := range s.full {
		for i := 0; i < b.n && err == nil; i++ {
			err = s.rows.attempt(w, &b.rows[i])
		}
		b.n = 0
		s.used <- b
	}
	if err == nil {
		err = s.rows.end(w, s.end)
	}
	if err == nil {
		err = w.Flush()
	}
	return err
}
