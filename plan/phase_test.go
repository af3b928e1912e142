package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/schedule"
)

func phasesOf(t *testing.T, texts ...string) *Plan {
	p := &Plan{Seed: 1}
	var all []Phase
	for _, text := range texts {
		x, err := ParsePhase(text)
		require.NoError(t, err, text)
		require.Equal(t, text, x.String())
		all = append(all, x)
	}
	p.SetPhases(all)
	return p
}

func TestPhases(t *testing.T) {
	p := phasesOf(t, "10..50@10s warmup", "0@5s", "base: 50@1m", "spike: 500@5s", "50@1m")
	require.NoError(t, p.Check())
	var names []string
	for _, x := range p.Phases {
		names = append(names, x.Name)
	}
	require.Equal(t, []string{"warm-up", "pause", "base", "spike", "steady"}, names)
	require.Equal(t, "10..50@10s,0@5s,50@1m,500@5s,50@1m", p.Schedule.Shape.String())
	require.Equal(t, 10*time.Second, p.WarmUntil())
	require.EqualValues(t, 300, p.PlannedWarm())
	for at, want := range map[time.Duration]int{0: 0, 10*time.Second - 1: 0, 10 * time.Second: 1, 20 * time.Second: 2, 75 * time.Second: 3, 80 * time.Second: 4, time.Hour: 4} {
		require.Equal(t, want, p.PhaseAt(at), at)
		require.Equal(t, want == 0, p.Warm(at), at)
	}
	require.Equal(t, "10..50", p.Phases[0].Rate())
	require.Equal(t, "0", p.Phases[1].Rate())
	require.Equal(t, []string{"ramp", "steady", "steady 2"}, []string{
		phasesOf(t, "1..2@1s").Phases[0].Name, phasesOf(t, "1@1s", "2@1s").Phases[0].Name, phasesOf(t, "1@1s", "2@1s").Phases[1].Name})
}

func TestPhasesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"": "write 'NAME: RATE@TIME'", "50": "write", "50@1m,5@1s": "write", "a: 50@1m warm": "write", "x@1s": "not a number", "50@x": "no length", "50@0s": "no length",
	} {
		_, err := ParsePhase(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "stage 1")
	}
	for _, tt := range []struct {
		plan *Plan
		want string
	}{
		{phasesOf(t, "50@1m warmup"), "--phase: every operation is due in a warm-up"},
		{phasesOf(t, "50@1m", "50@1m warmup"), `"warm-up" is a warm-up after a phase that is judged`},
		{&Plan{Warmup: time.Second, Schedule: schedule.Spec{Shape: schedule.Constant(rate(t, "1")), N: 1}}, "nothing would be judged"},
		{&Plan{Warmup: time.Second, Closed: &Closed{Duration: time.Second}, Connections: 1}, "nothing would be judged"},
	} {
		require.ErrorContains(t, tt.plan.Check(), tt.want)
	}
	both := phasesOf(t, "50@1m")
	both.Warmup = time.Second
	require.ErrorContains(t, both.Check(), "beside phases")
}

func TestPhasesOfAFile(t *testing.T) {
	keys := Keys([]Key{KeyOf("phase", List)})
	f, err := Read("p.yaml", []byte(`phases:
  - {name: warm-up, rate: 10..50, duration: 10s, warmup: true}
  - pause: 5s
  - {rate: 50, duration: 1m}
  - 'spike: 500@5s'
`), keys)
	require.NoError(t, err)
	require.Equal(t, []string{"warm-up: 10..50@10s warmup", "0@5s", "50@1m", "spike: 500@5s"}, words(f, "phase"))
	for text, want := range map[string]string{
		"phases: [{rate: 5}]":                              "p.yaml:1: phases 1: a phase has a rate and a duration",
		"phases: [{rate: 5, duration: 1m, warmpu: true}]":  `p.yaml:1: phases 1: unknown key "warmpu", did you mean warmup?`,
		"phases: [{rate: 5, duration: 1m, warmup: maybe}]": `phases 1 warmup: "maybe" is neither true nor false`,
		"phases: [{rate: 5, duration: 1}]":                 `phases 1: rate "5@1"`,
		"phases: [{rate: 5, pause: 1s}]":                   "a pause has neither",
		"phases: [{rat: 5, duration: 1s}]":                 "did you mean rate?",
		"phases: [{name: 'a:b', pause: 1s}]":               "has a colon",
	} {
		_, err := Read("p.yaml", []byte(text), keys)
		require.ErrorContains(t, err, want, text)
	}
}
