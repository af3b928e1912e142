package live_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"openload/engine"
	"openload/live"
	"openload/request"
	"openload/transport"
)

// childOf names the environment variable that makes this binary a child of
// TestStopped: one shot at the address given.
const childOf = "OPENLOAD_TEST_TARGET"

func TestMain(m *testing.M) {
	if target := os.Getenv(childOf); target != "" {
		child(target)
		return
	}
	goleak.VerifyTestMain(m)
}

// child fires one shot and prints its sample.
func child(target string) {
	client, err := transport.New(transport.Config{
		Request: request.Request{URL: "http://" + target}, Addrs: []netip.Addr{netip.MustParseAddrPort(target).Addr()},
	})
	if err != nil {
		panic(err)
	}
	w := live.New(live.Options{Epoch: time.Now(), Dialer: live.Over(client), Connections: 1})
	defer w.Close()
	w.Room(1, 0)
	w.Fire(engine.Shot{Attempt: 1})
	for {
		if _, s, answered := w.Wait(context.Background(), time.Hour); answered {
			json.NewEncoder(os.Stdout).Encode(s)
			return
		}
	}
}
