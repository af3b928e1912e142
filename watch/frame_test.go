package watch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/engine"
	"openload/internal/golden"
	"openload/lab"
	"openload/schedule"
	"openload/seed"
	"openload/sim"
	"openload/sink"
	"openload/sla"
	"openload/watch"
)

const ms = time.Millisecond

// stopwatch looks at a run in virtual time, at the first turn from each instant on.
type stopwatch struct {
	*watch.Watch
	at   []time.Duration
	seen []watch.Sight
}

func (s *stopwatch) Turn(now time.Duration) {
	for len(s.seen) < len(s.at) && now >= s.at[len(s.seen)] {
		s.Ask()
		s.Watch.Turn(now)
		sight, _ := s.Look(now)
		s.seen = append(s.seen, sight)
	}
}

// follow makes budgets for a plan of n operations.
func follow(rules []sla.Rule, n uint64) []sla.Budget {
	return sla.Follow(rules, sla.Course{Planned: func(string) uint64 { return n }})
}

func rules(t require.TestingT, texts ...string) (all []sla.Rule) {
	for _, text := range texts {
		r, err := sla.Parse(text)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

// textbook is a server of 4 ms with one stall of 2 s at 8.0 s, behind one connection,
// as it stands at the instants given.
func textbook(t *testing.T, rules []sla.Rule, at ...time.Duration) []watch.Sight {
	server, err := lab.Parse("service=4ms stall=101:2s")
	require.NoError(t, err)
	rate, err := schedule.ParseRate("12.5")
	require.NoError(t, err)
	s := stopwatch{Watch: watch.New(follow(rules, 200)), at: at}
	arrivals := schedule.Spec{Shape: schedule.Constant(rate), N: 200}.Open(nil)
	engine.Run(context.Background(), context.Background(), arrivals,
		sim.New(server.Model(seed.Seed(1).Stream("server")), func(int) bool { return true }), &s, nil, engine.Limits{InFlight: 1, Drain: time.Minute})
	require.Len(t, s.seen, len(at))
	return s.seen
}

func head(rules []sla.Rule) watch.Head {
	h := watch.Head{
		Request: "GET http://127.0.0.1:8080/checkout", Load: []string{"12.5/s x 200", "1 connection"},
		Planned: 200, Length: 15920 * ms,
	}
	for _, r := range rules {
		h.Load = append(h.Load, "SLA "+r.String())
	}
	return h
}

// The frames of the textbook run: before the stall, in the middle of it, while the queue
// drains, and at the end; then the same instant on other terminals.
func TestFrames(t *testing.T) {
	rules := rules(t, "p99<500ms", "errors<1%")
	at := []time.Duration{0, 1600 * ms, 9600 * ms, 10800 * ms, 15920 * ms}
	seen := textbook(t, rules, at...)
	h := head(rules)
	var b strings.Builder
	for i, s := range seen {
		show(&b, fmt.Sprintf("at %v", at[i]), h.Frame(s, watch.Style{Width: 80}))
	}
	stalled := seen[2]
	show(&b, "60 columns, ASCII", h.Frame(stalled, watch.Style{Width: 60, ASCII: true}))
	show(&b, "40 columns", h.Frame(stalled, watch.Style{Width: 40}))
	show(&b, "30 columns", h.Frame(stalled, watch.Style{Width: 30}))
	closed := h
	closed.Closed, closed.Length = true, 0
	show(&b, "a closed loop", closed.Frame(stalled, watch.Style{Width: 80}))
	b.WriteString("--- whole lines\n" + h.Title() + "\n")
	for _, s := range seen {
		b.WriteString(h.Line(s, watch.Style{}) + "\n")
	}
	golden.Check(t, "frames.txt", []byte(b.String()))
}

func show(b *strings.Builder, name string, lines []string) {
	b.WriteString("--- " + name + "\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Each kind of rule says in its own unit what stands against it.
func TestBudgetsInWords(t *testing.T) {
	rules := rules(t, "p99<500ms", "mean<80ms", "raw.mean<5ms", "attempts<1.2", "errors<1%")
	for _, tt := range []struct {
		at   time.Duration
		n    uint64
		want []string
	}{
		{9600 * ms, 200, []string{
			" SLA p99<500ms   14 over in 1 episode, 2 allowed of 200   cannot pass any more",
			" SLA mean<80ms   17.2 s in all, 16.0 s allowed for 200   cannot pass any more",
			" SLA raw.mean<5ms   2.00 s in all, 1.00 s allowed for 200   cannot pass any more",
			" SLA attempts<1.2   101 attempts, 239 allowed for 200   holds so far",
			" SLA errors<1%   0 failed, 1 allowed of 200   holds so far",
		}},
		{9600 * ms, 0, []string{
			" SLA p99<500ms   broken so far", "   14 over in 1 episode, 1 allowed of the 121 so far",
			" SLA mean<80ms   broken so far", "   17.2 s in all, 9.68 s allowed for the 121 so far",
		}},
	} {
		s := textbook(t, rules, tt.at)[0]
		for i := range s.Budgets {
			s.Budgets[i].Planned = tt.n
		}
		h := head(rules)
		frame := strings.Join(h.Frame(s, watch.Style{Width: 80}), "\n")
		for _, line := range tt.want {
			require.Contains(t, frame, line)
		}
	}
}

func TestFramesFit(t *testing.T) {
	rules := rules(t, "p99<500ms", "errors<1%", "max<2s", "raw.p99.9<=1s", "useful>99%", "p50<1s")
	h := head(rules)
	h.Request = "GET http://127.0.0.1:8080/" + strings.Repeat("very/long/", 20) + "\x1b[2J"
	for _, s := range textbook(t, rules, 0, 9600*ms, 15*time.Second) {
		for width := 1; width < 130; width++ {
			frame := h.Frame(s, watch.Style{Width: width})
			require.Less(t, len(frame), 24, "a screen has 24 lines")
			for _, line := range frame {
				require.LessOrEqual(t, sink.Width(line), width)
				require.NotContains(t, line, "\x1b", "a URL must not move the cursor")
			}
		}
		for _, line := range h.Frame(s, watch.Style{Width: 80, ASCII: true}) {
			for _, r := range line {
				require.Less(t, r, rune(128), line)
			}
		}
	}
}
