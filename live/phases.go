package live

import (
	"time"

	"openload/correct"
	"openload/transport"
)

// opening is how a connection was opened, as its dial's outcome tells; nil if it does not.
func (w *World) opening(began time.Duration, o transport.Outcome) *correct.Opening {
	if o.Connected.IsZero() {
		return nil
	}
	c := &correct.Opening{Began: began, Resolved: began, Connected: o.Connected.Sub(w.epoch)}
	if !o.Resolved.IsZero() {
		c.Resolved = o.Resolved.Sub(w.epoch)
	}
	c.Ready = c.Connected
	if !o.Secured.IsZero() {
		c.Ready = o.Secured.Sub(w.epoch)
	}
	return c
}

// since is how long after sent something happened; 0 if it is not known.
func (w *World) since(sent time.Duration, at time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	return max(0, at.Sub(w.epoch)-sent)
}
