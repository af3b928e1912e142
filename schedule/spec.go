package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"time"
)

// A Spec describes a schedule before the run: a law with a shape, a population, or a
// recording, and limits. Which of the limits ends first, ends the schedule.
type Spec struct {
	Law      Law
	Shape    Shape         // the offered rate; none with Replay, a population, or if all arrivals leave at once
	N        uint64        // at most so many arrivals; 0: no limit
	Duration time.Duration // arrivals before this instant only; 0: no limit

	Replay Recording // the arrivals themselves, in place of law and shape
}

// Check lists everything that is wrong with s, joined; each problem says what to
// do. It finds no fault with a Poisson law that by chance yields no arrival.
func (s Spec) Check() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	if s.Duration < 0 {
		problem("duration %s is negative; give one above 0", s.Duration)
	}
	if int(s.Law.Kind) >= len(kindNames) {
		problem("arrival law %s is unknown; give %s", s.Law, laws)
	}
	if s.Law.Kind != Burst && s.Law.Kind != Population && s.Law.Size > 0 {
		problem("arrival law %s has a burst size; only burst takes one", s.Law)
	}
	if s.Law.Kind != Population && (s.Law.Period != 0 || s.Law.Jitter != 0 || s.Law.Aligned) {
		problem("arrival law %s has a period; only a population takes one", s.Law)
	}
	if len(s.Replay) > 0 {
		problems = append(problems, s.checkReplay()...)
		return errors.Join(problems...)
	}
	shapeProblems := s.Shape.check()
	switch {
	case s.Law.Kind == Population:
		problems = append(problems, s.checkPopulation()...)
	case s.Law.atOnce():
		if len(s.Shape) > 0 {
			problem("a rate (%s) beside a burst of all arrivals at once; drop the rate, or give burst=K for K at a time", s.Shape)
		}
		if s.N == 0 {
			problem("a burst of all arrivals at once needs their number; give n")
		}
	case len(s.Shape) == 0 && s.N > 0 && s.Duration > 0:
		problem("no rate and no schedule; give a rate, such as %d/%s for %d in %[2]s, or a schedule file", s.N, durationText(s.Duration), s.N)
	case len(s.Shape) == 0:
		problem("no rate and no schedule; give a rate such as 12.5, or a schedule file")
	case len(shapeProblems) > 0:
		problems = append(problems, shapeProblems...)
	default:
		problems = append(problems, s.checkExtent()...)
	}
	return errors.Join(problems...)
}

func (s Spec) checkReplay() (problems []error) {
	if len(s.Shape) > 0 {
		problems = append(problems, fmt.Errorf("a rate (%s) beside a recorded schedule; give one of them", s.Shape))
	}
	if s.Law.Kind != Even {
		problems = append(problems, fmt.Errorf("arrival law %s beside a recorded schedule, which has its own instants; give one of them", s.Law))
	}
	if err := s.Replay.check(); err != nil {
		problems = append(problems, fmt.Errorf("recorded schedule: %w", err))
	} else if len(s.kept()) == 0 && s.Duration >= 0 {
		problems = append(problems, fmt.Errorf("the recorded schedule has no arrival before %s, its first is at %s; give a longer duration", durationText(s.Duration), s.Replay[0].At))
	}
	return problems
}

// checkExtent asks for an end and for an arrival before it.
func (s Spec) checkExtent() []error {
	_, bounded := s.Shape.End()
	switch {
	case s.N == 0 && s.Duration == 0 && !bounded && s.Law.Kind == Uniform:
		return []error{errors.New("uniform arrivals need an end to be spread over; give n or a duration")}
	case s.N == 0 && s.Duration == 0 && !bounded:
		return []error{errors.New("the schedule would not end; give a number above 0 (--n 200) or a duration (--duration 20s)")}
	case s.N > s.most() && s.Duration == 0 && !bounded:
		return []error{fmt.Errorf("%d arrivals at %s take more than 292 years; give a higher rate or fewer", s.N, s.Shape)}
	case s.most() == 0 && s.Law.Kind != Poisson && s.Duration >= 0:
		text := s.Shape.String()
		if s.Duration > 0 {
			text += " for " + durationText(s.Duration)
		}
		if first, ok := s.Shape.When(1); ok {
			return []error{fmt.Errorf("%s schedules no arrival: one takes %s; give a longer duration or a higher rate", text, durationText(first))}
		}
		return []error{fmt.Errorf("%s schedules no arrival; give longer stages or a higher rate", text)}
	}
	return nil
}

// Open starts the schedule that s describes; r decides the arrivals of Poisson and
// uniform laws and of a population with jitter, and may be nil for the others. It
// panics if Check finds a problem.
func (s Spec) Open(r *rand.Rand) Schedule {
	if err := s.Check(); err != nil {
		panic("schedule: open of a spec that Check refuses: " + err.Error())
	}
	switch {
	case len(s.Replay) > 0:
		return s.kept().Open()
	case s.Law.atOnce():
		return &atOnce{n: s.N}
	case s.Law.Kind == Population:
		return newPopulation(s.Law, r, s.N, s.end())
	}
	p := &spaced{inverse: s.Shape.inverse(), n: s.count(), end: s.end()}
	switch s.Law.Kind {
	case Even:
		p.line = even{}
	case Burst:
		p.line = burst{s.Law.Size}
	case Uniform:
		p.line = &uniform{r: r, n: p.n, end: s.span()}
	case Poisson:
		offered := math.Inf(1)
		if p.end < maxDuration {
			offered = s.Shape.Count(p.end)
		}
		p.line = &poisson{r: r, end: offered}
		if p.n = s.N; s.N == 0 {
			p.n = math.MaxUint64
		}
	}
	return p
}

// Planned is the number of arrivals that Open yields, exactly. For a Poisson law or a
// population that something other than N can end, it walks through the arrivals of a
// generator from newRand, some tens to hundreds of nanoseconds each; other laws do not
// call it. s must have passed Check.
func (s Spec) Planned(newRand func() *rand.Rand) uint64 {
	switch {
	case len(s.Replay) > 0:
		return uint64(len(s.kept()))
	case s.Law.atOnce(), s.Law.walks() && s.end() == maxDuration:
		return s.N
	case !s.Law.walks():
		return s.count()
	}
	n, _ := s.walk(newRand)
	return n
}

// Length is the instant by which the schedule has ended; no arrival is later. If
// the duration or the shape ends it, that is their end. If N does, it is the
// instant at which the next arrival would have left: 16 s for 200 at 12.5/s. For a
// Poisson law with N, a population with N and a recording it is the last arrival, and 0
// for a burst of all. newRand is as in Planned, and s must have passed Check.
func (s Spec) Length(newRand func() *rand.Rand) time.Duration {
	switch {
	case len(s.Replay) > 0:
		kept := s.kept()
		return kept[len(kept)-1].At
	case s.Law.atOnce():
		return 0
	case s.N == 0:
		return s.end()
	case s.Law.walks():
		if n, last := s.walk(newRand); n == s.N {
			return last
		}
		return s.end()
	}
	end, ok := s.Shape.When(float64(s.N))
	if !ok {
		return s.end()
	}
	return min(end, s.end())
}

// walks reports whether chance decides how many arrivals there are.
func (l Law) walks() bool { return l.Kind == Poisson || l.Kind == Population }

func (s Spec) walk(newRand func() *rand.Rand) (n uint64, last time.Duration) {
	for open := s.Open(newRand()); ; n++ {
		a, ok := open.Next()
		if !ok {
			return n, last
		}
		last = a.At
	}
}

// end is when the duration or the shape ends the schedule; maxDuration if only N does.
func (s Spec) end() time.Duration {
	end, _ := s.Shape.End()
	if s.Law.Kind == Population {
		end = maxDuration // it has no shape
	}
	if s.Duration > 0 {
		end = min(end, s.Duration)
	}
	return end
}

// most is floor(N(end)): the arrivals whose whole interval fits before the end.
func (s Spec) most() uint64 {
	total := s.Shape.count(s.end())
	return new(big.Int).Quo(total.Num(), total.Denom()).Uint64()
}

// count is the number of arrivals of a law whose number chance does not decide.
func (s Spec) count() uint64 {
	if most := s.most(); s.N == 0 || most < s.N {
		return most
	}
	return s.N
}

// span is the part of the line over which uniform arrivals are spread: all that is
// offered before the end, or the first N of it.
func (s Spec) span() float64 {
	if s.N > 0 && s.N <= s.most() {
		return float64(s.N)
	}
	return s.Shape.Count(s.end())
}

// kept is the part of the recording within the limits.
func (s Spec) kept() Recording {
	kept := s.Replay
	if s.N > 0 && s.N < uint64(len(kept)) {
		kept = kept[:s.N]
	}
	if s.Duration > 0 {
		kept = kept.before(s.Duration)
	}
	return kept
}

// String describes the schedule in one line, always the same for the same Spec:
// even 12.5/s n=200.
func (s Spec) String() string {
	var words []string
	switch {
	case len(s.Replay) > 0:
		words = append(words, fmt.Sprintf("replay of %d", len(s.Replay)))
	case len(s.Shape) > 0:
		words = append(words, s.Law.String(), s.Shape.String())
	default:
		words = append(words, s.Law.String())
	}
	if s.N > 0 {
		words = append(words, fmt.Sprintf("n=%d", s.N))
	}
	if s.Duration > 0 {
		words = append(words, "duration="+durationText(s.Duration))
	}
	return strings.Join(words, " ")
}

// SHA256 is the hash, in hex, of String and, for a recording, of its arrivals.
// With the run's seed it identifies every instant of the schedule.
func (s Spec) SHA256() string {
	h := sha256.New()
	fmt.Fprintln(h, s)
	if len(s.Replay) > 0 {
		if _, err := WriteCSV(h, s.Replay.Open()); err != nil {
			panic(err) // a hash never fails to take bytes
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
