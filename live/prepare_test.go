package live_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/live"
)

func TestPrepare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	room := live.Prepare(1)
	require.Equal(t, 2, runtime.GOMAXPROCS(0))
	require.GreaterOrEqual(t, room.Connections, 1)
	runtime.GOMAXPROCS(3)
	live.Prepare(1)
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
			err: "200 connections asked for, but our limit of 44 file descriptors has room for 32 in all: with more open at once some fail as out_of_descriptors; raise the limit (ulimit -n 212)"},
		{name: "more in all", asked: 20, allowed: 32, hosts: 2, want: 20,
			err: "20 connections to each of 2 hosts asked for, but our limit of 44 file descriptors has room for 32 in all: with more open at once some fail as out_of_descriptors; raise the limit (ulimit -n 52)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := live.Room{Limit: tt.allowed + 12, Connections: tt.allowed}.Cap(tt.asked, tt.hosts)
			require.Equal(t, tt.want, got)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.err)
			}
		})
	}
}

func TestCappedBy(t *testing.T) {
	require.Equal(t, 40, live.Room{Limit: 40, Connections: 22}.CappedBy())
	require.Zero(t, live.Room{Limit: 20_000, Connections: 19_980}.CappedBy(), "the cap would be no higher without it")
	require.Zero(t, live.Room{Connections: live.MaxConnections}.CappedBy(), "there is no limit")
}
