package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// While a run goes on Prometheus can read how it does; its counts only grow, and are no
// more than what the server saw.
func TestMetricsOfARunThatGoesOn(t *testing.T) {
	t.Parallel()
	url := labProcess(t, "service=1ms workers=0")
	cmd := program("--rate", "50", "--duration", "60s", "--metrics-listen", ":0", "--progress", "none", url)
	var out bytes.Buffer
	cmd.Stdout = &out
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(errs)
	require.True(t, lines.Scan())
	at, ok := strings.CutPrefix(lines.Text(), "openload: metrics at ")
	require.True(t, ok, lines.Text())
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/metrics$`, at)
	last := 0.0
	scrape := func() float64 {
		resp, err := http.Get(at)
		require.NoError(t, err)
		defer http.DefaultClient.CloseIdleConnections()
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		p := expfmt.NewTextParser(model.LegacyValidation)
		families, err := p.TextToMetricFamilies(bytes.NewReader(b))
		require.NoError(t, err)
		require.Contains(t, families, "openload_corrected_seconds")
		ended := 0.0
		for _, m := range families["openload_operations_total"].GetMetric() {
			ended += m.GetCounter().GetValue()
		}
		due, waiting := families["openload_operations_scheduled_total"].GetMetric()[0], families["openload_operations_waiting"].GetMetric()[0]
		require.Equal(t, due.GetCounter().GetValue(), ended+waiting.GetGauge().GetValue(), "they add up at any time")
		n := families["openload_attempts_total"].GetMetric()[0].GetCounter().GetValue()
		require.GreaterOrEqual(t, n, last)
		last = n
		return n
	}
	require.Eventually(t, func() bool { return scrape() >= 10 }, 20*time.Second, 20*time.Millisecond)
	require.LessOrEqual(t, scrape(), float64(received(t, url)))
	resp, err := http.Get(strings.TrimSuffix(at, "metrics"))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	require.True(t, strings.HasPrefix(out.String(), " INTERRUPTED "), out.String())
}
