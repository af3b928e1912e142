package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"openload/correct"
	"openload/engine"
	"openload/sink"
)

// metricsFlags let a long run be watched from outside.
type metricsFlags struct {
	MetricsListen string `group:"output" placeholder:"ADDR" help:"While the run goes on, serve its metrics to Prometheus at http://ADDR/metrics; ADDR is a port of this machine's loopback, such as 127.0.0.1:9464."`
}

// A metricsServer answers whoever scrapes a run. Nil, it does nothing.
type metricsServer struct {
	meter *sink.Meter
	http  *http.Server
	ended chan struct{}
}

// listen starts the server, if there is to be one. Only loopback: what it shows was
// not meant for others, and nobody is asked who they are.
func (f *metricsFlags) listen(s streams, quiet bool, meter *sink.Meter) (*metricsServer, error) {
	if f.MetricsListen == "" {
		return nil, nil
	}
	host, port, err := net.SplitHostPort(f.MetricsListen)
	if err != nil {
		return nil, usagef("--metrics-listen: %q is not an address; give one such as 127.0.0.1:9464", f.MetricsListen)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, usagef("--metrics-listen: %s is not this machine's loopback; give 127.0.0.1:%s", f.MetricsListen, port)
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("--metrics-listen: %w", err)
	}
	mux := http.NewServeMux()
	m := &metricsServer{meter: meter, ended: make(chan struct{}), http: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = meter.WriteMetrics(w) // who went away needs no answer
	})
	go func() {
		defer close(m.ended)
		_ = m.http.Serve(ln) // it ends when closed, and not being scraped is no reason to end a run
	}()
	if !quiet {
		fmt.Fprintf(s.err, "openload: metrics at http://%s/metrics\n", ln.Addr())
	}
	return m, nil
}

// beside lets the server see what watch sees, which may be nobody.
func (m *metricsServer) beside(watch engine.Watcher) engine.Watcher {
	if m == nil {
		return watch
	}
	return metered{watch, m.meter}
}

// metered is a watcher, or none, and a meter that counts what is due.
type metered struct {
	engine.Watcher
	meter *sink.Meter
}

func (m metered) Arrive(seq uint64, intended, dispatched time.Duration, waiting, out int) {
	m.meter.Arrive()
	if m.Watcher != nil {
		m.Watcher.Arrive(seq, intended, dispatched, waiting, out)
	}
}

func (m metered) Record(x correct.Sample) {
	m.meter.Observe(x)
	if m.Watcher != nil {
		m.Watcher.Record(x)
	}
}

func (m metered) Fire(s engine.Shot) {
	if m.Watcher != nil {
		m.Watcher.Fire(s)
	}
}

func (m metered) Turn(now time.Duration) {
	if m.Watcher != nil {
		m.Watcher.Turn(now)
	}
}

func (m *metricsServer) close() {
	if m != nil {
		_ = m.http.Close()
		<-m.ended
	}
}
