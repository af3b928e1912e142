package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"openload/request"
	"openload/schedule"
	"openload/seed"
)

// importCmd makes a file of targets from what others wrote down.
type importCmd struct {
	Curl      importCurl `cmd:"" help:"From a curl command, as a browser copies it for bash."`
	HAR       importHAR  `cmd:"" name:"har" help:"From an HTTP archive, as a browser's network panel saves it."`
	AccessLog importLog  `cmd:"" name:"accesslog" help:"From an access log of nginx or Apache, in the combined or common format: requests, and the times at which they came."`
}

// importOut says where the targets go.
type importOut struct {
	Output string `short:"o" placeholder:"FILE" help:"Write the targets to this file, in place of standard output. They hold the secrets of what was imported."`
}

// importCurl reads a curl command.
type importCurl struct {
	Command string `arg:"" help:"The command between single quotes, or - for standard input."`
	importOut
}

// Help is what stands below the flags.
func (c *importCurl) Help() string {
	return `What curl would send is sent, header by header; User-Agent is openload's where
the command has none. An option that would be lost is refused by name.

  openload import curl "curl http://127.0.0.1:8080/ -H 'X: 1'" -o targets.json
  openload --targets targets.json --rate 10 --duration 30s`
}

func (c *importCurl) run(s streams) (int, error) {
	command := c.Command
	if command == "-" {
		text, err := io.ReadAll(s.in)
		if err != nil {
			return statusBroken, fmt.Errorf("read standard input: %w", err)
		}
		command = string(text)
	}
	if word, _, _ := strings.Cut(strings.TrimSpace(command), " "); strings.Contains(word, "://") || strings.HasPrefix(word, "-") {
		command = "curl " + command
	}
	items, notes, err := request.ImportCurl(command, boundary(seed.Seed(1)), os.ReadFile)
	if err != nil {
		return 0, usagef("import curl: %w", err)
	}
	return statusDone, c.write(s, items, notes, "")
}

// importHAR reads an HTTP archive.
type importHAR struct {
	File string `arg:"" help:"The archive; - is standard input."`
	Host string `placeholder:"HOST" help:"Only the requests to this host, of the several that a page asks: example.com, 127.0.0.1:8080."`
	importTimes
	importOut
}

// Help is what stands below the flags.
func (c *importHAR) Help() string {
	return `With --schedule the requests come in the order in which the browser began them,
and a run sends them at these times again, however long answers take. Those of
which the archive does not say when they began are left out then.

  openload import har page.har -o targets.json --schedule times.csv
  openload --targets targets.json --schedule times.csv`
}

func (c *importHAR) run(s streams) (int, error) {
	in, err := openNamed(c.File, s.in)
	if err != nil {
		return 0, usagef("import har: %w", err)
	}
	defer in.Close()
	items, started, notes, err := request.ImportHAR(bufio.NewReader(in))
	if err != nil {
		return 0, usagef("import har: %s: %w", c.File, err)
	}
	if c.Host != "" {
		var kept []request.Item
		var keptStarted []time.Time
		for i, it := range items {
			if t, err := it.Target(); err == nil && (c.Host == t.Host || c.Host == t.String()) {
				kept, keptStarted = append(kept, it), append(keptStarted, started[i])
			}
		}
		if len(kept) == 0 {
			return 0, usagef("import har: %s: none of its %d requests goes to %s", c.File, len(items), c.Host)
		}
		items, started = kept, keptStarted
	}
	var at []time.Duration
	if c.Schedule != "" {
		all := len(items)
		if items, at = request.InTurn(items, started); len(items) == 0 {
			return 0, usagef("import har: %s: none of its requests says when it began; leave out --schedule, and give the run a --rate", c.File)
		}
		if left := all - len(items); left > 0 {
			notes = append(notes, fmt.Sprintf("%d left out that do not say when they began", left))
		}
	}
	if err := c.times(at); err != nil {
		return statusBroken, err
	}
	return statusDone, c.write(s, items, notes, c.Schedule)
}

// importTimes says where the recorded times go.
type importTimes struct {
	Schedule string `placeholder:"FILE" help:"Write the times at which they came to this file, for --schedule."`
	Speed    speed  `default:"1x" placeholder:"FACTOR" help:"Replay that much faster: 2x takes half the time."`
}

// times writes them, if anybody asked for them.
func (o *importTimes) times(at []time.Duration) error {
	if o.Schedule == "" {
		if o.Speed != 1 {
			return usagef("--speed is about the times; give --schedule FILE to have them written")
		}
		return nil
	}
	var all schedule.Recording
	for i, t := range at {
		x := float64(t) / float64(o.Speed)
		if x > math.MaxInt64/2 {
			return usagef("--speed: %gx is so slow that the last request would never leave; give a greater one", float64(o.Speed))
		}
		all = append(all, schedule.Arrival{Seq: uint64(i), At: time.Duration(x)})
	}
	var b bytes.Buffer
	if _, err := schedule.WriteCSV(&b, all.Open()); err != nil {
		return err
	}
	if err := os.WriteFile(o.Schedule, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--schedule: %w", err)
	}
	return nil
}

// importLog reads an access log.
type importLog struct {
	File string `arg:"" help:"The log, compressed or not; - is standard input."`
	Base string `required:"" placeholder:"URL" help:"Where to send the requests, since a log does not say: http://127.0.0.1:8080."`
	importTimes
	importOut
}

// Help is what stands below the flags.
func (c *importLog) Help() string {
	return `Requests with a body are left out, since a log does not hold it. Its times are
those at which answers were given, to the second; the requests of one second
are spread over it evenly.

  openload import accesslog access.log --base http://127.0.0.1:8080 -o targets.json --schedule times.csv
  openload --targets targets.json --schedule times.csv`
}

// A speed is how much faster than recorded a log is replayed.
type speed float64

func (f *speed) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(string(text), "x"), 64)
	if err != nil || !(v > 0 && v <= 1e6) {
		return fmt.Errorf("%q is no speed; write one such as 2x or 0.5x", text)
	}
	*f = speed(v)
	return nil
}

func (c *importLog) run(s streams) (int, error) {
	in, err := openNamed(c.File, s.in)
	if err != nil {
		return 0, usagef("import accesslog: %w", err)
	}
	defer in.Close()
	plain, err := unpacked(in)
	if err != nil {
		return 0, usagef("import accesslog: %s: %w", c.File, err)
	}
	items, at, notes, err := request.ImportAccessLog(plain, c.Base)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the compressed file is cut off; get the whole file")
	}
	if err != nil {
		return 0, usagef("import accesslog: %s: %w", c.File, err)
	}
	if err := c.times(at); err != nil {
		return statusBroken, err
	}
	return statusDone, c.write(s, items, notes, c.Schedule)
}

// openNamed opens a file, or standard input for -.
func openNamed(name string, in io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(in), nil
	}
	return os.Open(name)
}

// write writes the targets, and says how to go on.
func (o *importOut) write(s streams, items []request.Item, notes []string, times string) error {
	var b bytes.Buffer
	if err := request.WriteTargets(&b, items); err != nil {
		return fmt.Errorf("write the targets: %w", err)
	}
	if o.Output == "" {
		if _, err := s.out.Write(b.Bytes()); err != nil {
			return fmt.Errorf("write to standard output: %w", err)
		}
	} else if err := os.WriteFile(o.Output, b.Bytes(), 0o600); err != nil { // it may hold secrets
		return fmt.Errorf("--output: %w", err)
	}
	for _, n := range notes {
		fmt.Fprintf(s.err, "openload: %s\n", n)
	}
	if o.Output != "" {
		load := "--rate 10 --duration 30s"
		if times != "" {
			load = "--schedule " + quote(times)
		}
		fmt.Fprintf(s.err, "openload: %s; send them with: openload --targets %s %s\n", targetsIn(len(items)), quote(o.Output), load)
	}
	return nil
}

func targetsIn(n int) string {
	if n == 1 {
		return "1 target"
	}
	return strconv.Itoa(n) + " targets"
}
