package loop

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// A Pace says how much processor time punctuality may cost.
type Pace uint8

const (
	// Precise spins before each instant for as long as this machine oversleeps,
	// up to 250 µs: about 1 µs late in the middle, and up to a quarter of a core at
	// 1,000/s.
	Precise Pace = iota
	// Balanced spins up to 50 µs: late by what oversleeping goes beyond that.
	Balanced
	// Frugal sleeps only: 50 to 100 µs late.
	Frugal
)

var paceNames = [...]string{Precise: "precise", Balanced: "balanced", Frugal: "frugal"}

// String is the pace's name as a flag.
func (p Pace) String() string { return paceNames[p] }

// ParsePace reads a pace's name; auto is what suits this machine.
func ParsePace(name string) (Pace, error) {
	if name == "auto" {
		return autoPace(), nil
	}
	for p, n := range paceNames {
		if n == name {
			return Pace(p), nil
		}
	}
	return 0, fmt.Errorf("%q is no pace; write auto, %s", name, strings.Join(paceNames[:], ", "))
}

// autoPace is Precise where there is another processor for everybody else. It counts
// those of the machine, not those allowed to this process: who gives us one of many
// means us to use it.
func autoPace() Pace {
	if online, err := os.ReadFile("/sys/devices/system/cpu/online"); err == nil && strings.TrimSpace(string(online)) == "0" {
		return Frugal
	}
	return Precise
}

// most is the longest spin.
func (p Pace) most() time.Duration {
	switch p {
	case Precise:
		return 250 * time.Microsecond
	case Balanced:
		return 50 * time.Microsecond
	}
	return 0
}
