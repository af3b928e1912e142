package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/report"
)

// waitsAtMost is the probability that an arrival waits for at most x in an M/D/1 queue
// with a service of 1 and the arrival rate rho.
// Source: Erlang (1909), in Tijms, A First Course in Stochastic Models (2003), section 9.6.
func waitsAtMost(x, rho float64) float64 {
	sum, factorial := 0.0, 1.0
	for k := 0.0; k <= math.Floor(x); k++ {
		if k > 0 {
			factorial *= k
		}
		u := rho * (k - x)
		sum += math.Pow(u, k) / factorial * math.Exp(-u)
	}
	return (1 - rho) * sum
}

// A server that takes 10 ms for each request and Poisson arrivals are an M/D/1 queue. The
// highest rate at which 99 % are answered within 50 ms, 40 of them waiting, is known.
func TestFindTheKneeOfMD1(t *testing.T) {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; waitsAtMost(4, mid) > 0.99 {
			lo = mid
		} else {
			hi = mid
		}
	}
	knee := lo * 100 // a second
	require.InDelta(t, 56.08, knee, 0.01)

	file := filepath.Join(t.TempDir(), "find.json")
	var out, err bytes.Buffer
	status := execute([]string{
		"find", "--server", "service=10ms", "--arrival", "poisson", "--sla", "p99<50ms", "--from", "10", "--to", "1000",
		"--step-duration", "20m", "--precision", "2%", "-o", "json=" + file,
	}, streams{out: &out, err: &err})
	require.Zero(t, status, err.String())
	b, readErr := os.ReadFile(file)
	require.NoError(t, readErr)
	var f report.Find
	require.NoError(t, json.Unmarshal(b, &f))
	require.Equal(t, report.FindSchema, f.Schema)
	require.Equal(t, report.ByServer, f.Limit)
	// Of 66,000 arrivals that hang on one another, 1 % is known to some 5 %, and so the
	// knee to 2 %.
	require.InEpsilon(t, knee, *f.Holds, 0.04)
	require.InEpsilon(t, knee, *f.Above, 0.04)
	require.LessOrEqual(t, *f.Above / *f.Holds, 1.0201)
}
