package lab

// The keys that say what is turned away, and how.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxHeld keeps the record of who is in the server under 16 MiB.
const maxHeld = 1_000_000

func (s *Spec) readAccept(value string) error {
	number, window, _ := strings.Cut(value, "/")
	n, err := readCount(number, 1, maxRate)
	if err != nil {
		return err
	}
	d, err := readSpan(window)
	s.accept = quota{n, d}
	return err
}

func (s Spec) printAccept() []string {
	if s.accept.count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d/%s", s.accept.count, short(s.accept.window))}
}

func (s *Spec) readLimit(value string) (err error) {
	s.limit, err = readCount(value, 1, maxHeld)
	return err
}

func (s Spec) printLimit() []string { return printCount(s.limit) }

func (s *Spec) readQueue(value string) error {
	n, err := readCount(value, 0, maxHeld)
	s.room = n + 1
	return err
}

func (s Spec) printQueue() []string {
	if s.room == 0 {
		return nil
	}
	return []string{strconv.FormatUint(s.room-1, 10)}
}

func (s *Spec) readMaxAge(value string) (err error) {
	s.maxAge, err = readSpan(value)
	return err
}

func (s Spec) printMaxAge() []string { return printTime(s.maxAge) }

// refusal is the status of what is rejected if reject= says nothing.
const refusal = 503

func (s *Spec) readReject(value string) error {
	n, err := readCount(value, 400, 599)
	if s.reject = int(n); n == refusal {
		s.reject = 0 // the default, whether said or not
	}
	return err
}

func (s Spec) printReject() []string { return printCount(uint64(s.reject)) }

func (s *Spec) readRetryAfter(value string) (err error) {
	s.retryAfter, err = readSpan(value)
	if err == nil && s.retryAfter%time.Second != 0 {
		err = errors.New("a Retry-After has whole seconds")
	}
	return err
}

func (s Spec) printRetryAfter() []string { return printTime(s.retryAfter) }
