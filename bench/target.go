//go:build linux

package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the clock of the witness.
func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // it exists everywhere
	}
	return time.Duration(t.Nano())
}

// A target is a server that counts what came.
type target interface {
	url() string
	process() *os.Process
	// end stops it, and returns how many requests came and, if it notes that, when it read
	// each, and when the kernel had received it.
	end() (n int, at, came []time.Duration, err error)
}

// freePort finds a port that nobody has.
func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// A witness notes when each request came.
type witness struct {
	cmd        *exec.Cmd
	port, file string
}

func startWitness(dir string, more ...string) (target, error) {
	var err error
	for range 5 { // somebody may take the port in between
		w := &witness{port: freePort(), file: filepath.Join(dir, "arrivals.txt")}
		w.cmd = exec.Command("taskset", append([]string{"-c", "0", filepath.Join(dir, "arrivals"), w.port, w.file, "5000000"}, more...)...)
		out, pipeErr := w.cmd.StdoutPipe()
		if pipeErr != nil {
			return nil, pipeErr
		}
		if err = w.cmd.Start(); err != nil {
			return nil, err
		}
		if _, err = bufio.NewReader(out).ReadString('\n'); err == nil { // ready
			return w, nil
		}
		_ = w.cmd.Wait()
	}
	return nil, fmt.Errorf("the witness does not start: %w", err)
}

func (w *witness) url() string          { return "http://127.0.0.1:" + w.port + "/" }
func (w *witness) process() *os.Process { return w.cmd.Process }

func (w *witness) end() (n int, at, came []time.Duration, err error) {
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, nil, nil, err
	}
	if err := w.cmd.Wait(); err != nil {
		return 0, nil, nil, err
	}
	b, err := os.ReadFile(w.file)
	if err != nil {
		return 0, nil, nil, err
	}
	for line := range strings.Lines(string(b)) {
		for i, f := range strings.Fields(line) {
			ns, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				return 0, nil, nil, err
			}
			if i == 0 {
				at = append(at, time.Duration(ns))
			} else {
				came = append(came, time.Duration(ns))
			}
		}
	}
	return len(at), at, came, nil
}

// nginx counts requests, and speaks TLS.
type nginx struct {
	cmd         *exec.Cmd
	port, stats string
	scheme      string
}

const nginxConfig = `daemon off; master_process off; worker_processes 1; pid %[1]s/nginx.pid; error_log /dev/null crit;
events { worker_connections 4096; }
http {
 access_log off; keepalive_requests 100000000; keepalive_timeout 600s;
 server { listen 127.0.0.1:%[2]s %[4]s backlog=4096; ssl_certificate %[1]s/cert.pem; ssl_certificate_key %[1]s/key.pem; ssl_protocols TLSv1.3;
  location / { return 200 ok; } }
 server { listen 127.0.0.1:%[3]s; location / { stub_status; } }
}
`

func startNginx(dir string, secure bool) (target, error) {
	n := &nginx{port: freePort(), stats: freePort(), scheme: "http"}
	ssl := ""
	if secure {
		n.scheme, ssl = "https", "ssl"
		out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-days", "2",
			"-keyout", filepath.Join(dir, "key.pem"), "-out", filepath.Join(dir, "cert.pem")).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("openssl: %w: %s", err, out)
		}
	}
	config := fmt.Sprintf(nginxConfig, dir, n.port, n.stats, ssl)
	if !secure {
		config = strings.NewReplacer("ssl_certificate_key "+dir+"/key.pem;", "", "ssl_certificate "+dir+"/cert.pem;", "", "ssl_protocols TLSv1.3;", "").Replace(config)
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	n.cmd = exec.Command("taskset", "-c", "0", "nginx", "-c", file, "-p", dir)
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if _, err := n.served(); err == nil {
			return n, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, fmt.Errorf("nginx did not start with %s", file)
}

// served asks how many requests nginx has answered, this one included.
func (n *nginx) served() (int, error) {
	c, err := net.DialTimeout("tcp", "127.0.0.1:"+n.stats, time.Second)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.0\r\n\r\n")
	for s := bufio.NewScanner(c); s.Scan(); {
		var accepted, handled, requests int
		if k, _ := fmt.Sscan(s.Text(), &accepted, &handled, &requests); k == 3 {
			return requests, nil
		}
	}
	return 0, fmt.Errorf("nginx told no count")
}

func (n *nginx) url() string          { return n.scheme + "://127.0.0.1:" + n.port + "/" }
func (n *nginx) process() *os.Process { return n.cmd.Process }

func (n *nginx) end() (int, []time.Duration, []time.Duration, error) {
	before, err := n.served()
	_ = n.cmd.Process.Signal(syscall.SIGQUIT)
	_ = n.cmd.Wait()
	return before - 2, nil, nil, err // the first question and this one
}

// deviation is how far arrivals are from the grid that fits them best: the quantiles
// of the distance, and the share of gaps below a tenth of the period.
func deviation(at []time.Duration, period time.Duration) (p50, p99 time.Duration, clumped float64) {
	if len(at) < 2 {
		return 0, 0, 0
	}
	slices.Sort(at)
	rest := make([]time.Duration, len(at))
	small := 0
	for i, t := range at {
		rest[i] = t - time.Duration(i)*period
		if i > 0 && t-at[i-1] < period/10 {
			small++
		}
	}
	origin := slices.Clone(rest)
	slices.Sort(origin)
	for i := range rest {
		rest[i] = (rest[i] - origin[len(origin)/2]).Abs()
	}
	slices.Sort(rest)
	return rest[len(rest)/2], rest[len(rest)*99/100], float64(small) / float64(len(at)-1)
}
