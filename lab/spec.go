package lab

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"openload/internal/nearest"
)

// A Spec says how a server behaves, as Parse reads it. The zero Spec answers
// everything at once. Specs are values: two with the same String are the same
// server.
type Spec struct {
	service time.Duration
	stalls  []stall  // by number
	freezes []freeze // by start
	workers int      // 0: unlimited

	// Instead of service: a capacity and its changes. The first step holds from
	// the first arrival, every later one from the until of the one before.
	steps []step

	hang, hangAfter time.Duration
	errors, closes  float64 // percent of the requests
	statuses        []share // by status
	body            uint64  // bytes; 0: a line of text
	trickle         time.Duration

	// What is turned away. In all of them 0 is no limit.
	accept     quota
	limit      uint64 // in the server at once
	room       uint64 // one more than may wait for a worker
	maxAge     time.Duration
	reject     int // status; 0: the usual one
	retryAfter time.Duration

	layers layers
}

// A share is how many of the requests end with a status.
type share struct {
	status  int // 0: the connection is closed
	percent float64
}

// A stall is one request that takes longer, or shorter, than the others.
type stall struct {
	number uint64        // in order of arrival, from 1
	total  time.Duration // its whole time of service
}

// A freeze is a time in which nobody works.
type freeze struct{ start, length time.Duration }

// A step is a capacity that holds for a while.
type step struct {
	rate  *big.Rat      // requests per second
	until time.Duration // 0: for good
}

// Parse reads a Spec: keys and values with spaces between them, in any order
// except for capacity=, until= and then=. An empty text is the default server:
// one worker that takes no time. Help lists the keys.
//
// The error says of every key that is wrong what to write instead, a line each.
func Parse(text string) (Spec, error) {
	s := Spec{workers: 1}
	seen := map[string]bool{}
	var problems []error
	for _, field := range strings.Fields(text) {
		if err := s.set(field, seen); err != nil {
			problems = append(problems, fmt.Errorf("server: %w", err))
		}
	}
	// What the keys mean together is worth saying only when each is right.
	if len(problems) == 0 {
		problems = s.check(seen)
	}
	if len(problems) > 0 {
		return Spec{}, errors.Join(problems...)
	}
	slices.SortFunc(s.stalls, func(a, b stall) int { return cmp.Compare(a.number, b.number) })
	slices.SortFunc(s.freezes, func(a, b freeze) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.length, b.length))
	})
	slices.SortFunc(s.statuses, func(a, b share) int { return cmp.Compare(a.status, b.status) })
	return s, nil
}

// set reads one key=value into s. seen holds the keys so far.
func (s *Spec) set(field string, seen map[string]bool) error {
	name, value, _ := strings.Cut(field, "=")
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return unknown(name)
	}
	k := keys[i]
	if seen[name] && !k.again {
		return fmt.Errorf("%s: %s= is given twice", field, name)
	}
	seen[name] = true
	if err := k.read(s, value); err != nil {
		return fmt.Errorf("%s: %w; write %s=%s, such as %s", field, err, k.name, k.form, k.example)
	}
	return nil
}

// check returns what is wrong with s as a whole.
func (s Spec) check(seen map[string]bool) (problems []error) {
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("server: "+format, args...))
	}
	if n := len(s.steps); n > 0 {
		for _, name := range []string{"service", "stall", "freeze", "workers"} {
			if seen[name] {
				complain("%s= does not go with capacity=, which is one worker with a speed of its own; leave one of them out", name)
			}
		}
		if last := s.steps[n-1]; last.until > 0 {
			complain("nothing follows until=%s; write then=R/s after it", short(last.until))
		} else if last.rate.Sign() == 0 {
			complain("a last speed of 0/s would answer nobody; write until=DUR then=R/s after it")
		}
		if _, _, ok := stepped(s.steps); !ok {
			complain("the speeds of capacity= and then= have no common measure that fits 63 bits; write them with fewer digits")
		}
	}
	if all := s.shares(); all > 100 {
		complain("errors=, close= and status= are shares of the same requests and add up to %v%%; write at most 100%% in all", all)
	}
	if s.trickle > 0 && s.body == 0 {
		complain("trickle=%s needs a body; write body=SIZE beside it", short(s.trickle))
	}
	if seen["layers"] != seen["attempts"] {
		complain("layers= and attempts= go together; write both, such as layers=3 attempts=3")
	} else if calls := math.Pow(float64(s.layers.attempts), float64(s.layers.depth)); calls > maxCalls {
		complain("%d layers of %d attempts make up to %.3g calls of one request; write fewer, for at most %d", s.layers.depth, s.layers.attempts, calls, maxCalls)
	}
	if seen["budget"] && !seen["layers"] {
		complain("budget= is of the layers; write layers= and attempts= beside it, such as layers=2 attempts=3 budget=20%%")
	}
	return append(problems, s.checkGate(seen)...)
}

// checkGate is check for what is turned away.
func (s Spec) checkGate(seen map[string]bool) (problems []error) {
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("server: "+format, args...))
	}
	if s.workers == 0 && seen["queue"] {
		complain("queue= limits those who wait for a worker, and with workers=0 nobody does; leave one of them out")
	}
	rejects := seen["accept"] || seen["limit"] || seen["queue"] || seen["max-age"]
	if seen["reject"] && !rejects {
		complain("reject= says how to reject, and nothing is rejected; write accept=, limit=, queue= or max-age= beside it")
	}
	if seen["retry-after"] && !rejects && !s.answers(429) && !s.answers(503) {
		complain("retry-after= is sent with what is rejected and with 429 and 503, and there is none; write limit=100 or status=429:5%% beside it")
	}
	return problems
}

// shares is the percentage of the requests that do not end in 200.
func (s Spec) shares() (percent float64) {
	percent = s.errors + s.closes
	for _, x := range s.statuses {
		percent += x.percent
	}
	return percent
}

// answers reports whether some requests end with that status after their service.
func (s Spec) answers(status int) bool {
	return slices.ContainsFunc(s.statuses, func(x share) bool { return x.status == status })
}

// String returns the canonical form of s: Parse reads it back to the same Spec.
func (s Spec) String() string {
	var fields []string
	for _, k := range keys {
		for _, value := range k.print(s) {
			fields = append(fields, k.name+"="+value)
		}
	}
	return strings.Join(fields, " ")
}

// Help lists the keys of a Spec, a line each.
func Help() string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%-17s %s\n", k.name+"="+k.form, k.meaning)
	}
	b.WriteString("START and T count from the first request. A rate is also R/m, R/h or 1/90s.\n")
	return b.String()
}

// unknown says that there is no such key, and which one may have been meant.
func unknown(name string) error {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	hint := ""
	if meant := nearest.Of(name, names); meant != "" {
		hint = fmt.Sprintf("did you mean %q? ", meant)
	}
	return fmt.Errorf("unknown key %q; %sthe keys are %s", name, hint, strings.Join(names, ", "))
}
