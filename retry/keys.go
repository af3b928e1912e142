package retry

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A key is one word of a Policy.
type key struct {
	name, form string
	example    string // what Parse reads, in an error
	meaning    string // and Help

	read  func(p *Policy, value string) error
	print func(p Policy) string // the canonical value; "" where it is left out
}

// keys is every word of a Policy, in the order in which String prints them.
var keys = []key{
	{"attempts", "N", "attempts=3", "most attempts at an operation, the first included", (*Policy).readAttempts, Policy.printAttempts},
	{"backoff", "KIND", "backoff=exponential", "fixed, exponential or decorrelated (default exponential)", (*Policy).readKind, Policy.printKind},
	{"base", "DUR", "base=500ms", "pause before the first retry (default 100ms)", (*Policy).readBase, Policy.printBase},
	{"cap", "DUR", "cap=20s", "longest pause, before its jitter (default 20s, or base)", (*Policy).readCap, Policy.printCap},
	{"jitter", "KIND", "jitter=full", "how a pause is spread, see below (default none)", (*Policy).readJitter, Policy.printJitter},
	{"budget", "P%+R/s", "budget=20%+10/s or budget=grpc:10/0.1", "retries: P% of the operations and R a second, over 10s", (*Policy).readBudget, Policy.printBudget},
	{"breaker", "P%/DUR", "breaker=50%/10s", "send nothing once P% of the attempts in DUR have failed", (*Policy).readBreaker, Policy.printBreaker},
	{"calls", "N", "calls=20", "fewest attempts by which it judges (default 20)", (*Policy).readCalls, Policy.printCalls},
	{"open", "DUR", "open=5s", "how long it sends nothing before it probes (default 5s)", (*Policy).readOpen, Policy.printOpen},
	{"probes", "N", "probes=1", "attempts that must then succeed (default 1)", (*Policy).readProbes, Policy.printProbes},
	{"on", "LIST", "on=timeout,refused,429,5xx", "failures to retry, see below", (*Policy).readOn, Policy.printOn},
	{"retry-after", "on|off", "retry-after=off", "wait as long as the response asks for (default on)", (*Policy).readRetryAfter, Policy.printRetryAfter},
	{"repeat", "safe|always", "repeat=always", "what may be done twice, see below (default safe)", (*Policy).readRepeat, Policy.printRepeat},
	{"unknown", "query:PATH", "unknown=query:/payments/{key}", "ask this path about an unknown outcome, see below", (*Policy).readUnknown, Policy.printUnknown},
}

const footer = `
The pauses are base, base, base ... (fixed), base, twice base ... up to cap
(exponential) or up to three times the one before (decorrelated).
A pause w with jitter: none w, full 0 to w, equal w/2 to w, centred w/2 to 3w/2,
proportional 0.8w to 1.2w, wide 0 to 2w.
budget=grpc:M/T is gRPC's throttle: of M tokens a failure takes one, a success
gives T back; with half of them or less nothing is retried.
on= is, if not given, timeout,connect_timeout,refused,reset,truncated,dns,
network,stale_connection,408,425,429,500,502,503,504.
POST and PATCH are repeated only with an idempotency key or if nothing was sent;
with repeat=always in any case.
unknown=query:PATH goes with --idempotency-key: after a time-out or a reset of
such a request, the next attempt is a GET of PATH with the operation's key, also
in place of {key}. A success says that it was done, 404 that it was not and may
be sent again; after anything else it is asked again.
`

// maxAttempts keeps the cost of drawing an operation's pauses again small.
const maxAttempts = 1000

func (p *Policy) readAttempts(value string) (err error) {
	p.attempts, err = readCount(value, maxAttempts)
	return err
}

func (p Policy) printAttempts() string { return strconv.Itoa(p.attempts) }

func (p *Policy) readKind(value string) error {
	i, err := choose(value, kindNames)
	p.backoff.kind = kind(i)
	return err
}

func (p Policy) printKind() string { return kindNames[p.backoff.kind] }

func (p *Policy) readBase(value string) (err error) {
	p.backoff.base, err = readTime(value)
	return err
}

func (p Policy) printBase() string { return short(p.backoff.base) }

// defaultCap is that of the AWS SDKs' standard mode.
const defaultCap = 20 * time.Second

func (p *Policy) readCap(value string) (err error) {
	p.backoff.cap, err = readTime(value)
	return err
}

func (p Policy) printCap() string {
	if p.backoff.kind == fixed {
		return ""
	}
	return short(p.backoff.cap)
}

func (p *Policy) readJitter(value string) error {
	i, err := choose(value, jitterNames)
	p.backoff.jitter = jitter(i)
	return err
}

func (p Policy) printJitter() string {
	if p.backoff.kind == decorrelated {
		return ""
	}
	return jitterNames[p.backoff.jitter]
}

// A rate's reserve is counted in thousandths of a retry in a window of ten seconds:
// four decimals. A percentage of a retry is counted in thousandths of it: one.
const (
	percentPlaces = 1
	reservePlaces = 4
	tokenPlaces   = 3

	maxRatio   = 1_000        // percent
	maxReserve = 1_000_000    // a second
	maxTokens  = 1000 * token // gRPC's limit
)

func (p *Policy) readBudget(value string) error {
	if bucket, ok := strings.CutPrefix(value, "grpc:"); ok {
		return p.readThrottle(bucket)
	}
	share, rate, both := strings.Cut(value, "+")
	if !both && strings.HasSuffix(share, "/s") {
		share, rate = "0%", share
	} else if !both {
		rate = "0/s"
	}
	number, percent := strings.CutSuffix(share, "%")
	deposit, ok := decimal(number, percentPlaces)
	if !percent || !ok || deposit > 10*maxRatio {
		return fmt.Errorf("%q is not a share of the operations from 0%% to %d%% with at most one decimal", share, maxRatio)
	}
	number, perSecond := strings.CutSuffix(rate, "/s")
	reserve, ok := decimal(number, reservePlaces)
	if !perSecond || !ok || reserve > 10_000*maxReserve {
		return fmt.Errorf("%q is not a rate from 0/s to %d/s with at most four decimals", rate, maxReserve)
	}
	if deposit+reserve == 0 {
		return errors.New("a budget of nothing lets nothing be retried, as attempts=1 does")
	}
	p.ratio = allowance{deposit, reserve}
	return nil
}

func (p *Policy) readThrottle(value string) error {
	most, refill, _ := strings.Cut(value, "/")
	m, ok := decimal(most, tokenPlaces)
	r, also := decimal(refill, tokenPlaces)
	if !ok || !also || m == 0 || r == 0 || m > maxTokens || r > maxTokens {
		return fmt.Errorf("%q is not most tokens and tokens a success, above 0 and up to 1000, with at most three decimals", value)
	}
	p.throttle = bucket{m, r}
	return nil
}

func (p Policy) printBudget() string {
	var words []string
	if p.ratio.deposit > 0 {
		words = append(words, decimalText(p.ratio.deposit, percentPlaces)+"%")
	}
	if p.ratio.reserve > 0 {
		words = append(words, decimalText(p.ratio.reserve, reservePlaces)+"/s")
	}
	if p.throttle != (bucket{}) {
		words = append(words, "grpc:"+decimalText(p.throttle.most, tokenPlaces)+"/"+decimalText(p.throttle.refill, tokenPlaces))
	}
	return strings.Join(words, "+")
}

// filled is f with Hystrix's defaults where nothing was said.
func (f fuse) filled() fuse {
	if f.share == 0 {
		return f
	}
	if f.calls == 0 {
		f.calls = 20
	}
	if f.open == 0 {
		f.open = 5 * time.Second
	}
	if f.probes == 0 {
		f.probes = 1
	}
	return f
}

func (p *Policy) readBreaker(value string) (err error) {
	share, window, given := strings.Cut(value, "/")
	number, percent := strings.CutSuffix(share, "%")
	v, ok := decimal(number, percentPlaces)
	if !percent || !ok || v == 0 || v > 1000 {
		return fmt.Errorf("%q is not a share above 0%% and up to 100%% with at most one decimal", share)
	}
	p.fuse.share, p.fuse.window = v, 10*time.Second
	if given {
		p.fuse.window, err = readSpan(window)
	}
	return err
}

func (p Policy) printBreaker() string {
	if p.fuse.share == 0 {
		return ""
	}
	return decimalText(p.fuse.share, percentPlaces) + "%/" + short(p.fuse.window)
}

const maxCount = 1_000_000

func (p *Policy) readCalls(value string) error {
	n, err := readCount(value, maxCount)
	p.fuse.calls = int64(n)
	return err
}

func (p Policy) printCalls() string { return p.ofBreaker(strconv.FormatInt(p.fuse.calls, 10)) }

func (p *Policy) readOpen(value string) (err error) {
	p.fuse.open, err = readSpan(value)
	return err
}

func (p Policy) printOpen() string { return p.ofBreaker(short(p.fuse.open)) }

func (p *Policy) readProbes(value string) error {
	n, err := readCount(value, maxCount)
	p.fuse.probes = int64(n)
	return err
}

func (p Policy) printProbes() string { return p.ofBreaker(strconv.FormatInt(p.fuse.probes, 10)) }

// ofBreaker is text if there is a breaker.
func (p Policy) ofBreaker(text string) string {
	if p.fuse.share == 0 {
		return ""
	}
	return text
}

func (p *Policy) readOn(value string) (err error) {
	p.on, err = parseOn(value)
	return err
}

func (p Policy) printOn() string {
	if usual, _ := parseOn(defaultOn); p.on == usual {
		return ""
	}
	return p.on.String()
}

func (p *Policy) readRetryAfter(value string) error {
	i, err := choose(value, []string{"on", "off"})
	p.deaf = i == 1
	return err
}

func (p Policy) printRetryAfter() string {
	if p.deaf {
		return "off"
	}
	return ""
}

func (p *Policy) readRepeat(value string) error {
	i, err := choose(value, []string{"safe", "always"})
	p.reckless = i == 1
	return err
}

func (p Policy) printRepeat() string {
	if p.reckless {
		return "always"
	}
	return ""
}

// choose returns the place of word among names.
func choose(word string, names []string) (int, error) {
	if i := slices.Index(names, word); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%q is none of %s%s", word, strings.Join(names, ", "), didYouMean(word, names))
}

func (p *Policy) readUnknown(value string) error {
	path, ok := strings.CutPrefix(value, "query:")
	if !ok || !strings.HasPrefix(path, "/") {
		return errors.New("its value is not query: and a path")
	}
	p.query = path
	return nil
}

func (p Policy) printUnknown() string {
	if p.query == "" {
		return ""
	}
	return "query:" + p.query
}
