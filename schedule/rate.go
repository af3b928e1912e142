package schedule

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Rate is a number of arrivals per second, exactly: 1/90s is not 0.0111.
// It is above zero, from 1e-9 to 1e9; the zero value means that none is given,
// or in a [Stage] a pause. Equal rates compare equal with ==.
type Rate struct {
	num, den uint64 // per second, in lowest terms, both below 2⁶³
}

const (
	rateForms = "write arrivals per second, such as 12.5, or a count per time, such as 300/m or 1/90s"

	// Rate.String needs at most 112; beyond that, digits are a mistake or an attack.
	maxRateText = 200
)

var (
	maxRate = big.NewRat(1e9, 1) // one arrival per nanosecond, the schedule's resolution
	minRate = big.NewRat(1, 1e9)

	errTooFast = errors.New("above 1e9 per second, one arrival per nanosecond; write a lower rate")
	errTooSlow = errors.New("below 1e-9 per second, one arrival in 31 years; write a higher rate")
)

// ParseRate reads a number per second (12.5, 1e3), or a count per unit of time
// (300/m, 5/h) or per duration (1/90s, 100/1m30s). The error is one line that
// says what to write.
func ParseRate(text string) (Rate, error) {
	r, err := parseRateOrZero(text)
	if err == nil && r.IsZero() {
		err = fmt.Errorf("rate %q: must be above 0; %s", text, rateForms)
	}
	return r, err
}

func parseRateOrZero(text string) (Rate, error) {
	r, err := readRate(strings.TrimSpace(text))
	if err != nil {
		return Rate{}, fmt.Errorf("rate %s: %w", quote(text), err)
	}
	return r, nil
}

func readRate(text string) (Rate, error) {
	if len(text) > maxRateText {
		return Rate{}, fmt.Errorf("too long; %s", rateForms)
	}
	count, per, hasPer := strings.Cut(text, "/")
	perSec, err := decimal(count)
	if err != nil {
		return Rate{}, err
	}
	if hasPer {
		d, err := period(per)
		if err != nil {
			return Rate{}, err
		}
		perSec.Mul(perSec, big.NewRat(int64(time.Second), int64(d)))
	}
	return newRate(perSec)
}

// decimal reads a number that is not negative. It keeps big.Rat from forms that
// are no rates (0x10, 1_000, 1/3) and from exponents that would fill the memory.
func decimal(text string) (*big.Rat, error) {
	f, err := strconv.ParseFloat(text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	switch {
	case strings.Trim(text, "0123456789.eE+-") != "", errors.Is(err, strconv.ErrSyntax):
		return nil, fmt.Errorf("not a number; %s", rateForms)
	case f < 0:
		return nil, fmt.Errorf("must be above 0; %s", rateForms)
	case !strings.ContainsAny(mantissa, "123456789"):
		return new(big.Rat), nil
	case f < 1e-30:
		return nil, errTooSlow
	case f > 1e30:
		return nil, errTooFast
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("not a number; %s", rateForms)
	}
	return x, nil
}

// period reads the time after the slash: a unit, or a duration.
func period(text string) (time.Duration, error) {
	withCount := text
	if text != "" && strings.IndexByte("0123456789.+-", text[0]) < 0 {
		withCount = "1" + text
	}
	d, err := time.ParseDuration(withCount)
	if err != nil {
		return 0, fmt.Errorf("%q is no time; write s, m or h after the slash, or a duration with its unit such as 90s", text)
	}
	if d <= 0 {
		return 0, errors.New("the time after the slash must be above 0; write for example 50/2s")
	}
	return d, nil
}

func newRate(perSec *big.Rat) (Rate, error) {
	switch {
	case perSec.Sign() == 0:
		return Rate{}, nil
	case perSec.Cmp(maxRate) > 0:
		return Rate{}, errTooFast
	case perSec.Cmp(minRate) < 0:
		return Rate{}, errTooSlow
	case !perSec.Num().IsInt64() || !perSec.Denom().IsInt64():
		return Rate{}, errors.New("more digits than can be kept exactly; write at most 18")
	}
	return Rate{perSec.Num().Uint64(), perSec.Denom().Uint64()}, nil
}

// IsZero reports whether no rate is given.
func (r Rate) IsZero() bool { return r.num == 0 }

// PerSecond is the rate as a float, arrivals per second.
func (r Rate) PerSecond() float64 {
	f, _ := r.rat().Float64()
	return f
}

// Interval is the time from one arrival to the next at this rate, to the
// nearest nanosecond; 0 for the zero rate.
func (r Rate) Interval() time.Duration {
	if r.IsZero() {
		return 0
	}
	ns, rest := r.interval()
	return time.Duration(roundUp(ns, rest, r.num))
}

// interval is 1/r: whole nanoseconds, and rest/num of another.
func (r Rate) interval() (ns, rest uint64) {
	// r is at least 1e-9, so the quotient is at most 1e18 and Div64 cannot overflow.
	hi, lo := bits.Mul64(r.den, uint64(time.Second))
	return bits.Div64(hi, lo, r.num)
}

// roundUp rounds ns + rest/of to the nearest integer, halves up.
func roundUp(ns, rest, of uint64) uint64 {
	if rest >= of-rest {
		return ns + 1
	}
	return ns
}

// rat is the rate as a new big.Rat, arrivals per second.
func (r Rate) rat() *big.Rat {
	if r.IsZero() {
		return new(big.Rat)
	}
	return big.NewRat(int64(r.num), int64(r.den))
}

// String is the rate in a form that ParseRate reads back to the same value:
// per second where that is a decimal (12.5/s), else a count per time (1/1m30s).
func (r Rate) String() string {
	x := r.rat()
	if digits, exact := x.FloatPrec(); exact {
		return x.FloatString(digits) + "/s"
	}
	const maxSeconds = uint64(maxDuration / time.Second)
	if r.den <= maxSeconds {
		per := durationText(time.Duration(r.den) * time.Second)
		if per == "1m" || per == "1h" {
			per = per[1:]
		}
		return fmt.Sprintf("%d/%s", r.num, per)
	}
	// A decimal count for each q ns, where q is what keeps r from being a decimal.
	q := r.den
	for q%2 == 0 {
		q /= 2
	}
	for q%5 == 0 {
		q /= 5
	}
	x.Mul(x, big.NewRat(int64(q), int64(time.Second)))
	digits, _ := x.FloatPrec()
	return fmt.Sprintf("%s/%dns", x.FloatString(digits), q)
}

// MarshalText is String.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}

// durationText is d without the zeros that time.Duration prints: 1m, not 1m0s.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// quote quotes text for an error, cut to what fits a line.
func quote(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return strconv.Quote(text)
}
