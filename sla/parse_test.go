package sla

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
)

func TestParse(t *testing.T) {
	const percent = 10_000_000
	for _, tt := range []struct {
		name string
		text string
		want Rule
		form string // as String writes it, if not as text
	}{
		{"percentile", "p99<500ms", Rule{Metric: Percentile, Set: correct.Corrected, Quantile: correct.P99, Latency: 500 * time.Millisecond}, ""},
		{"limit included", "raw.p99.9<=1s", Rule{Metric: Percentile, Set: correct.Raw, Quantile: correct.P999, Equal: true, Latency: time.Second}, ""},
		{"max is the last percentile", "max<2s", Rule{Metric: Percentile, Set: correct.Corrected, Quantile: correct.Max, Latency: 2 * time.Second}, ""},
		{"mean", "mean<50ms", Rule{Metric: Mean, Set: correct.Corrected, Latency: 50 * time.Millisecond}, ""},
		{"successes alone", "ok.p50<80ms", Rule{Metric: Percentile, Set: correct.CorrectedOK, Quantile: correct.P50, Latency: 80 * time.Millisecond}, ""},
		{"whatever the outcome", "settled.p50<11s", Rule{Metric: Percentile, Set: correct.Settled, Quantile: correct.P50, Latency: 11 * time.Second}, ""},
		{"the default may be named", "corrected.p50<1s", Rule{Metric: Percentile, Set: correct.Corrected, Quantile: correct.P50, Latency: time.Second}, "p50<1s"},
		{"share of failures", "errors<0.1%", Rule{Metric: Errors, Billionths: percent / 10}, ""},
		{"share as a fraction", "errors<0.01", Rule{Metric: Errors, Billionths: percent}, "errors<1%"},
		{"no failure at all", "errors<=0", Rule{Metric: Errors, Equal: true}, "errors<=0%"},
		{"attempts for each operation", "attempts<1.2", Rule{Metric: Attempts, Billionths: 1_200_000_000}, ""},
		{"no retries", "attempts<=1", Rule{Metric: Attempts, Equal: true, Billionths: 1_000_000_000}, ""},
		{"lower limit", "useful>99%", Rule{Metric: Useful, Billionths: 99 * percent}, ""},
		{"lower limit included", "rate>=99%", Rule{Metric: Rate, Equal: true, Billionths: 99 * percent}, ""},
		{"everything", "useful>=100%", Rule{Metric: Useful, Equal: true, Billionths: 100 * percent}, ""},
		{"target", "checkout: p99<300ms", Rule{Target: "checkout", Metric: Percentile, Set: correct.Corrected, Quantile: correct.P99, Latency: 300 * time.Millisecond}, ""},
		{"target with colons and signs", "GET http://h/?a<b: errors<1%", Rule{Target: "GET http://h/?a<b", Metric: Errors, Billionths: percent}, ""},
		{"spaces everywhere", " checkout : raw . p99.90  <=  1 m ", Rule{Target: "checkout", Metric: Percentile, Set: correct.Raw, Quantile: correct.P999, Equal: true, Latency: time.Minute}, "checkout: raw.p99.9<=1m"},
		{"space before the percent sign", "errors < .5 %", Rule{Metric: Errors, Billionths: percent / 2}, "errors<0.5%"},
		{"compound duration", "max<1h30m", Rule{Metric: Percentile, Set: correct.Corrected, Quantile: correct.Max, Latency: 90 * time.Minute}, ""},
		{"whole hours", "max<60m", Rule{Metric: Percentile, Set: correct.Corrected, Quantile: correct.Max, Latency: time.Hour}, "max<1h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			if tt.form == "" {
				tt.form = tt.text
			}
			require.Equal(t, tt.form, got.String())
		})
	}
}

func TestParseErrors(t *testing.T) {
	const metrics = "the metrics are pXX such as p99.9, max, mean, errors, attempts, useful, first_try and rate"
	const readings = "the readings are raw, ok and settled, and without one the latency is corrected"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", " ", `rule "": no metric; write p99<500ms, errors<0.1% or the like`},
		{"no metric", "<500ms", `rule "<500ms": no metric; write p99<500ms, errors<0.1% or the like`},
		{"empty target", ": p99<1s", `rule ": p99<1s": no target before the colon; write checkout: p99<300ms, or leave the colon out`},
		{"no comparison", "p99", `rule "p99": no limit; write p99<500ms`},
		{"no comparison, with a target", "cart: useful", `rule "cart: useful": no limit; write cart: useful>99%`},
		{"no limit", "p99<=", `rule "p99<=": no limit after "<="; write p99<=500ms`},
		{"two rules in one", "p99<500ms,errors<1%", `rule "p99<500ms,errors<1%": more than one comparison; write one rule, and the next as another`},

		{"no unit", "p99<500", `rule "p99<500": 500 has no unit; write p99<500ms or p99<500s`},
		{"no unit, with a target", "cart: raw.max<=1.5", `rule "cart: raw.max<=1.5": 1.5 has no unit; write cart: raw.max<=1.5ms or cart: raw.max<=1.5s`},
		{"unit unknown", "p99<5secs", `rule "p99<5secs": "5secs" is not a duration; write p99<500ms`},
		{"latency in percent", "mean<5%", `rule "mean<5%": "5%" is not a duration; write mean<500ms`},
		{"latency below nothing", "p99<-5ms", `rule "p99<-5ms": a latency's limit is more than 0 and at most 1000h; write p99<500ms`},
		{"latency of nothing", "p99<=0s", `rule "p99<=0s": a latency's limit is more than 0 and at most 1000h; write p99<=500ms`},
		{"latency without end", "p99<1001h", `rule "p99<1001h": a latency's limit is more than 0 and at most 1000h; write p99<500ms`},

		{"latency the other way round", "p99>500ms", `rule "p99>500ms": a latency rule is an upper limit; write p99<500ms`},
		{"errors the other way round", "errors>=1%", `rule "errors>=1%": errors has an upper limit; write errors<=1%`},
		{"attempts the other way round", "attempts>3", `rule "attempts>3": attempts has an upper limit; write attempts<3`},
		{"useful the other way round", "useful<99%", `rule "useful<99%": useful has a lower limit; write useful>99%`},
		{"rate the other way round", "rate<=x", `rule "rate<=x": rate has a lower limit; write rate>=99%`},
		{"equal", "p99=500ms", `rule "p99=500ms": "=" is no comparison here; write p99<500ms`},
		{"equal twice", "useful==1%", `rule "useful==1%": "==" is no comparison here; write useful>1%`},
		{"signs swapped", "p99=<500ms", `rule "p99=<500ms": "=<" is no comparison here; write p99<=500ms`},
		{"sign of a book", "p99≤500ms", `rule "p99≤500ms": "≤" is no comparison here; write p99<=500ms`},
		{"sign doubled", "p99<<1s", `rule "p99<<1s": "<<" is no comparison here; write p99<1s`},

		{"p100", "p100<1s", `rule "p100<1s": p100 is the maximum; write max`},
		{"p999", "p999<1s", `rule "p999<1s": p999 is past the maximum; write p99.9`},
		{"p0", "p0<1s", `rule "p0<1s": "0" is not a percentile between 0 and 100 with at most seven decimals, such as 99 or 99.9`},
		{"percentile too fine", "p99.12345678<1s", `rule "p99.12345678<1s": "99.12345678" is not a percentile between 0 and 100 with at most seven decimals, such as 99 or 99.9`},
		{"letters swapped", "99p<500ms", `rule "99p<500ms": unknown metric "99p": did you mean p99? ` + metrics},
		{"capital letter", "P99.9<1s", `rule "P99.9<1s": unknown metric "P99.9": did you mean p99.9? ` + metrics},
		{"capital letter alone", "P99<1s", `rule "P99<1s": unknown metric "P99": did you mean p99? ` + metrics},
		{"typo", "eror<1%", `rule "eror<1%": unknown metric "eror": did you mean errors? ` + metrics},
		{"another tool's word", "avg<5ms", `rule "avg<5ms": unknown metric "avg": did you mean mean? ` + metrics},
		{"another word", "wibble<1s", `rule "wibble<1s": unknown metric "wibble": ` + metrics},
		{"colon forgotten", "checkout p99<300ms", `rule "checkout p99<300ms": unknown metric "checkout p99": did you mean checkout: p99? ` + metrics},
		{"dot forgotten", "raw p99<1s", `rule "raw p99<1s": unknown metric "raw p99": did you mean raw.p99? ` + metrics},
		{"typo in the reading", "rwa.p99<1s", `rule "rwa.p99<1s": unknown reading "rwa": did you mean raw? ` + readings},
		{"another reading", "wait.p99<1s", `rule "wait.p99<1s": unknown reading "wait": ` + readings},
		{"reading of no latency", "raw.errors<1%", `rule "raw.errors<1%": errors is not a latency and has no readings; write errors<0.1%`},

		{"all of them, or percent", "errors<1", `rule "errors<1": 1 could be percent or a share; write errors<1% or errors<0.01`},
		{"more than all, or percent", "errors<5", `rule "errors<5": 5 could be percent or a share; write errors<5% or errors<0.05`},
		{"useful in percent without the sign", "useful>99", `rule "useful>99": 99 could be percent or a share; write useful>99% or useful>0.99`},
		{"more than all", "errors<500", `rule "errors<500": 500 is more than all; write errors<0.1%`},
		{"more than all in percent", "rate>=101%", `rule "rate>=101%": 101% is more than all; write rate>=99%`},
		{"fewer than none", "errors<0%", `rule "errors<0%": that can never hold; write errors<=0%`},
		{"more useful than all", "useful>100%", `rule "useful>100%": that can never hold; write useful>=100%`},
		{"share as a duration", "errors<1ms", `rule "errors<1ms": "1ms" is not a share with at most seven decimals; write errors<0.1%`},
		{"share too fine", "errors<0.12345678%", `rule "errors<0.12345678%": "0.12345678%" is not a share with at most seven decimals; write errors<0.1%`},
		{"decimal comma", "errors<0,1%", `rule "errors<0,1%": "0,1%" is not a share with at most seven decimals; write errors<0.1%`},
		{"attempts in percent", "attempts<120%", `rule "attempts<120%": "120%" is not a number of attempts for each operation; write attempts<1.2`},
		{"fewer attempts than operations", "attempts<1", `rule "attempts<1": every operation has one attempt or more; write attempts<=1 for no retries, or attempts<1.2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Parse(tt.text)
			require.EqualError(t, err, tt.want)
			require.Zero(t, r)
		})
	}
}

// rules draws any rule that Parse can make.
var rules = rapid.Custom(func(t *rapid.T) Rule {
	r := Rule{
		Target: rapid.SampledFrom([]string{"", "checkout", "GET /a:b"}).Draw(t, "target"),
		Metric: rapid.SampledFrom([]Metric{Percentile, Mean, Errors, Attempts, Useful, Rate}).Draw(t, "metric"),
		Equal:  rapid.Bool().Draw(t, "equal"),
	}
	switch {
	case r.latency():
		r.Set = rapid.SampledFrom([]correct.Set{correct.Raw, correct.Corrected, correct.CorrectedOK, correct.Settled}).Draw(t, "set")
		r.Latency = time.Duration(rapid.Int64Range(1, int64(longestLimit)).Draw(t, "latency"))
		if r.Metric == Percentile {
			r.Quantile = correct.Quantile(rapid.Uint64Range(1, uint64(correct.Max)).Draw(t, "quantile"))
		}
	case r.Metric == Attempts:
		r.Billionths = rapid.Uint64Range(billion+1, 100*billion).Draw(t, "attempts")
	default:
		r.Billionths = rapid.Uint64Range(1, billion-1).Draw(t, "share")
	}
	return r
})

func TestRulesAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules.Draw(t, "rule")
		again, err := Parse(r.String())
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"p99<500ms", "raw.p99.9<=1s", "a: errors<0.1%", "attempts<1.2", "rate>=99%", "p99<500", "≤", "p:<\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "\n"), "an error is one line")
			return
		}
		again, err := Parse(r.String())
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}
