package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A Law says how single arrivals fall within the offered rate. The zero value
// is even.
type Law struct {
	Kind Kind
	Size uint64 // for Burst: arrivals at a time; 0: all at once, at the start
}

// A Kind is the kind of a law.
type Kind uint8

// The kinds of laws.
const (
	Even    Kind = iota // arrival k where k arrivals are expected: a pacer, no chance in it
	Poisson             // exponential gaps: many users who do not know of each other
	Uniform             // an exact number, each anywhere in the whole with equal chance
	Burst               // Size at a time, at the pace of the rate; or all at once
)

var kindNames = [...]string{Even: "even", Poisson: "poisson", Uniform: "uniform", Burst: "burst"}

// ParseLaw reads even, poisson, uniform, burst (all at once) or burst=K (K at a
// time). The error is one line that says what to write.
func ParseLaw(text string) (Law, error) {
	name, size, hasSize := strings.Cut(text, "=")
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
	return Law{}, fmt.Errorf("arrival law %s: write even, poisson, uniform, burst or burst=K", quote(text))
}

// String is the form that ParseLaw reads back.
func (l Law) String() string {
	if int(l.Kind) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", l.Kind)
	}
	if l.Kind == Burst && l.Size > 0 {
		return fmt.Sprintf("burst=%d", l.Size)
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
