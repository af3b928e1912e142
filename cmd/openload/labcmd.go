package main

import (
	"fmt"
	"net"

	"openload/lab"
	"openload/seed"
)

// labCmd serves a model on loopback.
type labCmd struct {
	Listen string    `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen; port 0 takes a free one."`
	Server string    `default:"service=50ms stall=150:2s" placeholder:"'KEY=VALUE ...'" help:"How the server behaves; see below."`
	Seed   seed.Seed `default:"1" placeholder:"N" help:"Seed of its chance (errors=, close=)."`
}

// Help lists the keys of --server.
func (c *labCmd) Help() string { return lab.Help() }

func (c *labCmd) run(s streams) (int, error) {
	spec, err := lab.Parse(c.Server)
	if err != nil {
		return 0, usagef("--server: %w", err)
	}
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return 0, fmt.Errorf("listen on %s: %w; give another --listen, or port 0 for a free one", c.Listen, err)
	}
	i := catch()
	defer i.release()
	server := lab.NewServer(func() lab.Model { return spec.Model(c.Seed.Stream("server")) })
	fmt.Fprintf(s.out, "lab server on http://%s/   %s\nctrl-c ends it; counts at http://%s/lab/stats\n", ln.Addr(), spec, ln.Addr())
	err = server.Serve(i.stop, ln)
	stats := server.Stats()
	fmt.Fprintf(s.out, "received %d   answered %d   closed without an answer %d   connections %d\n", stats.Received, stats.Answered, stats.Closed, stats.Connections)
	return 0, err
}
