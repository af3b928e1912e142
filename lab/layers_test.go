package lab

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ask plays the layers for one request and returns how many calls each of them made.
func ask(m Model) []uint64 {
	var l Ledger
	at := m.Serve(0)
	for calls := uint64(1); ; calls++ {
		l.Call(calls, at)
		if !at.Again(calls) {
			return l.Stats().Layers
		}
		at = m.Serve(at.At)
	}
}

func TestQ7AttemptsMultiply(t *testing.T) {
	require.Equal(t, []uint64{3, 9, 27}, ask(model(t, "errors=100% layers=3 attempts=3")), "39 in all")
	require.Equal(t, []uint64{4, 16, 64}, ask(model(t, "errors=100% layers=3 attempts=4")), "read as 3 retries")
	require.Equal(t, []uint64{1, 1, 1}, ask(model(t, "layers=3 attempts=3")), "nothing fails")
	require.Equal(t, []uint64{2, 4, 8}, ask(model(t, "service=1s max-age=1ms layers=3 attempts=2")), "nor if it is turned away")
	require.Equal(t, []uint64{1, 1, 1}, ask(model(t, "status=404:100% layers=3 attempts=3")), "404 is an answer")
}

// Against the loops themselves: each layer stops at its first success.
func TestLayersAreLoopsInEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth, attempts := rapid.IntRange(1, 4).Draw(t, "depth"), rapid.IntRange(1, 4).Draw(t, "attempts")
		succeeds := rapid.Uint64Range(1, 300).Draw(t, "the call that succeeds")
		want := make([]uint64, depth)
		var call func(layer int) bool
		call = func(layer int) bool {
			if layer == depth {
				return want[depth-1] == succeeds
			}
			for range attempts {
				want[layer]++
				if call(layer + 1) {
					return true
				}
			}
			return false
		}
		call(0)

		s := parsed(t, fmt.Sprintf("layers=%d attempts=%d", depth, attempts))
		var l Ledger
		for calls := uint64(1); ; calls++ {
			a := Answer{Status: 500, layers: s.layers}
			if calls == succeeds {
				a.Status = 200
			}
			l.Call(calls, a)
			if !a.Again(calls) {
				break
			}
		}
		require.Equal(t, want, l.Stats().Layers)
	})
}
