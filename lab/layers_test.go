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
	for call := uint64(1); call > 0; call = at.Again(call) {
		if call > 1 {
			at = m.Serve(at.At)
		}
		l.Call(call, at)
	}
	return l.Stats().Layers
}

func TestQ7AttemptsMultiply(t *testing.T) {
	require.Equal(t, []uint64{3, 9, 27}, ask(model(t, "errors=100% layers=3 attempts=3")), "39 in all")
	require.Equal(t, []uint64{4, 16, 64}, ask(model(t, "errors=100% layers=3 attempts=4")), "read as 3 retries")
	require.Equal(t, []uint64{1, 1, 1}, ask(model(t, "layers=3 attempts=3")), "nothing fails")
	require.Equal(t, []uint64{2, 4, 8}, ask(model(t, "service=1s max-age=1ms layers=3 attempts=2")), "nor if it is turned away")
	require.Equal(t, []uint64{1, 1, 1}, ask(model(t, "status=404:100% layers=3 attempts=3")), "404 is an answer")
}

// Of what is asked of a layer it repeats a fifth, and the layer behind it a fifth of that.
func TestQ9BudgetsMultiplyLess(t *testing.T) {
	for budget, want := range map[string][]uint64{
		"20%": {1200, 1440, 1728}, "10%": {1100, 1210, 1331}, "12.5%": {1125, 1265, 1423}, "100%": {2000, 4000, 8000},
	} {
		m := model(t, "errors=100% layers=3 attempts=3 budget="+budget)
		var l Ledger
		for range 1000 {
			a := m.Serve(0)
			for call := uint64(1); ; a = m.Serve(a.At) {
				l.Call(call, a)
				if call = a.Again(call); call == 0 {
					break
				}
			}
		}
		require.Equal(t, want, l.Stats().Layers, budget)
	}
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
		for call, made := uint64(1), uint64(1); call > 0; made++ {
			a := Answer{Status: 500, layers: s.layers}
			if made == succeeds {
				a.Status = 200
			}
			l.Call(call, a)
			call = a.Again(call)
		}
		require.Equal(t, want, l.Stats().Layers)
	})
}
