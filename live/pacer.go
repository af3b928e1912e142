package live

import "time"

// A Pacer wakes the loop at an instant. Waiting for answers goes on meanwhile, so a
// freed connection is used at once and not at the next arrival.
type Pacer interface {
	// Set asks for a wake-up d from now, instead of the one asked for before.
	Set(d time.Duration)
	// C delivers wake-ups. One that was replaced may still come.
	C() <-chan time.Time
	// Settle returns once everything that happens at the present instant has happened.
	// Real time has nothing to wait for; a virtual clock has.
	Settle()
	Close()
}

// Timer returns a Pacer made of a Go timer. When the process is idle it wakes up to a
// millisecond late, since the runtime's poller waits in whole milliseconds.
func Timer() Pacer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return timer{t}
}

type timer struct{ t *time.Timer }

func (t timer) Set(d time.Duration) { t.t.Reset(d) }
func (t timer) C() <-chan time.Time { return t.t.C }
func (t timer) Settle()             {}
func (t timer) Close()              { t.t.Stop() }
