package lab

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What String prints, Parse reads back to the same Spec.
func TestPrintedAndParsedIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := parsed(t, specs().Draw(t, "spec"))
		again := parsed(t, s.String())
		require.Equal(t, s, again)
		require.Equal(t, s.String(), again.String())
	})
}

func TestCanonicalForm(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"the lab", "service=50ms stall=150:2s", "service=50ms stall=150:2s"},
		{"the default is said", "", "service=0s"},
		{"only what differs from it", "workers=1 hang=0 hang-after=0s errors=0% close=0% trickle=0s accept=2/1s reject=503", "service=0s accept=2/1s"},
		{"keys in their order", " close=2% workers=4\tservice=50ms\n", "service=50ms workers=4 close=2%"},
		{"no limit of workers", "workers=0", "service=0s workers=0"},
		{"stalls by number", "stall=9:1s stall=2:0.5s", "service=0s stall=2:500ms stall=9:1s"},
		{"freezes by start, none is lost", "freeze=9s:1s freeze=9s:1s freeze=2s:90s", "service=0s freeze=2s:1m30s freeze=9s:1s freeze=9s:1s"},
		{"times without zeros", "service=60m hang=120s", "service=1h hang=2m"},
		{"times with zeros inside", "service=3601s hang=600s", "service=1h0m1s hang=10m"},
		{"capacity keeps its order", "errors=.5% capacity=60/s until=120s then=100/s until=1h then=0/s until=2h then=5", "errors=0.5% capacity=60/s until=2m then=100/s until=1h then=0/s until=2h then=5/s"},
		{"rates per second where that ends", "capacity=300/m until=1s then=12.50/s until=2s then=9/h", "capacity=5/s until=1s then=12.5/s until=2s then=0.0025/s"},
		{"and else as a ratio", "capacity=100/m until=1s then=1/90s", "capacity=5/3s until=1s then=1/90s"},
		{"statuses by code", "status=503:2% status=429:.5%", "service=0s status=429:0.5% status=503:2%"},
		{"sizes in their greatest unit", "body=2048B", "service=0s body=2KiB"},
		{"sizes as they are", "body=1001B trickle=1m0s", "service=0s body=1001B trickle=1m"},
		{"nobody may wait", "queue=0 reject=429 retry-after=60s", "service=0s queue=0 reject=429 retry-after=1m"},
		{"or where the decimals are too many", "capacity=1/1048576s", "capacity=1/1048576s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, parsed(t, tt.text).String())
		})
	}
}

// The ends of the messages, which many share.
const (
	notTime   = " is not a time with its unit, from 0s to 10000h; write "
	notShare  = " is not a share from 0% to 100%; write "
	notNumber = " is not the number of a request, which is 1 or more; write stall=K:DUR, such as stall=150:2s"
	notCount  = " is not a whole number from 0 (no limit) to 1000000; write workers=N, such as workers=4"
	notRate   = " is not a rate from 0/s to 1000000000/s with at most 9 decimals; write capacity=R/s, such as capacity=60/s"
	theKeys   = "the keys are service, stall, freeze, workers, hang, hang-after, errors, close, status, body, trickle, accept, limit, queue, max-age, reject, retry-after, layers, attempts, budget, capacity, until, then"
	steps     = "capacity=60/s until=120s then=100/s"
)

func TestWhatToWriteInstead(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a letter wrong", "servce=50ms", `server: unknown key "servce"; did you mean "service"? ` + theKeys},
		{"another word", "latency=50ms", `server: unknown key "latency"; ` + theKeys},
		{"no value", "service", `server: service: ""` + notTime + `service=DUR, such as service=50ms`},
		{"no unit", "service=50", `server: service=50: "50"` + notTime + `service=DUR, such as service=50ms`},
		{"before the start", "hang=-1s", `server: hang=-1s: "-1s"` + notTime + `hang=DUR, such as hang=8s`},
		{"beyond the end", "hang=10001h", `server: hang=10001h: "10001h"` + notTime + `hang=DUR, such as hang=8s`},
		{"given twice", "service=1s service=2s", `server: service=2s: service= is given twice`},
		{"a stall without a number", "stall=2s", `server: stall=2s: "2s"` + notNumber},
		{"a stall without a time", "stall=150", `server: stall=150: ""` + notTime + `stall=K:DUR, such as stall=150:2s`},
		{"requests count from 1", "stall=0:2s", `server: stall=0:2s: "0"` + notNumber},
		{"two stalls of one request", "stall=2:2s stall=2:3s", `server: stall=2:3s: request 2 is stalled already; write stall=K:DUR, such as stall=150:2s`},
		{"a freeze without a start", "freeze=2s", `server: freeze=2s: ""` + notTime + `freeze=START:DUR, such as freeze=12s:2s`},
		{"a freeze from nowhere", "freeze=:2s", `server: freeze=:2s: ""` + notTime + `freeze=START:DUR, such as freeze=12s:2s`},
		{"a freeze of nothing", "freeze=2s:0s", `server: freeze=2s:0s: a freeze lasts longer than 0s; write freeze=START:DUR, such as freeze=12s:2s`},
		{"half a worker", "workers=1.5", `server: workers=1.5: "1.5"` + notCount},
		{"too many workers", "workers=1000001", `server: workers=1000001: "1000001"` + notCount},
		{"a share without %", "errors=1", `server: errors=1: "1"` + notShare + `errors=P%, such as errors=1%`},
		{"a share above all", "close=101%", `server: close=101%: "101%"` + notShare + `close=P%, such as close=0.5%`},
		{"a share that is no number", "close=NaN%", `server: close=NaN%: "NaN%"` + notShare + `close=P%, such as close=0.5%`},
		{"shares above all together", "errors=60% close=50%", `server: errors=, close= and status= are shares of the same requests and add up to 110%; write at most 100% in all`},
		{"a rate that is no number", "capacity=fast", `server: capacity=fast: "fast"` + notRate},
		{"a rate with an exponent", "capacity=1e9999999/s", `server: capacity=1e9999999/s: "1e9999999/s"` + notRate},
		{"a rate with two points", "capacity=1.2.3/s", `server: capacity=1.2.3/s: "1.2.3/s"` + notRate},
		{"a rate per nothing", "capacity=1/0s", `server: capacity=1/0s: "1/0s"` + notRate},
		{"a rate above one a nanosecond", "capacity=1000000000.1/s", `server: capacity=1000000000.1/s: "1000000000.1/s"` + notRate},
		{"a rate with ten decimals", "capacity=0.0000000001/s", `server: capacity=0.0000000001/s: "0.0000000001/s"` + notRate},
		{"until before capacity", "until=2s capacity=60/s", `server: until=2s: until= comes after a capacity= or then=; write until=T, such as ` + steps},
		{"until twice", "capacity=60/s until=1s until=2s then=1/s", `server: until=2s: until= comes after a capacity= or then=; write until=T, such as ` + steps},
		{"until without a unit", "capacity=60/s until=1 then=1/s", `server: until=1: "1"` + notTime + `until=T, such as ` + steps},
		{"until not later", "capacity=60/s until=2s then=1/s until=2s then=3/s", `server: until=2s: until= has to be later than 2s; write until=T, such as ` + steps},
		{"then without until", "capacity=60/s then=1/s", `server: then=1/s: then= comes after an until=; write then=R/s, such as ` + steps},
		{"nothing after until", "capacity=60/s until=2s", `server: nothing follows until=2s; write then=R/s after it`},
		{"stopped for good", "capacity=60/s until=2s then=0/s", `server: a last speed of 0/s would answer nobody; write until=DUR then=R/s after it`},
		{"speeds without a common measure", "capacity=99999.999999999/s until=2s then=1/7m", `server: the speeds of capacity= and then= have no common measure that fits 63 bits; write them with fewer digits`},
		{"a status without a share", "status=429", `server: status=429: ""` + notShare + `status=CODE:P%, such as status=429:5%`},
		{"no status of an answer", "status=600:1%", `server: status=600:1%: "600" is not a whole number from 200 to 599; write status=CODE:P%, such as status=429:5%`},
		{"two shares of one status", "status=429:1% status=429:2%", `server: status=429:2%: status 429 has a share already; write status=CODE:P%, such as status=429:5%`},
		{"too many statuses", "close=50% status=429:30% status=503:30%", `server: errors=, close= and status= are shares of the same requests and add up to 110%; write at most 100% in all`},
		{"no unit of a size", "body=100", `server: body=100: "100" is not a size from 1B to 1GiB, in B, kB, KiB, MB or MiB; write body=SIZE, such as body=64KiB`},
		{"too large", "body=1025MiB", `server: body=1025MiB: "1025MiB" is not a size from 1B to 1GiB, in B, kB, KiB, MB or MiB; write body=SIZE, such as body=64KiB`},
		{"nothing to trickle", "trickle=1s", `server: trickle=1s needs a body; write body=SIZE beside it`},
		{"a quota without a window", "accept=3", `server: accept=3: ""` + notTime + `accept=K/DUR, such as accept=3/100ms`},
		{"a quota of nobody", "accept=0/1s", `server: accept=0/1s: "0" is not a whole number from 1 to 1000000000; write accept=K/DUR, such as accept=3/100ms`},
		{"a quota in no time", "accept=3/0s", `server: accept=3/0s: "0s" is no time at all; write accept=K/DUR, such as accept=3/100ms`},
		{"a server for nobody", "limit=0", `server: limit=0: "0" is not a whole number from 1 to 1000000; write limit=N, such as limit=100`},
		{"a queue where nobody waits", "workers=0 queue=5", `server: queue= limits those who wait for a worker, and with workers=0 nobody does; leave one of them out`},
		{"a rejection that is a success", "limit=1 reject=200", `server: reject=200: "200" is not a whole number from 400 to 599; write reject=CODE, such as reject=429`},
		{"nothing is rejected", "reject=429", `server: reject= says how to reject, and nothing is rejected; write accept=, limit=, queue= or max-age= beside it`},
		{"a pause for nobody", "retry-after=1s errors=1%", `server: retry-after= is sent with what is rejected and with 429 and 503, and there is none; write limit=100 or status=429:5% beside it`},
		{"half a second in a header", "limit=1 retry-after=1500ms", `server: retry-after=1500ms: a Retry-After has whole seconds; write retry-after=DUR, such as retry-after=2s`},
		{"layers of what", "layers=3", `server: layers= and attempts= go together; write both, such as layers=3 attempts=3`},
		{"a chain without end", "layers=20 attempts=3", `server: 20 layers of 3 attempts make up to 3.49e+09 calls of one request; write fewer, for at most 1000000`},
		{"capacity and service", "capacity=60/s service=1s workers=2", `server: service= does not go with capacity=, which is one worker with a speed of its own; leave one of them out
server: workers= does not go with capacity=, which is one worker with a speed of its own; leave one of them out`},
		{"all that is wrong at once", "service=50 stal=1:2s errors=1", `server: service=50: "50"` + notTime + `service=DUR, such as service=50ms
server: unknown key "stal"; did you mean "stall"? ` + theKeys + `
server: errors=1: "1" is not a share from 0% to 100%; write errors=P%, such as errors=1%`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse(tt.text)
			require.EqualError(t, err, tt.want)
			require.Equal(t, Spec{}, s)
		})
	}
}

// beside is what a key makes no sense without.
var beside = map[string]string{"trickle": "body=1B", "reject": "limit=1", "retry-after": "limit=1", "layers": "attempts=3", "attempts": "layers=3", "budget": "layers=2 attempts=3"}

// Whoever follows an example is understood, and Help names every key.
func TestExamplesAndHelp(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(Help()), "\n")
	require.Len(t, lines, len(keys)+1)
	for i, k := range keys {
		text := k.example
		if with, needs := beside[k.name]; needs {
			text += " " + with
		}
		parsed(t, text)
		require.True(t, strings.HasPrefix(lines[i], k.name+"="+k.form+" "), lines[i])
		require.LessOrEqual(t, len(lines[i]), 80)
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range keys {
		f.Add(k.example)
	}
	f.Add("service=50ms stall=150:2s freeze=11920ms:2s workers=0 errors=1% close=.5% hang=8s")
	f.Add("accept=3/100ms limit=9 queue=0 max-age=1s reject=429 retry-after=2s status=429:5% layers=2 attempts=3 budget=12.5% body=1MB trickle=5s")
	f.Add("capacity=12.5 until=1ns then=1/90s until=10000h then=300/m")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				require.True(t, strings.HasPrefix(line, "server: "), line)
			}
			return
		}
		again, err := Parse(s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
		if s.workers > 10 { // a table for a million workers is no news
			return
		}
		m := s.Model(chance())
		for _, at := range []time.Duration{0, 0, 1, 1e9, 1e18} {
			answer := m.Serve(at)
			require.GreaterOrEqual(t, answer.At, at)
		}
	})
}
