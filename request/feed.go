package request

import "sync"

// look is how many messages are made ahead, at most.
const look = 1024

// A Feed hands out the messages of a run. Those that are made from templates it makes
// before they are due, in a goroutine of its own; what is not ready yet when it is asked
// for takes the asker's time, and so does what is asked for again.
type Feed struct {
	wire    *Wire
	varying bool
	made    chan fed
	spare   chan []byte
	stop    chan struct{}
	owner   sync.WaitGroup

	next  fed // taken from made and not asked for yet
	has   bool
	early map[uint64]fed // made for operations that were passed over: they may still come
}

type fed struct {
	seq uint64
	Message
}

// Feed opens the feed of the operations with the numbers given, of which each is greater
// than the one before. It must be closed. One goroutine asks it.
func (w *Wire) Feed(number func(k uint64) uint64) *Feed {
	f := &Feed{
		wire: w, varying: w.Varying(), made: make(chan fed, look), spare: make(chan []byte, look),
		stop: make(chan struct{}), early: map[uint64]fed{},
	}
	if f.varying {
		f.owner.Go(func() { f.run(number) })
	}
	return f
}

func (f *Feed) run(number func(k uint64) uint64) {
	for k := uint64(0); ; k++ {
		seq := number(k)
		select {
		case f.made <- fed{seq, f.wire.Message(f.buffer(), seq, 1)}:
		case <-f.stop:
			return
		}
	}
}

// Slow reports whether to ask may take more than a moment.
func (f *Feed) Slow() bool { return f.varying }

// Message is what [Wire.Message] is.
func (f *Feed) Message(seq uint64, attempt int) Message {
	if !f.varying || attempt > 1 {
		return f.wire.Message(f.buffer(), seq, attempt)
	}
	if m, ok := f.early[seq]; ok {
		delete(f.early, seq)
		return m.Message
	}
	for {
		if !f.has {
			f.next, f.has = <-f.made, true
		}
		if f.next.seq > seq {
			return f.wire.Message(f.buffer(), seq, attempt)
		}
		f.has = false
		if f.next.seq == seq {
			return f.next.Message
		}
		if len(f.early) == look {
			clear(f.early) // most were dropped, and the others can be made again
		}
		f.early[f.next.seq] = f.next
	}
}

// TargetOf is what [Wire.TargetOf] is.
func (f *Feed) TargetOf(seq uint64) int { return f.wire.TargetOf(seq) }

// Query is what [Wire.Query] is.
func (f *Feed) Query(seq uint64, attempt int) Message {
	return f.wire.Query(f.buffer(), seq, attempt)
}

func (f *Feed) buffer() []byte {
	if f.wire.constant {
		return nil
	}
	select {
	case b := <-f.spare:
		return b[:0]
	default:
		return nil
	}
}

// Done gives a message back that is no longer needed. Any goroutine may call it.
func (f *Feed) Done(m Message) {
	if !m.own {
		return
	}
	select {
	case f.spare <- m.Bytes:
	default:
	}
}

// Close ends the feed's goroutine and waits for it.
func (f *Feed) Close() {
	close(f.stop)
	f.owner.Wait()
}
