package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// A Law says how single arrivals fall within the offered rate. The zero value
// is even.
type Law struct {
	Kind Kind
	Size uint64 // for Burst: arrivals at a time; 0: all at once, at the start. For Population: clients

	// For Population: the time between two arrivals of a client, and the most that
	// chance adds to it. Aligned: it adds it to multiples of the period, not to the
	// arrival before.
	Period, Jitter time.Duration
	Aligned        bool
}

// A Kind is the kind of a law.
type Kind uint8

// The kinds of laws.
const (
	Even       Kind = iota // arrival k where k arrivals are expected: a pacer, no chance in it
	Poisson                // exponential gaps: many users who do not know of each other
	Uniform                // an exact number, each anywhere in the whole with equal chance
	Burst                  // Size at a time, at the pace of the rate; or all at once
	Population             // Size clients that come back every Period: cron, polling, one time to live
)

var kindNames = [...]string{Even: "even", Poisson: "poisson", Uniform: "uniform", Burst: "burst", Population: "population"}

// laws is what an error says to write.
const laws = "even, poisson, uniform, burst, burst=K or 'population=N period=TIME'"

// ParseLaw reads even, poisson, uniform, burst (all at once), burst=K (K at a time) or
// population=N period=TIME with jitter=TIME and aligned if wanted. The error is one
// line that says what to write.
func ParseLaw(text string) (Law, error) {
	name, size, hasSize := strings.Cut(text, "=")
	if strings.HasPrefix(text, kindNames[Population]) {
		return parsePopulation(text)
	}
	for kind, known := range kindNames {
		if name != known || hasSize && Kind(kind) != Burst {
			continue
		}
		law := Law{Kind: Kind(kind)}
		if hasSize {
			k, err := strconv.ParseUint(size, 10, 64)
			if err != nil || k == 0 {
				return Law{}, fmt.Errorf("arrival law %s: a burst has a whole number of arrivals above 0; write for example burst=10, or burst for all at once", quote(text))
			}
			law.Size = k
		}
		return law, nil
	}
	return Law{}, fmt.Errorf("arrival law %s: write %s", quote(text), laws)
}

// String is the form that ParseLaw reads back.
func (l Law) String() string {
	if int(l.Kind) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", l.Kind)
	}
	switch {
	case l.Kind == Burst && l.Size > 0:
		return fmt.Sprintf("burst=%d", l.Size)
	case l.Kind == Population:
		return l.populationText()
	}
	return kindNames[l.Kind]
}

// MarshalText is String.
func (l Law) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is ParseLaw.
func (l *Law) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLaw(string(text))
	return err
}

// atOnce reports whether all arrivals leave at the start, without a rate.
func (l Law) atOnce() bool { return l.Kind == Burst && l.Size == 0 }

// Together reports whether arrivals share instants, so that not all can leave in time.
func (l Law) Together() bool { return l.Kind == Burst || l.Kind == Population && l.Jitter == 0 }

// A line places arrivals, in order, on a line on which one is expected per unit.
type line interface {
	place(seq uint64) (x float64, ok bool)
}

// even is exact for the first 2⁵³ arrivals.
type even struct{}

func (even) place(seq uint64) (float64, bool) { return float64(seq), true }

// burst holds back each arrival's place to the first of its burst.
type burst struct{ size uint64 }

func (b burst) place(seq uint64) (float64, bool) { return float64(seq - seq%b.size), true }

// poisson is a Poisson process of rate one on [0, end). Through the inverse of
// N(t) it becomes one with the shape's rate.
// Source: Çınlar, Introduction to Stochastic Processes (1975), ch. 4.
type poisson struct {
	r      *rand.Rand
	x, end float64
}

func (p *poisson) place(uint64) (float64, bool) {
	p.x += p.r.ExpFloat64()
	return p.x, p.x < p.end
}

// uniform places n arrivals independently on [0, end), smallest first, in
// constant memory. The smallest of m uniforms on (0, 1) exceeds v with
// probability (1−v)^m, so −log(1−v) is exponential with mean 1/m; each next one
// is the smallest of one fewer on what is left.
// Source: Bentley and Saxe, Generating Sorted Lists of Random Numbers (1980).
type uniform struct {
	r      *rand.Rand
	n      uint64
	end    float64
	passed float64 // −log of the share of the line that lies ahead
}

func (u *uniform) place(seq uint64) (float64, bool) {
	u.passed += u.r.ExpFloat64() / float64(u.n-seq)
	return -u.end * math.Expm1(-u.passed), true
}
