//go:build !linux

package loop

import (
	"errors"

	"openload/engine"
	"openload/live"
)

// A World is one event loop over a bounded pool of connections.
type World struct{ engine.World }

// New says that there is none: the loop is made of Linux's system calls.
func New(Options) (*World, error) { return nil, errors.New("the event loop needs Linux") }

// Counters tells nothing.
func (*World) Counters() (c live.Counters) { return c }

// Close does nothing.
func (*World) Close() {}
