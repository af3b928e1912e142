package live

import (
	"context"
	"sync"
	"time"

	"openload/transport"
)

// Lookups are what asking for names came to.
type Lookups struct {
	N       int
	Failed  int // the addresses known before stayed
	Changed int // times that the addresses were others than before
	Slowest time.Duration
}

// Names looks names up again while a run goes on. No dial waits for it, and of one
// route there is never more than one look-up at a time.
type Names struct {
	end context.CancelFunc
	all sync.WaitGroup

	mu      sync.Mutex
	lookups Lookups
}

// Refresh looks up the names of the routes every so often, until it is stopped; 0 is
// never. before is what looking them up for the first time came to.
func Refresh(routes []*transport.Route, every time.Duration, before Lookups) *Names {
	n := &Names{lookups: before}
	ctx, end := context.WithCancel(context.Background())
	n.end = end
	for _, r := range routes {
		if every > 0 && r.CanChange() {
			n.all.Go(func() { n.run(ctx, r, every) })
		}
	}
	return n
}

func (n *Names) run(ctx context.Context, r *transport.Route, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := time.Now()
		changed, err := r.Refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		n.mu.Lock()
		n.lookups.N++
		n.lookups.Slowest = max(n.lookups.Slowest, time.Since(began))
		if err != nil {
			n.lookups.Failed++
		}
		if changed {
			n.lookups.Changed++
		}
		n.mu.Unlock()
	}
}

// Stop ends it, and returns what all look-ups came to.
func (n *Names) Stop() Lookups {
	n.end()
	n.all.Wait()
	return n.lookups
}
