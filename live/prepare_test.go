package live_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/live"
)

func TestPrepare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	allowed := live.Prepare()
	require.Equal(t, 2, runtime.GOMAXPROCS(0))
	require.GreaterOrEqual(t, allowed, 1)
	runtime.GOMAXPROCS(3)
	live.Prepare()
	require.Equal(t, 3, runtime.GOMAXPROCS(0), "more is left alone")
}

func TestCap(t *testing.T) {
	for _, tt := range []struct {
		name           string
		asked, allowed int
		hosts          int
		want           int
		err            string
	}{
		{name: "automatic", asked: 0, allowed: 500, hosts: 1, want: 500},
		{name: "automatic, where much is allowed", asked: 0, allowed: 1_000_000, hosts: 1, want: 10_000},
		{name: "automatic, shared out", asked: 0, allowed: 500, hosts: 3, want: 166},
		{name: "automatic, to very many", asked: 0, allowed: 500, hosts: 501, want: 1},
		{name: "fewer", asked: 5, allowed: 500, hosts: 1, want: 5},
		{name: "more", asked: 200, allowed: 32, hosts: 1, want: 200,
			err: "200 connections asked for, but file descriptors allow 32 here: raise the limit (ulimit -n 232)"},
		{name: "more in all", asked: 20, allowed: 32, hosts: 2, want: 20,
			err: "20 connections to each of 2 hosts asked for, but file descriptors allow 32 here: raise the limit (ulimit -n 72)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := live.Cap(tt.asked, tt.allowed, tt.hosts)
			require.Equal(t, tt.want, got)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.err)
			}
		})
	}
}
