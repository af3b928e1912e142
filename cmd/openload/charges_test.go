package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/lab"
	"openload/report"
	"openload/seed"
)

// charge sends 200 payments to a server that does its work and then closes three of ten
// connections without an answer. It returns what the server has done, and the report.
func charge(t *testing.T, honour bool, flags ...string) (lab.Stats, report.Report) {
	spec, err := lab.Parse("service=100us workers=0 close=30%")
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := lab.NewServer(func() lab.Model { return spec.Model(seed.Seed(1).Stream("server")) })
	server.Honour = honour
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	defer func() {
		stop()
		require.NoError(t, <-ended)
	}()
	file := filepath.Join(t.TempDir(), "report.json")
	var told bytes.Buffer
	status := execute(append([]string{
		"http://" + ln.Addr().String() + "/pay", "--arrival", "burst", "--n", "200", "-c", "20", "--body", "{}", "--out", "json=" + file, "-q",
	}, flags...), streams{out: &told, err: &told})
	require.Contains(t, []int{statusDone, statusInvalid}, status, told.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var r report.Report
	require.NoError(t, json.Unmarshal(text, &r))
	return server.Stats(), r
}

// A payment whose answer is lost is made twice if it is sent again without a key that the
// server honours; with one, or if the server is asked first, it is made once.
func TestDoubleCharges(t *testing.T) {
	const key = "--idempotency-key=Idempotency-Key"
	t.Run("no key: what may have been done is not sent again", func(t *testing.T) {
		did, r := charge(t, false, "--retry", "attempts=20 base=1ms")
		require.EqualValues(t, 200, did.Executed)
		require.Positive(t, r.Counts.Unknown)
		require.Equal(t, r.Counts.Unknown, r.Retries.Unsafe)
		require.EqualValues(t, 200, r.Counts.OK+r.Counts.Unknown)
	})
	t.Run("no key, and sent again all the same", func(t *testing.T) {
		did, r := charge(t, false, "--retry", "attempts=20 base=1ms repeat=always")
		require.EqualValues(t, 200, r.Counts.OK)
		require.Greater(t, did.Executed, uint64(200), "double charges")
	})
	t.Run("a key that the server does not honour", func(t *testing.T) {
		did, r := charge(t, false, "--retry", "attempts=20 base=1ms", key, "--id-header")
		require.EqualValues(t, 200, r.Counts.OK)
		require.EqualValues(t, 200, did.Keys)
		require.Positive(t, did.Duplicates)
		require.EqualValues(t, did.Received-200, did.Duplicates, "each of them is counted")
		require.EqualValues(t, 200, did.ByAttempt[1], "attempts are numbered on the wire")
	})
	t.Run("a key that the server honours", func(t *testing.T) {
		did, r := charge(t, true, "--retry", "attempts=20 base=1ms", key)
		require.EqualValues(t, 200, r.Counts.OK)
		require.EqualValues(t, 200, did.Executed)
		require.Zero(t, did.Duplicates)
	})
	t.Run("asked first", func(t *testing.T) {
		did, r := charge(t, false, "--retry", "attempts=20 base=1ms unknown=query:/lab/executed", key)
		require.EqualValues(t, 200, r.Counts.OK)
		require.EqualValues(t, 200, did.Executed)
		require.Zero(t, did.Duplicates)
		require.Positive(t, r.Retries.Queries)
		require.Equal(t, r.Retries.Queries, r.Retries.Resolved)
		require.Zero(t, r.Counts.Unknown)
	})
}
