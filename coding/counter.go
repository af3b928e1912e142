package coding

import (
	"context"
	"runtime"
	"sync"
)

const (
	// most bodies are decoded at once. It is more than there are processors, since those
	// that come slowly wait for their bytes.
	most = 32
	// ahead is how much of a body has come before it is decoded as it comes. What is
	// shorter is decoded in one go, once it is complete.
	ahead = 64 << 10
	// mostHeld bounds what waits to be decoded, in blocks: 64 MiB.
	mostHeld = 64 << 20 / blockBytes
	// mostTold bounds how many codings and reasons are told apart.
	mostTold = 16
)

// A Count is what bodies came to. It adds up: Bodies is Decoded, Skipped and all Failed.
type Count struct {
	Bodies  uint64 // complete ones that came in a coding
	Decoded uint64 // of them
	Wire    uint64 // bytes of those that were decoded, as they came
	Bytes   uint64 // what these bytes came to
	Skipped uint64 // not decoded: they came faster than we decode, or we were told to end

	Codings map[string]uint64 // all by coding, such as "gzip"
	Failed  map[string]uint64 // those that do not decode, such as "gzip: cut off"
}

// A Counter counts bodies. Many goroutines may use it at once; the zero value is ready.
type Counter struct {
	mu      sync.Mutex
	queue   []*Body        // to be decoded, oldest first
	reading map[*Body]bool // being decoded, by a goroutine each
	held    int            // blocks that wait to be decoded
	idle    chan struct{}  // closed when nothing is left to do; nil: nobody waits for it
	turns   chan struct{}  // to use a processor, as many as there may be
	count   Count
}

// push has b decoded. The caller holds mu.
func (c *Counter) push(b *Body) {
	if c.reading == nil {
		// Two processors are left to others: the loop that sends, and the rest.
		c.reading, c.turns = map[*Body]bool{}, make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-2))
	}
	b.queued = true
	c.queue = append(c.queue, b)
	if len(c.reading) < most {
		go c.work(c.next())
	}
}

// next takes the oldest body from the queue; nil: there is none. The caller holds mu.
func (c *Counter) next() *Body {
	if len(c.queue) == 0 {
		return nil
	}
	b := c.queue[0]
	c.queue = c.queue[1:]
	c.reading[b] = true
	return b
}

// work decodes one body after the other, until there is none.
func (c *Counter) work(b *Body) {
	for b != nil {
		c.take()
		n, err := b.decode()
		c.give()
		c.mu.Lock()
		b.conclude(n, err)
		delete(c.reading, b)
		b = c.next()
		if len(c.reading) == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		c.mu.Unlock()
	}
}

// take takes a turn, and give gives it back.
func (c *Counter) take() { c.turns <- struct{}{} }
func (c *Counter) give() { <-c.turns }

// tell counts a body that is complete and done with. The caller holds mu.
func (c *Counter) tell(b *Body) {
	n := &c.count
	if n.Codings == nil {
		n.Codings, n.Failed = map[string]uint64{}, map[string]uint64{}
	}
	n.Bodies++
	n.Codings[among(n.Codings, b.name)]++
	switch {
	case b.skipped.Load():
		n.Skipped++
	case b.err != nil:
		n.Failed[among(n.Failed, reason(b.name, b.err))]++
	default:
		n.Decoded++
		n.Wire += uint64(b.wire)
		n.Bytes += uint64(b.bytes)
	}
}

// among is where a text is counted: under its own name, as long as there are few.
func among(have map[string]uint64, text string) string {
	if _, known := have[text]; !known && len(have) >= mostTold {
		return "others"
	}
	return text
}

// Settle waits until all that came is decoded, and returns what was counted since it was
// called before. Once ctx ends, what is not decoded is skipped.
func (c *Counter) Settle(ctx context.Context) Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.reading) > 0 {
		if c.idle == nil {
			c.idle = make(chan struct{})
		}
		idle := c.idle
		c.mu.Unlock()
		select {
		case <-idle:
			c.mu.Lock()
		case <-ctx.Done():
			c.mu.Lock()
			c.skipAll()
			c.mu.Unlock()
			<-idle
			c.mu.Lock()
		}
	}
	n := c.count
	c.count = Count{}
	return n
}

// skipAll skips what is not decoded. The caller holds mu.
func (c *Counter) skipAll() {
	for b := range c.reading {
		b.skip()
	}
	queue := c.queue
	c.queue = nil
	for _, b := range queue {
		b.skip()
		b.conclude(0, nil)
	}
}
