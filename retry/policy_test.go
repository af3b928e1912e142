package retry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// texts are random policies.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		dur := func(name string, least, most int64) string {
			return time.Duration(rapid.Int64Range(least, most).Draw(t, name)).String()
		}
		words := []string{fmt.Sprintf("attempts=%d", rapid.IntRange(1, 1000).Draw(t, "attempts"))}
		add := func(name string, value func() string) {
			if rapid.Bool().Draw(t, name+"?") {
				words = append(words, name+"="+value())
			}
		}
		kind := rapid.SampledFrom(kindNames).Draw(t, "kind")
		words = append(words, "backoff="+kind, "base="+dur("base", 1, 1e12))
		if kind != "fixed" {
			add("cap", func() string { return dur("cap", 1e12, 1e15) })
		}
		if kind != "decorrelated" {
			add("jitter", func() string { return rapid.SampledFrom(jitterNames).Draw(t, "jitter") })
		}
		add("budget", func() string {
			share := decimalText(rapid.Int64Range(1, 10_000).Draw(t, "share"), percentPlaces) + "%"
			rate := decimalText(rapid.Int64Range(1, 1e10).Draw(t, "reserve"), reservePlaces) + "/s"
			tokens := func(name string) string {
				return decimalText(rapid.Int64Range(1, maxTokens).Draw(t, name), tokenPlaces)
			}
			return rapid.SampledFrom([]string{share, rate, share + "+" + rate, "grpc:" + tokens("most") + "/" + tokens("refill")}).Draw(t, "budget")
		})
		if rapid.Bool().Draw(t, "breaker?") {
			words = append(words, "breaker="+decimalText(rapid.Int64Range(1, 1000).Draw(t, "percent"), 1)+"%/"+dur("window", 1, 1e12))
			add("calls", func() string { return fmt.Sprint(rapid.IntRange(1, 1000).Draw(t, "calls")) })
			add("open", func() string { return dur("open", 1, 1e12) })
			add("probes", func() string { return fmt.Sprint(rapid.IntRange(1, 1000).Draw(t, "probes")) })
		}
		add("on", func() string {
			failures := append(classNames(), "408", "429", "500", "503", "4xx", "5xx")
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(failures), 1, 5).Draw(t, "on"), ",")
		})
		add("retry-after", func() string { return rapid.SampledFrom([]string{"on", "off"}).Draw(t, "retry-after") })
		add("repeat", func() string { return rapid.SampledFrom([]string{"safe", "always"}).Draw(t, "repeat") })
		return strings.Join(rapid.Permutation(words).Draw(t, "order"), " ")
	})
}

// What String prints, Parse reads back to the same Policy.
func TestPrintedAndParsedIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy(t, texts().Draw(t, "policy"))
		require.Equal(t, p, policy(t, p.String()))
	})
}

func TestCanonicalForm(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing asked", "", "none"},
		{"nothing asked, in a word", " none ", "none"},
		{"defaults are said", "attempts=3", "attempts=3 backoff=exponential base=100ms cap=20s jitter=none"},
		{"one attempt", "attempts=1 backoff=fixed", "attempts=1 backoff=fixed base=100ms jitter=none"},
		{"all that is usual", "attempts=3 backoff=exponential base=500ms cap=20s jitter=full budget=20%+10/s", "attempts=3 backoff=exponential base=500ms cap=20s jitter=full budget=20%+10/s"},
		{"keys in their order", "jitter=wide\tbase=1m attempts=2\n", "attempts=2 backoff=exponential base=1m cap=1m jitter=wide"},
		{"decorrelated has no other jitter", "attempts=5 backoff=decorrelated base=1s cap=8s", "attempts=5 backoff=decorrelated base=1s cap=8s"},
		{"a fixed pause has no cap", "attempts=2 backoff=fixed base=0s jitter=equal", "attempts=2 backoff=fixed base=0s jitter=equal"},
		{"a share alone", "attempts=2 budget=12.50%", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none budget=12.5%"},
		{"a reserve alone", "attempts=2 budget=.25/s", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none budget=0.25/s"},
		{"gRPC's throttle", "attempts=2 budget=grpc:10/0.100", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none budget=grpc:10/0.1"},
		{"a breaker with its defaults", "attempts=2 breaker=50%", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none breaker=50%/10s calls=20 open=5s probes=1"},
		{"a breaker", "probes=3 open=120s calls=5 attempts=1 breaker=12.5%/30s", "attempts=1 backoff=exponential base=100ms cap=20s jitter=none breaker=12.5%/30s calls=5 open=2m probes=3"},
		{"failures in their order", "attempts=2 on=503,5xx,refused,100,timeout,404", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none on=timeout,refused,100,404,5xx"},
		{"the usual failures are not said", "attempts=2 on=" + defaultOn, "attempts=2 backoff=exponential base=100ms cap=20s jitter=none"},
		{"asks", "attempts=2 unknown=query:/pay/{key}", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none unknown=query:/pay/{key}"},
		{"deaf and reckless", "attempts=2 retry-after=off repeat=always", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none retry-after=off repeat=always"},
		{"what is usual of the two is not said", "attempts=2 retry-after=on repeat=safe", "attempts=2 backoff=exponential base=100ms cap=20s jitter=none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := policy(t, tt.text)
			require.Equal(t, tt.want, p.String())
			text, err := p.MarshalText()
			require.NoError(t, err)
			var again Policy
			require.NoError(t, again.UnmarshalText(text))
			require.Equal(t, p, again)
		})
	}
}

func TestWhatToWriteInstead(t *testing.T) {
	const theKeys = "the keys are attempts, backoff, base, cap, jitter, budget, breaker, calls, open, probes, on, retry-after, repeat, unknown"
	for _, tt := range []struct{ name, text, want string }{
		{"a letter wrong", "atempts=3", `retry: unknown key "atempts", did you mean "attempts"?; ` + theKeys},
		{"another word", "attempts=3 strategy=full", `retry: unknown key "strategy"; ` + theKeys},
		{"retries are no attempts", "retries=2", `retry: unknown key "retries", write attempts=, which counts the first one as well: two retries are attempts=3; ` + theKeys},
		{"no attempts", "backoff=fixed", `retry: attempts= is missing; write attempts=3 for a first attempt and at most two more`},
		{"twice", "attempts=3 attempts=4", `retry: attempts=4: attempts= is given twice`},
		{"no attempt at all", "attempts=0", `retry: attempts=0: "0" is not a whole number from 1 to 1000; write attempts=N, such as attempts=3`},
		{"no value", "attempts", `retry: attempts: "" is not a whole number from 1 to 1000; write attempts=N, such as attempts=3`},
		{"no such backoff", "attempts=3 backoff=exponental", `retry: backoff=exponental: "exponental" is none of fixed, exponential, decorrelated, did you mean "exponential"?; write backoff=KIND, such as backoff=exponential`},
		{"no such jitter", "attempts=3 jitter=centered", `retry: jitter=centered: "centered" is none of none, full, equal, centred, proportional, wide, did you mean "centred"?; write jitter=KIND, such as jitter=full`},
		{"no unit", "attempts=3 base=500", `retry: base=500: "500" is not a time with its unit, from 0s to 10000h; write base=DUR, such as base=500ms`},
		{"negative", "attempts=3 cap=-1s", `retry: cap=-1s: "-1s" is not a time with its unit, from 0s to 10000h; write cap=DUR, such as cap=20s`},
		{"a cap for a fixed pause", "attempts=3 backoff=fixed cap=1s", `retry: cap= does not go with backoff=fixed, which waits base= every time; leave it out`},
		{"jitter twice", "attempts=3 backoff=decorrelated jitter=full", `retry: jitter= does not go with backoff=decorrelated, which is a jitter of its own; leave it out`},
		{"grows from nothing", "attempts=3 base=0s", `retry: backoff=exponential from base=0s never waits; write backoff=fixed base=0s to retry at once`},
		{"cap below base", "attempts=3 base=2s cap=1s", `retry: cap=1s is below base=2s; write a cap= of at least that`},
		{"no percent", "attempts=3 budget=0.2", `retry: budget=0.2: "0.2" is not a share of the operations from 0% to 1000% with at most one decimal; write budget=P%+R/s, such as budget=20%+10/s or budget=grpc:10/0.1`},
		{"no rate", "attempts=3 budget=20%+10", `retry: budget=20%+10: "10" is not a rate from 0/s to 1000000/s with at most four decimals; write budget=P%+R/s, such as budget=20%+10/s or budget=grpc:10/0.1`},
		{"a budget of nothing", "attempts=3 budget=0%", `retry: budget=0%: a budget of nothing lets nothing be retried, as attempts=1 does; write budget=P%+R/s, such as budget=20%+10/s or budget=grpc:10/0.1`},
		{"too many tokens", "attempts=3 budget=grpc:1001/1", `retry: budget=grpc:1001/1: "1001/1" is not most tokens and tokens a success, above 0 and up to 1000, with at most three decimals; write budget=P%+R/s, such as budget=20%+10/s or budget=grpc:10/0.1`},
		{"a breaker that never closes", "attempts=3 breaker=0%", `retry: breaker=0%: "0%" is not a share above 0% and up to 100% with at most one decimal; write breaker=P%/DUR, such as breaker=50%/10s`},
		{"a breaker without a window", "attempts=3 breaker=50%/0s", `retry: breaker=50%/0s: "0s" is no time at all; write breaker=P%/DUR, such as breaker=50%/10s`},
		{"parts of no breaker", "attempts=3 open=1s", `retry: open= says more about a breaker and there is none; write breaker=50%/10s beside it`},
		{"no failure", "attempts=3 on=timout", `retry: on=timout: "timout" is no failure to retry, did you mean "timeout"?: classes are timeout, connect_timeout, refused, reset, truncated, malformed, dns, tls, tls_expired, tls_wrong_name, tls_untrusted, proxy, network, stale_connection, out_of_descriptors, out_of_ports; statuses are 100 to 599, or 5xx for all of 500 to 599; write on=LIST, such as on=timeout,refused,429,5xx`},
		{"neither on nor off", "attempts=3 retry-after=1s", `retry: retry-after=1s: "1s" is none of on, off; write retry-after=on|off, such as retry-after=off`},
		{"everything at once", "attemts=3 base=1 jitter=full", `retry: unknown key "attemts", did you mean "attempts"?; ` + theKeys + "\n" +
			`retry: base=1: "1" is not a time with its unit, from 0s to 10000h; write base=DUR, such as base=500ms`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse(tt.text)
			require.EqualError(t, err, tt.want)
			require.Zero(t, p)
		})
	}
}

// No failure of the loop itself, none that ends an operation, and no status out of range.
func TestWhatCannotBeRetried(t *testing.T) {
	for _, word := range []string{"", "ok", "deadline", "dropped", "unfinished", "bad_status", "099", "600", "6xx", "1000", "xx", "5x", "50x", "+50", "5 xx"} {
		_, err := Parse("attempts=2 on=" + word)
		require.Error(t, err, word)
	}
}

func TestHelp(t *testing.T) {
	for line := range strings.SplitSeq(Help(), "\n") {
		require.LessOrEqual(t, len(line), 80, line)
	}
	require.Contains(t, strings.ReplaceAll(Help(), "\n", ""), defaultOn, "the usual failures")
	for _, word := range append(kindNames, jitterNames...) {
		require.Contains(t, Help(), word)
	}
	for _, k := range keys {
		require.Contains(t, "\n"+Help(), "\n"+k.name+"=")
		_, err := Parse("attempts=3 breaker=50% " + strings.Fields(k.example)[0])
		if k.name == "attempts" || k.name == "breaker" {
			require.ErrorContains(t, err, "twice")
		} else {
			require.NoError(t, err, "the example is one")
		}
	}
}

// Shards together grant what the whole does, and each can still open and close.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy(t, texts().Draw(t, "policy"))
		n := rapid.Uint64Range(1, 16).Draw(t, "n")
		var reserve, most, calls int64
		for i := range n {
			s := p.Share(i, n)
			require.Equal(t, s, policy(t, s.String()), "a share is a policy")
			require.Equal(t, p.ratio == allowance{}, s.ratio == allowance{}, "a share of a budget is a budget")
			require.Equal(t, p.throttle == bucket{}, s.throttle == bucket{})
			require.Equal(t, p.fuse.probes > 0, s.fuse.probes > 0)
			require.Equal(t, p.attempts, s.attempts)
			reserve += s.ratio.reserve
			most += s.throttle.most
			calls += s.fuse.calls
		}
		within := func(whole, sum int64) {
			if whole >= int64(n) {
				require.Equal(t, whole, sum)
			} else if whole > 0 {
				require.EqualValues(t, n, sum, "one for each")
			} else {
				require.Zero(t, sum)
			}
		}
		within(p.ratio.reserve, reserve)
		within(p.throttle.most, most)
		within(p.fuse.calls, calls)
	})
	require.Panics(t, func() { Policy{}.Share(2, 2) })
	require.Equal(t, 1, Policy{}.Attempts(), "the zero policy")
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "none", "attempts=3", "attempts=3 backoff=exponential base=500ms cap=20s jitter=full budget=20%+10/s",
		"attempts=5 backoff=decorrelated base=1s cap=8s budget=grpc:10/0.1 breaker=50%/10s calls=1 open=1s probes=2",
		"attempts=2 backoff=fixed base=0s on=timeout,5xx,429 retry-after=off repeat=always", "retries=3", "attempts=2 budget=.5/s",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			if p != (Policy{}) {
				t.Fatalf("%q: a policy beside the error %v", text, err)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "retry: ") {
					t.Fatalf("%q: the line %q of the error does not say whose it is", text, line)
				}
			}
			return
		}
		again, err := Parse(p.String())
		if err != nil || again != p || again.String() != p.String() {
			t.Fatalf("%q is printed as %q and read back as %q, %v", text, p, again, err)
		}
		New(p, Options{Chance: chance(1)})
	})
}

// What is asked about unknown outcomes may hold a secret, which no error repeats.
func TestAnErrorHidesThePath(t *testing.T) {
	for _, text := range []string{"attempts=2 unknown=qery:/x?token=hush", "attempts=2 unknown=query:/x?token=hush unknown=query:/x?token=hush", "attempts=2 unkown=query:/x?token=hush", "unknown=hush"} {
		_, err := Parse(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hush")
	}
}
