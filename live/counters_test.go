package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

// Counters of loops that made one run add up, host by host and peer by peer.
func TestCountersAddUp(t *testing.T) {
	one := Counters{Bytes: 10, Reads: Audit{Beyond: 1}, Failures: []Failure{{correct.Refused, "no", 2}}}.Over([]Host{
		{Opened: 3, Peak: 2, Peers: []Peer{{"a", 2, 20}, {"b", 1, 10}}},
		{Opened: 1, Peak: 1, Held: true, Peers: []Peer{{"a", 1, 1}}},
	})
	one.Reads.Late.Record(5)
	other := Counters{Bytes: 5, Reads: Audit{Beyond: 2}, Failures: []Failure{{correct.Reset, "gone", 1}, {correct.Refused, "no", 3}}}.Over([]Host{
		{Opened: 2, Peak: 2, CapReached: true, Peers: []Peer{{"c", 1, 7}, {"a", 1, 5}}},
		{Opened: 1, Peak: 1},
	})
	other.Reads.Late.Record(7)
	one.Add(other)
	require.EqualValues(t, 2, one.Reads.Late.N())
	one.Reads.Late = correct.Dist{}
	require.Equal(t, Counters{
		Opened: 7, Held: true, CapReached: true, Bytes: 15, Reads: Audit{Beyond: 3},
		Peers:    []Peer{{"a", 4, 26}, {"b", 1, 10}, {"c", 1, 7}},
		Failures: []Failure{{correct.Refused, "no", 5}, {correct.Reset, "gone", 1}},
		Hosts: []Host{
			{Opened: 5, Peak: 4, CapReached: true, Peers: []Peer{{"a", 3, 25}, {"b", 1, 10}, {"c", 1, 7}}},
			{Opened: 2, Peak: 2, Held: true, Peers: []Peer{{"a", 1, 1}}},
		},
	}, one)
}
