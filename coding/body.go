package coding

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// blockBytes is what a body is kept in, so that a short one takes little.
const blockBytes = 4 << 10

type block struct {
	next *block
	n    int
	b    [blockBytes]byte
}

var blocks = sync.Pool{New: func() any { return new(block) }}

// chain is a list of blocks.
type chain struct {
	first, last *block
	n           int
}

func (c *chain) push(b *block) {
	if b.next = nil; c.last == nil {
		c.first = b
	} else {
		c.last.next = b
	}
	c.last = b
	c.n++
}

func (c *chain) pop() *block {
	b := c.first
	if b == nil {
		return nil
	}
	if c.first = b.next; c.first == nil {
		c.last = nil
	}
	c.n--
	return b
}

// free gives the blocks back.
func (c *chain) free() {
	for b := c.pop(); b != nil; b = c.pop() {
		blocks.Put(b)
	}
}

// A Body is that of one response. One goroutine writes it, piece by piece, and then calls
// End or Leave. All that may be done to a nil Body, of which nothing is counted.
type Body struct {
	counter *Counter
	name    string
	codings []string // in the order in which they were applied

	// The writer's.
	wire int64
	tail *block // that is being filled

	// Guarded by the Counter's mu.
	come    chain // blocks that wait to be decoded
	arrived *sync.Cond
	queued  bool // it is being decoded, or was, or will be
	over    bool // it is done with, whatever comes
	ended   bool // it is complete
	left    bool // it never will be
	bytes   int64
	err     error

	skipped atomic.Bool
	reading *block // the decoder's: that it reads
	at      int    // in it
}

// Body returns the Body of a response, of which codings is what its Content-Encoding
// says; nil if that says nothing, or there is no Counter.
func (c *Counter) Body(codings string) *Body {
	if c == nil {
		return nil
	}
	all := split(codings)
	if len(all) == 0 {
		return nil
	}
	b := &Body{counter: c, codings: all, name: join(all)}
	b.arrived = sync.NewCond(&c.mu)
	b.err = known(all)
	b.over = b.err != nil
	return b
}

// Write keeps a copy of what came. It never waits and never fails.
func (b *Body) Write(p []byte) (int, error) {
	if b == nil {
		return len(p), nil
	}
	b.wire += int64(len(p))
	var full chain
	for rest := p; len(rest) > 0; {
		if b.tail == nil {
			b.tail = blocks.Get().(*block)
			b.tail.n = 0
		}
		n := copy(b.tail.b[b.tail.n:], rest)
		b.tail.n += n
		if rest = rest[n:]; b.tail.n == blockBytes {
			full.push(b.tail)
			b.tail = nil
		}
	}
	if full.n > 0 {
		b.counter.mu.Lock()
		b.add(&full)
		if !b.queued && !b.over && b.come.n*blockBytes >= ahead {
			b.counter.push(b)
		}
		b.arrived.Signal()
		b.counter.mu.Unlock()
	}
	return len(p), nil
}

// add takes blocks, or skips the body if there is no room. The caller holds mu.
func (b *Body) add(full *chain) {
	c := b.counter
	if !b.over && !b.skipped.Load() && c.held+full.n > mostHeld {
		b.skip()
	}
	if b.over || b.skipped.Load() {
		full.free()
		return
	}
	c.held += full.n
	for x := full.pop(); x != nil; x = full.pop() {
		b.come.push(x)
	}
}

// End says that the body is complete.
func (b *Body) End() {
	if b == nil || b.wire == 0 {
		return
	}
	c := b.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.tail != nil {
		var last chain
		last.push(b.tail)
		b.tail = nil
		b.add(&last)
	}
	b.ended = true
	switch {
	case b.over:
		c.tell(b)
	case b.queued:
		b.arrived.Signal()
	case b.skipped.Load():
		b.conclude(0, nil)
	default:
		c.push(b)
	}
}

// Leave says that the rest will never come: the response failed. The body is in no count.
func (b *Body) Leave() {
	if b == nil {
		return
	}
	b.counter.mu.Lock()
	defer b.counter.mu.Unlock()
	if b.tail != nil {
		blocks.Put(b.tail)
		b.tail = nil
	}
	b.left = true
	b.arrived.Signal()
	b.drop()
}

// skip gives the body up. The caller holds mu.
func (b *Body) skip() {
	b.skipped.Store(true)
	b.arrived.Signal()
	b.drop()
}

// drop lets go of what waits. The caller holds mu.
func (b *Body) drop() {
	b.counter.held -= b.come.n
	b.come.free()
}

// conclude is done with the body. The caller holds mu.
func (b *Body) conclude(bytes int64, err error) {
	b.over, b.bytes, b.err = true, bytes, err
	b.drop()
	if b.reading != nil {
		blocks.Put(b.reading)
		b.reading = nil
	}
	if b.ended {
		b.counter.tell(b)
	}
}

// errGone ends the decoding of a body that is skipped, or was left.
var errGone = errors.New("the body is gone")

// Read reads what came, for the decoder, and waits for more.
func (b *Body) Read(p []byte) (int, error) {
	if b.reading == nil || b.at == b.reading.n {
		if err := b.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.reading.b[b.at:b.reading.n])
	b.at += n
	return n, nil
}

// advance goes on to the next block.
func (b *Body) advance() error {
	c := b.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.reading != nil {
		blocks.Put(b.reading)
		b.reading = nil
	}
	for b.come.n == 0 {
		switch {
		case b.left || b.skipped.Load():
			return errGone
		case b.ended:
			return io.EOF
		}
		c.give() // never waits
		b.arrived.Wait()
		c.mu.Unlock()
		c.take()
		c.mu.Lock()
	}
	b.reading, b.at = b.come.pop(), 0
	c.held--
	return nil
}
