package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/lab"
	"openload/plan"
	"openload/report"
)

var keys = plan.Keys([]plan.Key{plan.KeyOf("rate", plan.Text), plan.KeyOf("retry", plan.Text), Key()})

func read(t *testing.T, text string) (Spec, error) {
	f, err := plan.Read("e.yaml", []byte(text), keys)
	require.NoError(t, err)
	return Read(f)
}

const two = "experiment:\n  measures: [attempts, peak]\n  variants:\n    - {name: a, rate: 5}\n    - {name: b, rate: 6}\n"

func TestRead(t *testing.T) {
	s, err := read(t, `
rate: 50
experiment:
  repeats: 3
  simulate: true
  baseline: b
  bin: 200ms
  outcome: [ok, error]
  pause: 2s
  free: 127.0.0.1:0
  measures: [attempts, settled.p50, p99.9, raw.max, peak@10ms, peak.all@1s, server.held]
  before: echo all
  after: {run: echo after, timeout: 3s}
  variants:
    - {name: a, retry: {attempts: 3}}
    - {name: b, rate: 60, before: [echo one, {run: echo two}]}
`)
	require.NoError(t, err)
	require.Equal(t, 3, s.Repeats)
	require.True(t, s.Simulate)
	require.Equal(t, 1, s.Baseline)
	require.Equal(t, 200*time.Millisecond, s.Bin)
	require.Equal(t, []string{"ok", "error"}, s.Outcomes)
	require.Equal(t, 2*time.Second, s.Pause)
	require.Equal(t, []Hook{{"echo all", 30 * time.Second}}, s.Before)
	require.Equal(t, []Hook{{"echo after", 3 * time.Second}}, s.After)
	require.Equal(t, []Hook{{"echo one", 30 * time.Second}, {"echo two", 30 * time.Second}}, s.Variants[1].Before)
	require.Equal(t, "attempts=3", s.Variants[0].File.Words("retry")[0].Text)
	require.Equal(t, "50", s.Variants[0].File.Words("rate")[0].Text)
	require.Equal(t, "60", s.Variants[1].File.Words("rate")[0].Text)
	require.Len(t, s.Measures, 7)
	require.NoError(t, s.Occupied())
}

func TestWhatIsWrongWithAnExperiment(t *testing.T) {
	for text, want := range map[string]string{
		"rate: 5":                                                                "it has no experiment: section",
		"experiment: {repeats: 3}":                                               "no variants",
		"experiment: {variants: [{name: a}]}":                                    "1 variants; write from 2 to 50",
		"experiment: {variants: [{name: a}, {name: a}]}":                         `two variants are named "a"`,
		"experiment: {variants: [{rate: 5}, {name: a}]}":                         "a variant needs a name",
		"experiment: {variants: [{name: a, raet: 5}, {name: b}]}":                "did you mean rate?",
		"experiment: {repeats: 0, variants: [{name: a}, {name: b}]}":             `"0" is not a whole number from 1 to 100`,
		"experiment: {repeat: 3, variants: [{name: a}, {name: b}]}":              "did you mean repeats?",
		"experiment: {bin: 30ms, variants: [{name: a}, {name: b}]}":              "peaks are counted in windows of 1ms, 2ms",
		"experiment: {measures: [atempts], variants: [{name: a}, {name: b}]}":    "did you mean attempts?",
		"experiment: {measures: [p98], variants: [{name: a}, {name: b}]}":        `"p98" is unknown`,
		"experiment: {measures: [peak@3ms], variants: [{name: a}, {name: b}]}":   "windows of",
		"experiment: {measures: [ok, ok], variants: [{name: a}, {name: b}]}":     "ok is there twice",
		"experiment: {outcome: fine, variants: [{name: a}, {name: b}]}":          `"fine" is unknown`,
		"experiment: {baseline: c, variants: [{name: a}, {name: b}]}":            `"c" is unknown`,
		"experiment: {free: [8080], variants: [{name: a}, {name: b}]}":           `"8080" is no address`,
		"experiment: {after: [{timeout: 3s}], variants: [{name: a}, {name: b}]}": "a hook needs run:",
		"experiment: {simulate: perhaps, variants: [{name: a}, {name: b}]}":      `"perhaps" is unknown; known are true, false`,
	} {
		_, err := read(t, text)
		require.ErrorContains(t, err, want, text)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.ErrorContains(t, Spec{Free: []string{l.Addr().String()}}.Occupied(), "is not free")
}

// No variant always comes first, and each comes once a round.
func TestOrder(t *testing.T) {
	s := Spec{Variants: make([]Variant, 3)}
	require.Equal(t, []int{0, 1, 2}, s.Order(0))
	require.Equal(t, []int{1, 2, 0}, s.Order(1))
	require.Equal(t, []int{2, 0, 1}, s.Order(2))
	require.Equal(t, []int{0, 1, 2}, s.Order(3))
}

// A fake makes runs by a function, and notes what was asked of it.
type fake struct {
	make func(variant, round int) (Outcome, error)
	log  []string
}

func (f *fake) Run(_, _ context.Context, variant, round int) (Outcome, error) {
	f.log = append(f.log, fmt.Sprintf("%c%d", 'a'+variant, round))
	return f.make(variant, round)
}

// outcome is a run of 10 operations and so many attempts.
func outcome(attempts uint64, spoil ...func(o *Outcome)) (Outcome, error) {
	r := &report.Report{
		Counts:  report.Counts{Scheduled: 10, Fired: 10, OK: 10, Attempts: attempts, AttemptsSent: attempts},
		Peaks:   &report.Peaks{Later: report.Arrivals{Curve: []report.Peak{{Width: defaultBin, Sliding: attempts / 10}}}},
		Verdict: "none",
	}
	o := Outcome{Report: r, Target: &lab.Stats{Received: attempts}}
	for _, s := range spoil {
		s(&o)
	}
	return o, nil
}

func experiment(t *testing.T, make func(variant, round int) (Outcome, error), change ...func(*Spec)) (*Result, *fake) {
	s, err := read(t, two)
	require.NoError(t, err)
	for _, c := range change {
		c(&s)
	}
	f := &fake{make: make}
	return Run(t.Context(), t.Context(), s, Options{Lab: f, Seed: 7, Sleep: func(context.Context, time.Duration) {}, Out: &bytes.Buffer{}}), f
}

func TestAnExperiment(t *testing.T) {
	r, f := experiment(t, func(variant, round int) (Outcome, error) { return outcome(uint64(10 + 10*variant + round)) })
	require.Equal(t, []string{"a0", "b0", "b1", "a1", "a2", "b2", "b3", "a3"}, f.log)
	require.True(t, r.Valid())
	require.Equal(t, 11.5, *r.Variants[0].Medians[0])
	require.Equal(t, 21.5, *r.Variants[1].Medians[0])
	require.Equal(t, 2., *r.Variants[1].Medians[1])
	require.Equal(t, []uint64{7, 8, 9, 10}, []uint64{r.Variants[1].Runs[0].Seed, r.Variants[1].Runs[1].Seed, r.Variants[1].Runs[2].Seed, r.Variants[1].Runs[3].Seed})
	require.Len(t, r.Comparisons, 2)
	require.InDelta(t, 1./35, *r.Comparisons[0].P, 1e-12)
	require.Empty(t, r.Notes)
}

func TestThreeRunsCannotReach5Percent(t *testing.T) {
	r, _ := experiment(t, func(variant, _ int) (Outcome, error) { return outcome(uint64(10 + 100*variant)) }, func(s *Spec) { s.Repeats = 3 })
	require.InDelta(t, 0.1, *r.Comparisons[0].P, 1e-12)
	require.Equal(t, []string{"with 3 runs of a variant no difference reaches 5 %, however large: p is at least 0.1; 4 runs of each can (0.029)"}, r.Notes)
}

// A run that cannot be trusted makes its variant INVALID: no numbers, no comparison.
func TestWhatDoesNotCount(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(o *Outcome)
		want  string
	}{
		{"nothing was sent", func(o *Outcome) { o.Report.Counts.AttemptsSent, o.Target.Received = 0, 0 }, "the target saw no traffic"},
		{"not all arrived", func(o *Outcome) { o.Target.Received-- }, "10 requests were written, 9 arrived"},
		{"more arrived", func(o *Outcome) { o.Target.Received++ }, "10 requests were written, 11 arrived"},
		{"all failed", func(o *Outcome) { o.Report.Counts.OK, o.Report.Counts.TimedOut = 0, 10 }, "no operation ended as expected, which is ok"},
		{"sends were late", func(o *Outcome) { o.Report.Peaks.Smear = defaultBin + 1 }, "peaks are counted in 100ms"},
		{"the run is invalid", func(o *Outcome) {
			o.Report.Verdict, o.Report.Reasons = "invalid", []report.Reason{{Code: "rate", Text: "off the plan"}}
		}, "off the plan"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := experiment(t, func(variant, round int) (Outcome, error) {
				if variant == 1 && round == 2 {
					return outcome(10, tt.spoil)
				}
				return outcome(10)
			})
			require.False(t, r.Valid())
			b := r.Variants[1]
			require.False(t, b.Valid)
			require.Len(t, b.Reasons, 1)
			require.Contains(t, b.Reasons[0], "run 3: ")
			require.Contains(t, b.Reasons[0], tt.want)
			require.Nil(t, b.Medians[0])
			require.Nil(t, b.Runs[2].Values[0])
			require.True(t, r.Variants[0].Valid)
			require.Empty(t, r.Comparisons)
		})
	}
	r, _ := experiment(t, func(_, _ int) (Outcome, error) {
		return outcome(10, func(o *Outcome) {
			o.Target = nil // a server that is not ours
			o.Report.Counts.OK, o.Report.Counts.TimedOut = 0, 10
			o.Report.Verdict, o.Report.Reasons = "invalid", []report.Reason{{Code: "no_success", Text: "no operation succeeded"}}
		})
	}, func(s *Spec) { s.Outcomes = []string{"bad_status", "timed_out"} })
	require.True(t, r.Valid(), "that all fail is what it is about")
}

func TestARunThatCouldNotBeMade(t *testing.T) {
	r, _ := experiment(t, func(variant, round int) (Outcome, error) {
		if variant == 0 {
			return Outcome{}, errors.New("no such host")
		}
		return outcome(10)
	})
	require.Equal(t, "run 1: no such host", r.Variants[0].Reasons[0])
	require.True(t, r.Variants[1].Valid)
}

// What was measured before an interruption is kept; the run that was cut short is not.
func TestAnInterruptedExperiment(t *testing.T) {
	n := 0
	r, _ := experiment(t, func(_, _ int) (Outcome, error) {
		n++
		return outcome(10, func(o *Outcome) { o.Report.Run.Interrupted = n == 6 })
	})
	require.True(t, r.Interrupted)
	require.Len(t, r.Variants[0].Runs, 3)
	require.Len(t, r.Variants[1].Runs, 2)
	require.True(t, r.Valid())
	require.NotEmpty(t, r.Notes, "two and three runs are few")

	r, _ = experiment(t, func(_, _ int) (Outcome, error) {
		return outcome(10, func(o *Outcome) { o.Report.Run.Interrupted = true })
	})
	for _, a := range r.Variants {
		require.Equal(t, []string{"not run"}, a.Reasons)
	}
}

// Hooks surround a run; what comes after runs in reverse order, whatever happened.
func TestHooks(t *testing.T) {
	log := t.TempDir() + "/log"
	say := func(word string) Hook { return Hook{"echo " + word + " $OPENLOAD_VARIANT >> " + log, time.Minute} }
	for _, tt := range []struct {
		name   string
		before []Hook
		run    error
		want   string
		reason string
	}{
		{"all is well", []Hook{say("three")}, nil, "one a,two a,three a,run,4 a,5 a,6 a", ""},
		{"the run fails", []Hook{say("three")}, errors.New("broken"), "one a,two a,three a,run,4 a,5 a,6 a", "broken"},
		{"a hook fails", []Hook{{"exit 3", time.Minute}, say("never")}, nil, "one a,two a,4 a,5 a,6 a", `before: "exit 3": exit status 3`},
		{"a hook hangs", []Hook{{"sleep 60 & sleep 60", 50 * time.Millisecond}}, nil, "one a,two a,4 a,5 a,6 a", "took longer than 50ms and was ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(log, nil, 0o600))
			r, _ := experiment(t, func(variant, _ int) (Outcome, error) {
				if variant == 0 {
					f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
					require.NoError(t, err)
					_, err = f.WriteString("run\n")
					require.NoError(t, errors.Join(err, f.Close()))
				}
				o, _ := outcome(10)
				return o, tt.run
			}, func(s *Spec) {
				s.Repeats = 1
				s.Variants[0].Before, s.Variants[0].After = append([]Hook{say("two")}, tt.before...), []Hook{say("5"), say("4")}
				s.Before, s.After = []Hook{{"test $OPENLOAD_VARIANT = b || echo one $OPENLOAD_VARIANT >> " + log, time.Minute}}, []Hook{{"test $OPENLOAD_VARIANT = b || echo 6 $OPENLOAD_VARIANT >> " + log, time.Minute}}
			})
			got, err := os.ReadFile(log)
			require.NoError(t, err)
			require.Equal(t, tt.want, strings.ReplaceAll(strings.TrimSpace(string(got)), "\n", ","))
			if tt.reason == "" {
				require.True(t, r.Variants[0].Valid, r.Variants[0].Reasons)
			} else {
				require.Contains(t, r.Variants[0].Reasons[0], tt.reason)
			}
		})
	}
}

// Cleaning up is not skipped because somebody lost patience.
func TestCleanUpAfterAnInterruption(t *testing.T) {
	s, err := read(t, two)
	require.NoError(t, err)
	mark := t.TempDir() + "/mark"
	s.After = []Hook{{"touch " + mark, time.Minute}}
	ctx, giveUp := context.WithCancel(t.Context())
	r := Run(ctx, ctx, s, Options{Lab: &fake{make: func(_, _ int) (Outcome, error) {
		giveUp()
		return Outcome{}, context.Canceled
	}}, Out: &bytes.Buffer{}})
	require.True(t, r.Interrupted)
	require.FileExists(t, mark)
	s.After = []Hook{{"exit 1", time.Minute}}
	r = Run(t.Context(), t.Context(), s, Options{Lab: &fake{make: func(_, _ int) (Outcome, error) { return outcome(10) }}, Out: &bytes.Buffer{}})
	require.Contains(t, r.Notes[0], "clean-up of a, round 1, failed")
}
