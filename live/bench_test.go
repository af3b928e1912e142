package live_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"openload/engine"
	"openload/live"
	"openload/request"
	"openload/transport"
)

// instant is a network and a server that take no time.
type instant struct{}

func (instant) Dial(context.Context, time.Duration) (live.Conn, transport.Outcome) {
	return instant{}, transport.Outcome{}
}
func (instant) Alive() bool                                                         { return true }
func (instant) Exchange(engine.Shot, *request.Message, time.Time) transport.Outcome { return ok }
func (instant) Close()                                                              {}

// What the World itself costs per shot, with so many out at a time.
func BenchmarkWorld(b *testing.B) {
	for _, out := range []int{1, 100} {
		b.Run(fmt.Sprintf("out=%d", out), func(b *testing.B) {
			w := live.New(live.Options{Epoch: time.Now(), Dialer: instant{}, Connections: out})
			defer w.Close()
			ctx := context.Background()
			flying := 0
			b.ReportAllocs()
			for b.Loop() {
				for flying == out || w.Room(1, 0) == 0 {
					if _, _, answered := w.Wait(ctx, engine.Forever); answered {
						flying--
					}
				}
				w.Fire(engine.Shot{Attempt: 1, Timeout: time.Minute})
				flying++
			}
		})
	}
}
