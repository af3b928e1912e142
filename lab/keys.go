package lab

import (
	"errors"
	"fmt"
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
	{"hang-after", "DUR", false, "hang-after=8s", "hold each answer for DUR once the work is done", (*Spec).readHangAfter, Spec.printHangAfter},
	{"errors", "P%", false, "errors=1%", "share answered with status 500 after their service", (*Spec).readErrors, Spec.printErrors},
	{"close", "P%", false, "close=0.5%", "share whose connection is closed after it, without an answer", (*Spec).readCloses, Spec.printCloses},
	{"status", "CODE:P%", true, "status=429:5%", "share answered with CODE after their service; may be repeated", (*Spec).readStatus, Spec.printStatuses},
	{"body", "SIZE", false, "body=64KiB", "size of the body of an answer below 400", (*Spec).readBody, Spec.printBody},
	{"trickle", "DUR", false, "trickle=5s", "how long that body takes to leave, bit by bit", (*Spec).readTrickle, Spec.printTrickle},
	{"accept", "K/DUR", false, "accept=3/100ms", "take K requests in every DUR, reject the others at once", (*Spec).readAccept, Spec.printAccept},
	{"limit", "N", false, "limit=100", "reject at once what finds N requests in the server", (*Spec).readLimit, Spec.printLimit},
	{"queue", "N", false, "queue=50", "reject what finds N requests waiting for a worker", (*Spec).readQueue, Spec.printQueue},
	{"max-age", "DUR", false, "max-age=10s", "reject in its turn what cannot be done DUR after it came", (*Spec).readMaxAge, Spec.printMaxAge},
	{"reject", "CODE", false, "reject=429", "status of what is rejected (default 503)", (*Spec).readReject, Spec.printReject},
	{"retry-after", "DUR", false, "retry-after=2s", "Retry-After of what is rejected, and of each 429 and 503", (*Spec).readRetryAfter, Spec.printRetryAfter},
	{"layers", "L", false, "layers=3", "callers in a chain before the server that each retry", (*Spec).readLayers, Spec.printLayers},
	{"attempts", "A", false, "attempts=3", "attempts of each of them, the first included", (*Spec).readAttempts, Spec.printAttempts},
	{"budget", "P%", false, "budget=20%", "of what is asked of each of them, the share that it may repeat", (*Spec).readBudget, Spec.printBudget},
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

func (s Spec) printHang() []string { return printTime(s.hang) }

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
