package lab

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A key is one word of a Spec.
type key struct {
	name, form string
	again      bool   // may be given more than once
	example    string // what Parse reads, in an error
	meaning    string // and Help

	read  func(s *Spec, value string) error
	print func(s Spec) []string // the canonical values; none where they are the default
}

// keys is every word of a Spec, in the order in which String prints them.
var keys = []key{
	{"service", "DUR", false, "service=50ms", "time of service of a request (default 0s)", (*Spec).readService, Spec.printService},
	{"stall", "K:DUR", true, "stall=150:2s", "the K-th request takes DUR in total instead; may be repeated", (*Spec).readStall, Spec.printStalls},
	{"freeze", "START:DUR", true, "freeze=12s:2s", "nobody works for DUR, from START on; may be repeated", (*Spec).readFreeze, Spec.printFreezes},
	{"workers", "N", false, "workers=4", "workers behind the one queue, 0 for no limit (default 1)", (*Spec).readWorkers, Spec.printWorkers},
	{"hang", "DUR", false, "hang=8s", "hold each request for DUR before it enters the queue", (*Spec).readHang, Spec.printHang},
	{"errors", "P%", false, "errors=1%", "share answered with status 500 after their service", (*Spec).readErrors, Spec.printErrors},
	{"close", "P%", false, "close=0.5%", "share whose connection is closed after it, without an answer", (*Spec).readCloses, Spec.printCloses},
	{"capacity", "R/s", false, "capacity=60/s", "one worker of R requests a second, in place of service=", (*Spec).readCapacity, Spec.printSteps},
	{"until", "T", true, recovers, "the capacity before it holds until T; may be repeated", (*Spec).readUntil, printed},
	{"then", "R/s", true, recovers, "the capacity from then on; may be repeated", (*Spec).readThen, printed},
}

const recovers = "capacity=60/s until=120s then=100/s"

// printed is for keys that another one prints.
func printed(Spec) []string { return nil }

func (s *Spec) readService(value string) (err error) {
	s.service, err = readTime(value)
	return err
}

func (s Spec) printService() []string {
	if len(s.steps) > 0 {
		return nil
	}
	return []string{short(s.service)}
}

func (s *Spec) readStall(value string) error {
	number, total, _ := strings.Cut(value, ":")
	k, err := strconv.ParseUint(number, 10, 63)
	if err != nil || k == 0 {
		return fmt.Errorf("%q is not the number of a request, which is 1 or more", number)
	}
	if slices.ContainsFunc(s.stalls, func(x stall) bool { return x.number == k }) {
		return fmt.Errorf("request %d is stalled already", k)
	}
	d, err := readTime(total)
	s.stalls = append(s.stalls, stall{k, d})
	return err
}

func (s Spec) printStalls() (values []string) {
	for _, x := range s.stalls {
		values = append(values, fmt.Sprintf("%d:%s", x.number, short(x.total)))
	}
	return values
}

func (s *Spec) readFreeze(value string) error {
	from, long, _ := strings.Cut(value, ":")
	start, err := readTime(from)
	if err != nil {
		return err
	}
	length, err := readTime(long)
	if err == nil && length == 0 {
		err = errors.New("a freeze lasts longer than 0s")
	}
	s.freezes = append(s.freezes, freeze{start, length})
	return err
}

func (s Spec) printFreezes() (values []string) {
	for _, f := range s.freezes {
		values = append(values, short(f.start)+":"+short(f.length))
	}
	return values
}

// maxWorkers keeps the table of workers under 16 MiB.
const maxWorkers = 1_000_000

func (s *Spec) readWorkers(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxWorkers {
		return fmt.Errorf("%q is not a whole number from 0 (no limit) to %d", value, maxWorkers)
	}
	s.workers = n
	return nil
}

func (s Spec) printWorkers() []string {
	if s.workers == 1 {
		return nil
	}
	return []string{strconv.Itoa(s.workers)}
}

func (s *Spec) readHang(value string) (err error) {
	s.hang, err = readTime(value)
	return err
}

func (s Spec) printHang() []string {
	if s.hang == 0 {
		return nil
	}
	return []string{short(s.hang)}
}

func (s *Spec) readErrors(value string) (err error) {
	s.errors, err = readShare(value)
	return err
}

func (s Spec) printErrors() []string { return printShare(s.errors) }

func (s *Spec) readCloses(value string) (err error) {
	s.closes, err = readShare(value)
	return err
}

func (s Spec) printCloses() []string { return printShare(s.closes) }

func (s *Spec) readCapacity(value string) error {
	rate, err := readRate(value)
	s.steps = []step{{rate: rate}}
	return err
}

func (s *Spec) readUntil(value string) error {
	n := len(s.steps)
	if n == 0 || s.steps[n-1].until > 0 {
		return errors.New("until= comes after a capacity= or then=")
	}
	before := time.Duration(0)
	if n > 1 {
		before = s.steps[n-2].until
	}
	t, err := readTime(value)
	if err == nil && t <= before {
		err = fmt.Errorf("until= has to be later than %s", short(before))
	}
	s.steps[n-1].until = max(t, before+1) // even if it is wrong, a then= may follow
	return err
}

func (s *Spec) readThen(value string) error {
	if n := len(s.steps); n == 0 || s.steps[n-1].until == 0 {
		return errors.New("then= comes after an until=")
	}
	rate, err := readRate(value)
	s.steps = append(s.steps, step{rate: rate})
	return err
}

// printSteps prints until= and then= as well, since their order has a meaning.
func (s Spec) printSteps() []string {
	if len(s.steps) == 0 {
		return nil
	}
	var b strings.Builder
	for i, x := range s.steps {
		if i > 0 {
			fmt.Fprintf(&b, " until=%s then=", short(s.steps[i-1].until))
		}
		b.WriteString(printRate(x.rate))
	}
	return []string{b.String()}
}

// maxTime keeps sums of a few times far from the end of time.Duration.
const maxTime = 10_000 * time.Hour

func readTime(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > maxTime {
		return 0, fmt.Errorf("%q is not a time with its unit, from 0s to %s", value, short(maxTime))
	}
	return d, nil
}

// short prints d without the units that are zero: 2m, not 2m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func readShare(value string) (percent float64, err error) {
	number, ok := strings.CutSuffix(value, "%")
	percent, err = strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(percent >= 0 && percent <= 100) { // NaN is neither
		return 0, fmt.Errorf("%q is not a share from 0%% to 100%%", value)
	}
	return percent, nil
}

func printShare(percent float64) []string {
	if percent == 0 {
		return nil
	}
	return []string{strconv.FormatFloat(percent, 'g', -1, 64) + "%"}
}

// maxRate is one request a nanosecond.
const maxRate = 1_000_000_000

// readRate reads requests per time: 60, 60/s, 300/m, 12.5/h or 1/90s. Without a
// unit it is per second.
func readRate(value string) (perSecond *big.Rat, err error) {
	wrong := fmt.Errorf("%q is not a rate from 0/s to %d/s with at most 9 decimals", value, maxRate)
	number, unit, given := strings.Cut(value, "/")
	if !given {
		unit = "s"
	}
	if strings.Trim(number, "0123456789.") != "" || len(number) > 20 {
		return nil, wrong // no exponents: 1e999999 would be a number as long as this file is
	}
	rate, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, wrong
	}
	per, err := time.ParseDuration(unit)
	if slices.Contains([]string{"s", "m", "h"}, unit) {
		per, err = time.ParseDuration("1" + unit)
	}
	if err != nil || per <= 0 {
		return nil, wrong
	}
	rate.Mul(rate, big.NewRat(int64(time.Second), int64(per)))
	if rate.Cmp(big.NewRat(maxRate, 1)) > 0 || rate.Denom().Cmp(big.NewInt(1_000_000_000)) > 0 {
		return nil, wrong
	}
	return rate, nil
}

// printRate prints a rate as decimals per second, or where that takes more than
// readRate accepts as whole requests per whole seconds, such as 1/90s.
func printRate(perSecond *big.Rat) string {
	if decimals, exact := perSecond.FloatPrec(); exact && decimals <= 9 {
		return perSecond.FloatString(decimals) + "/s"
	}
	return perSecond.String() + "s"
}
