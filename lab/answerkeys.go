package lab

// The keys that say how an answer looks and when it leaves.

import (
	"fmt"
	"slices"
	"strings"
)

func (s *Spec) readHangAfter(value string) (err error) {
	s.hangAfter, err = readTime(value)
	return err
}

func (s Spec) printHangAfter() []string { return printTime(s.hangAfter) }

func (s *Spec) readStatus(value string) error {
	code, part, _ := strings.Cut(value, ":")
	n, err := readCount(code, 200, 599)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(s.statuses, func(x share) bool { return x.status == int(n) }) {
		return fmt.Errorf("status %d has a share already", n)
	}
	percent, err := readShare(part)
	s.statuses = append(s.statuses, share{int(n), percent})
	return err
}

func (s Spec) printStatuses() (values []string) {
	for _, x := range s.statuses {
		values = append(values, fmt.Sprintf("%d:%s", x.status, percentText(x.percent)))
	}
	return values
}

func (s *Spec) readBody(value string) (err error) {
	s.body, err = readSize(value)
	return err
}

func (s Spec) printBody() []string { return printSize(s.body) }

func (s *Spec) readTrickle(value string) (err error) {
	s.trickle, err = readTime(value)
	return err
}

func (s Spec) printTrickle() []string { return printTime(s.trickle) }

// maxLayers is more than any chain has; what they make of one request is bounded by
// maxCalls.
const (
	maxLayers = 20
	maxCalls  = 1_000_000
)

func (s *Spec) readLayers(value string) (err error) {
	s.layers.depth, err = readCount(value, 1, maxLayers)
	return err
}

func (s Spec) printLayers() []string { return printCount(s.layers.depth) }

func (s *Spec) readAttempts(value string) (err error) {
	s.layers.attempts, err = readCount(value, 1, 1000)
	return err
}

func (s Spec) printAttempts() []string { return printCount(s.layers.attempts) }
