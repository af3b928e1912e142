package live_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"openload/live"
	"openload/request"
	"openload/transport"
)

// C18: names are looked up apart from requests, one at a time.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, out := 0, 0
		look := func(context.Context, string, string) ([]netip.Addr, error) {
			out++
			require.Equal(t, 1, out, "at most one in flight")
			time.Sleep(50 * time.Millisecond)
			out--
			if asked++; asked == 3 {
				return nil, errors.New("no answer")
			}
			return []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 0, byte(asked / 4)})}, nil
		}
		r, err := (&transport.Network{Lookup: look}).Route(t.Context(), request.Target{Host: "a.test", Port: 80})
		require.NoError(t, err)
		n := live.Refresh([]*transport.Route{r}, time.Second, live.Lookups{N: 1, Slowest: 70 * time.Millisecond})
		time.Sleep(5500 * time.Millisecond)
		require.Equal(t, live.Lookups{N: 6, Failed: 1, Changed: 1, Slowest: 70 * time.Millisecond}, n.Stop())

		never := live.Refresh([]*transport.Route{r}, 0, live.Lookups{N: 1})
		time.Sleep(time.Hour)
		require.Equal(t, live.Lookups{N: 1}, never.Stop())
	})
}
