package retry

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Policy says how a client retries, as Parse reads it. The zero Policy makes one
// attempt and no other. Policies are values: two with the same String are the same.
type Policy struct {
	attempts int // of an operation, the first included; 0: none was asked for
	backoff  backoff
	ratio    allowance
	throttle bucket
	fuse     fuse
	on       on

	deaf     bool // does not listen to Retry-After
	reckless bool // repeats what may be done twice

	query string // path of the resource that knows what became of an operation; "": none
}

// Parse reads a Policy: keys and values with spaces between them, in any order.
// attempts= is needed, the others have defaults; "none" and an empty text are the
// zero Policy. Help lists the keys.
//
// The error says of every key that is wrong what to write instead, a line each.
func Parse(text string) (Policy, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 || len(fields) == 1 && fields[0] == "none" {
		return Policy{}, nil
	}
	p := Policy{backoff: backoff{kind: exponential, base: 100 * time.Millisecond}}
	p.on, _ = parseOn(defaultOn)
	seen := map[string]bool{}
	var problems []error
	for _, field := range fields {
		if err := p.set(field, seen); err != nil {
			problems = append(problems, fmt.Errorf("retry: %w", err))
		}
	}
	// What the keys mean together is worth saying only when each is right.
	if len(problems) == 0 {
		problems = p.settle(seen)
	}
	if len(problems) > 0 {
		return Policy{}, errors.Join(problems...)
	}
	return p, nil
}

// set reads one key=value into p. seen holds the keys so far.
func (p *Policy) set(field string, seen map[string]bool) error {
	name, value, _ := strings.Cut(field, "=")
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return unknown(name)
	}
	if name == "unknown" { // a path may hold a secret
		field = name + "="
	}
	if seen[name] {
		return fmt.Errorf("%s: %s= is given twice", field, name)
	}
	seen[name] = true
	k := keys[i]
	if err := k.read(p, value); err != nil {
		return fmt.Errorf("%s: %w; write %s=%s, such as %s", field, err, k.name, k.form, k.example)
	}
	return nil
}

// settle fills in what depends on other keys and returns what is wrong with p as a whole.
func (p *Policy) settle(seen map[string]bool) (problems []error) {
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("retry: "+format, args...))
	}
	if !seen["attempts"] {
		complain("attempts= is missing; write attempts=3 for a first attempt and at most two more")
	}
	b := &p.backoff
	switch {
	case b.kind == fixed && seen["cap"]:
		complain("cap= does not go with backoff=fixed, which waits base= every time; leave it out")
	case b.kind != fixed && !seen["cap"]:
		b.cap = max(defaultCap, b.base)
	}
	if b.kind == decorrelated && seen["jitter"] {
		complain("jitter= does not go with backoff=decorrelated, which is a jitter of its own; leave it out")
	}
	if b.kind != fixed && b.base == 0 {
		complain("backoff=%s from base=0s never waits; write backoff=fixed base=0s to retry at once", kindNames[b.kind])
	}
	if b.kind != fixed && b.cap < b.base {
		complain("cap=%s is below base=%s; write a cap= of at least that", short(b.cap), short(b.base))
	}
	for _, name := range []string{"calls", "open", "probes"} {
		if seen[name] && !seen["breaker"] {
			complain("%s= says more about a breaker and there is none; write breaker=50%%/10s beside it", name)
		}
	}
	p.fuse = p.fuse.filled()
	return problems
}

// String returns the canonical form of p: Parse reads it back to the same Policy.
func (p Policy) String() string {
	if p == (Policy{}) {
		return "none"
	}
	var fields []string
	for _, k := range keys {
		if value := k.print(p); value != "" {
			fields = append(fields, k.name+"="+value)
		}
	}
	return strings.Join(fields, " ")
}

// MarshalText is String.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is Parse.
func (p *Policy) UnmarshalText(text []byte) (err error) {
	*p, err = Parse(string(text))
	return err
}

// Attempts is the most attempts at one operation, the first included: at least 1.
func (p Policy) Attempts() int { return max(1, p.attempts) }

// Query is the path that is asked about unknown outcomes; "" if none is.
func (p Policy) Query() string { return p.query }

// Share is the policy of shard i of n: budgets and the breaker's numbers are split,
// so that the shards together grant about what p grants. Every shard keeps at least
// one probe and one thousandth of a token. It panics unless i < n.
func (p Policy) Share(i, n uint64) Policy {
	if i >= n {
		panic(fmt.Sprintf("retry: shard %d of %d", i, n))
	}
	part := func(whole int64) int64 {
		share := whole / int64(n)
		if int64(i) < whole%int64(n) {
			share++
		}
		return min(whole, max(1, share)) // nothing stays nothing
	}
	p.ratio.reserve = part(p.ratio.reserve)
	p.throttle.most = part(p.throttle.most)
	p.fuse.calls = part(p.fuse.calls)
	p.fuse.probes = part(p.fuse.probes)
	return p
}

// Help lists the keys of a Policy, a line each, and what their values mean.
func Help() string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%-19s %s\n", k.name+"="+k.form, k.meaning)
	}
	b.WriteString(footer)
	return b.String()
}

// unknown says that there is no such key, and which one may have been meant.
func unknown(name string) error {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	hint := didYouMean(name, names)
	if slices.Contains([]string{"retry", "retries", "max-retries"}, name) {
		hint = ", write attempts=, which counts the first one as well: two retries are attempts=3"
	}
	return fmt.Errorf("unknown key %q%s; the keys are %s", name, hint, strings.Join(names, ", "))
}
