package main

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"openload/lab"
	"openload/seed"
)

// labCmd serves a model on loopback.
type labCmd struct {
	Listen string    `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen; port 0 takes a free one. What is not loopback is reachable from the network."`
	Server string    `default:"service=50ms stall=150:2s" placeholder:"'KEY=VALUE ...'" help:"How the server behaves; see below."`
	Seed   seed.Seed `default:"1" placeholder:"N" help:"Seed of its chance (errors=, close=, status=)."`

	UntilStdinCloses bool `help:"End when standard input does. Whoever starts the server with a pipe as its input takes it along, however it ends itself."`

	OperationHeader string `default:"Openload-Operation" placeholder:"NAME" help:"Header that names a request's operation."`
	AttemptHeader   string `default:"Openload-Attempt" placeholder:"NAME" help:"Header with the attempt's number, 1 for the first."`
	KeyHeader       string `default:"Idempotency-Key" placeholder:"NAME" help:"Header with the idempotency key: work done twice for one is a duplicate."`
	HonourKeys      bool   `help:"Do the work of a key once, as a server should: a repeated request is answered and changes nothing."`
}

// Help lists the keys of --server and what the server says of itself.
func (c *labCmd) Help() string {
	return "Keys of --server:\n" + lab.Help() + `
GET  /lab/stats      counts as JSON: attempts, keys, duplicates, rejections ...
GET  /lab/arrivals   who came when, as CSV, the first 100,000
GET  /lab/executed   200 if the work of the key in the header was done, else 404
POST /lab/reset      starts the model and the counts anew

It ends with the process that started it; under nohup it goes on.
`
}

func (c *labCmd) run(s streams) (int, error) {
	spec, err := lab.Parse(c.Server)
	if err != nil {
		return 0, usagef("--%w", err) // it begins with "server: "
	}
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return 0, fmt.Errorf("listen on %s: %w; give another --listen, or port 0 for a free one", c.Listen, err)
	}
	i := catch()
	defer i.release()
	orphaned := false
	afterParent(i.stop, func() { orphaned = true; i.stopNow() })
	if c.UntilStdinCloses {
		go func() {
			_, _ = io.Copy(io.Discard, s.in) // an input that cannot be read has closed
			i.stopNow()
		}()
	}
	server := lab.NewServer(func() lab.Model { return spec.Model(c.Seed.Stream("server")) })
	server.Headers = lab.Headers{Operation: c.OperationHeader, Attempt: c.AttemptHeader, Key: c.KeyHeader}
	server.Honour = c.HonourKeys
	at, wide := listeningAt(ln.Addr())
	if wide {
		fmt.Fprintf(s.err, "openload: warning: --listen %s: whoever is on the network can reach the server; --listen 127.0.0.1:PORT is for this machine alone\n", c.Listen)
	}
	fmt.Fprintf(s.out, "lab server on http://%s/   %s\nctrl-c ends it; counts at http://%s/lab/stats\n", at, spec, at)
	err = server.Serve(i.stop, ln)
	if orphaned {
		fmt.Fprintln(s.out, "the process that started it has ended, and so it ends; nohup lets it go on")
	}
	fmt.Fprintln(s.out, labSummary(server.Stats()))
	return 0, err
}

// listeningAt is where this machine asks a server that listens on a, and whether others
// can as well.
func listeningAt(a net.Addr) (at string, wide bool) {
	tcp := a.(*net.TCPAddr)
	switch {
	case tcp.IP.IsLoopback():
		return a.String(), false
	case tcp.IP.IsUnspecified():
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port)), true
	}
	return a.String(), true
}

// labSummary is what a lab server has seen, in a line or two.
func labSummary(st lab.Stats) string {
	text := fmt.Sprintf("received %d   answered %d   closed without an answer %d   connections %d", st.Received, st.Answered, st.Closed, st.Connections)
	var more []string
	for _, x := range []struct {
		name  string
		count uint64
	}{{"rejected", st.Rejected}, {"expired", st.Expired}, {"keys", st.Keys}, {"executed twice or more", st.Duplicates}} {
		if x.count > 0 {
			more = append(more, fmt.Sprintf("%s %d", x.name, x.count))
		}
	}
	if len(st.Layers) > 0 {
		more = append(more, fmt.Sprintf("calls by layer %v", st.Layers))
	}
	if len(more) > 0 {
		text += "\n" + strings.Join(more, "   ")
	}
	return text
}
