//go:build linux

package loop

import (
	"time"

	"openload/engine"
)

// cuts lists connections by the instant at which they are given up, in their links.
// That is seldom reached, and nearly always later than those that are listed already,
// so that adding one and taking one out cost a few writes.
type cuts struct {
	first, last *conn
}

// add lists c, which is in no list.
func (l *cuts) add(c *conn) {
	before := l.last
	for before != nil && before.cut > c.cut {
		before = before.prev
	}
	c.prev = before
	if before == nil {
		c.next, l.first = l.first, c
	} else {
		c.next, before.next = before.next, c
	}
	if c.next == nil {
		l.last = c
	} else {
		c.next.prev = c
	}
}

// remove takes c out.
func (l *cuts) remove(c *conn) {
	if c.prev == nil {
		l.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// due is when the first is given up.
func (l *cuts) due() time.Duration {
	if l.first == nil {
		return engine.Forever
	}
	return l.first.cut
}
