package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A stamp is an instant as a file has it.
type stamp struct {
	ns      int64 // since 1970, or since what the file's numbers count from
	step    time.Duration
	wall    bool // since 1970
	unzoned bool // written without a zone
}

// errNoStamp is wrapped by errors about text that is neither a number nor a time.
var errNoStamp = errors.New("neither a number nor a time")

// errNoUnit is wrapped by errors about numbers that could be anything.
var errNoUnit = errors.New("a number without a unit; give --unit ns, us, ms or s")

// Times with a zone, then without. Fractions of a second may follow the seconds.
var (
	zoned = []string{
		time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700",
		"02/Jan/2006:15:04:05 -0700",
	}
	unzoned    = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "02/Jan/2006:15:04:05"}
	fraction   = regexp.MustCompile(`:\d\d[.,](\d{1,9})`)
	bareNumber = regexp.MustCompile(`^[+-]?(\d+)(?:\.(\d+))?$`)
)

// parseStamp reads a number of how.unit, a number since 1970 whose size tells its
// unit, or a time in RFC 3339 or as nginx and Apache write it. The zone in a time
// decides; where there is none, how.zone does.
func parseStamp(text string, how reading) (x stamp, err error) {
	if text = strings.Trim(text, "[]\" \t\r"); bareNumber.MatchString(text) {
		return parseNumber(text, how.unit)
	}
	x = stamp{wall: true, step: time.Second}
	if m := fraction.FindStringSubmatch(text); m != nil {
		x.step = placeValue(time.Second, len(m[1]))
	}
	for _, layout := range zoned {
		if t, err := time.Parse(layout, text); err == nil {
			return x.at(t, text)
		}
	}
	zone := how.zone
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range unzoned {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			x.unzoned = true
			return x.at(t, text)
		}
	}
	return stamp{}, fmt.Errorf("%.60q: %w", text, errNoStamp)
}

func (x stamp) at(t time.Time, text string) (stamp, error) {
	if t.Year() < 1970 || t.Year() > 2261 {
		return stamp{}, fmt.Errorf("%.60q: not from 1970 to 2261", text)
	}
	x.ns = t.UnixNano()
	return x, nil
}

// placeValue is the place value of the last of so many digits after the point.
func placeValue(unit time.Duration, digits int) time.Duration {
	for range digits {
		unit /= 10
	}
	return max(unit, 1)
}

// parseNumber reads a decimal number exactly, to the nanosecond. Without a unit it
// must be large enough for a time since 1970: 1e9 s, which was in 2001, or more.
func parseNumber(text string, unit time.Duration) (x stamp, err error) {
	m := bareNumber.FindStringSubmatch(text)
	whole, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return x, fmt.Errorf("%.60q: too large", text)
	}
	since1970 := epochUnit(whole)
	switch {
	case unit == 0 && since1970 == 0:
		return x, fmt.Errorf("%.60q: %w", text, errNoUnit)
	case unit == 0:
		unit = since1970
	}
	x.wall = unit == since1970
	if whole > math.MaxInt64/int64(unit)-1 {
		return x, fmt.Errorf("%.60q: too large", text)
	}
	x.ns, x.step = whole*int64(unit), placeValue(unit, len(m[2]))
	for place, digit := int64(unit)/10, 0; digit < len(m[2]); place, digit = place/10, digit+1 {
		x.ns += int64(m[2][digit]-'0') * place
	}
	if text[0] == '-' {
		x.ns = -x.ns
	}
	return x, nil
}

// epochUnit is the unit in which a number is a time from 2001 to 2286; 0 if it is
// too small in any.
func epochUnit(n int64) time.Duration {
	switch {
	case n < 1e9:
		return 0
	case n < 1e10:
		return time.Second
	case n < 1e13 && n >= 1e12:
		return time.Millisecond
	case n < 1e16 && n >= 1e15:
		return time.Microsecond
	case n >= 1e18:
		return time.Nanosecond
	}
	return 0
}
