package source

import (
	"bytes"
	"time"
)

// Wall times are nanoseconds since 1970, which int64 holds until 2262.
const lastStamp = int64(9e18)

// epoch reads a whole number of units since 1970.
func epoch(b []byte, unit time.Duration) (int64, problem) {
	v, p := integer(b)
	switch {
	case p != "":
		return 0, p
	case v < 0:
		return 0, isNegative
	case v > lastStamp/int64(unit):
		return 0, "too large for a time"
	}
	return v * int64(unit), ""
}

// epochUnit tells seconds, ms, us and ns since 1970 apart by their size, which
// is unambiguous from 2001 to 2286.
func epochUnit(v int64) time.Duration {
	switch {
	case v < 1e11:
		return time.Second
	case v < 1e14:
		return time.Millisecond
	case v < 1e17:
		return time.Microsecond
	}
	return time.Nanosecond
}

// rfc3339 reads a time like 2026-11-30T02:05:06.631709003+01:00, with any number
// of digits, in nanoseconds since 1970. step is the place value of its last digit.
// A time without zone, or with a space in place of T, is taken as UTC and has zoned false.
func rfc3339(b []byte) (ns int64, step time.Duration, zoned, ok bool) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' && b[10] != 't' || b[13] != ':' || b[16] != ':' {
		return 0, 0, false, false
	}
	year, month, day := digits(b[0:4]), digits(b[5:7]), digits(b[8:10])
	hour, minute, sec := digits(b[11:13]), digits(b[14:16]), digits(b[17:19])
	if !dateOK(year, month, day) || !clockOK(hour, minute, sec) {
		return 0, 0, false, false
	}
	rest := b[19:]
	step = time.Second
	var frac int64
	if len(rest) > 1 && rest[0] == '.' {
		for rest = rest[1:]; len(rest) > 0 && rest[0]-'0' <= 9; rest = rest[1:] {
			if step > 1 {
				step /= 10
				frac += int64(rest[0]-'0') * int64(step)
			}
		}
	}
	ns = (days(year, month, day)*86400+hour*3600+minute*60+sec)*1e9 + frac
	offset, zoned, ok := zone(rest)
	return ns - offset*1e9, step, zoned, ok
}

// zone reads what follows the seconds: nothing, Z, +01:00 or +0100.
func zone(b []byte) (sec int64, zoned, ok bool) {
	switch {
	case len(b) == 0:
		return 0, false, true
	case len(b) == 1 && (b[0] == 'Z' || b[0] == 'z'):
		return 0, true, true
	case b[0] != '+' && b[0] != '-':
		return 0, false, false
	}
	var h, m int64
	switch {
	case len(b) == 6 && b[3] == ':':
		h, m = digits(b[1:3]), digits(b[4:6])
	case len(b) == 5:
		h, m = digits(b[1:3]), digits(b[3:5])
	default:
		return 0, false, false
	}
	if h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false, false
	}
	sec = h*3600 + m*60
	if b[0] == '-' {
		sec = -sec
	}
	return sec, true, true
}

// digits reads up to four decimal digits; -1 if they are none.
func digits(b []byte) int64 {
	var v int64
	for _, c := range b {
		if c -= '0'; c > 9 {
			return -1
		}
		v = v*10 + int64(c)
	}
	return v
}

func dateOK(y, m, d int64) bool {
	return y >= 1970 && y < 2255 && m >= 1 && m <= 12 && d >= 1 && d <= 31
}
func clockOK(h, m, s int64) bool {
	return h >= 0 && h <= 23 && m >= 0 && m <= 59 && s >= 0 && s <= 60
}

// days counts the days from 1970-01-01 in the Gregorian calendar.
// Source: H. Hinnant, chrono-Compatible Low-Level Date Algorithms, days_from_civil.
func days(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	yearOfEra := y % 400
	dayOfYear := (153*(m-3)+2)/5 + d - 1
	return y/400*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
}

// local gives a wall time read without zone its place in loc, or leaves it as
// UTC if loc is nil.
func local(ns int64, loc *time.Location) int64 {
	if loc == nil {
		return ns
	}
	t := time.Unix(0, ns).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc).UnixNano()
}

// months are the names in access logs.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// clfTime reads 30/Nov/2026:02:20:57 +0000, the time of an access log, of which
// Apache can be told to write milliseconds or microseconds too.
func clfTime(b []byte) (ns int64, step time.Duration, ok bool) {
	if len(b) < 20 || b[2] != '/' || b[6] != '/' || b[11] != ':' || b[14] != ':' || b[17] != ':' {
		return 0, 0, false
	}
	var month int64
	for i := 0; i < len(months); i += 3 {
		if string(b[3:6]) == months[i:i+3] {
			month = int64(i/3) + 1
		}
	}
	year, day := digits(b[7:11]), digits(b[0:2])
	hour, minute, sec := digits(b[12:14]), digits(b[15:17]), digits(b[18:20])
	if !dateOK(year, month, day) || !clockOK(hour, minute, sec) {
		return 0, 0, false
	}
	rest := b[20:]
	step = time.Second
	var frac int64
	if len(rest) > 0 && rest[0] == '.' {
		for rest = rest[1:]; len(rest) > 0 && rest[0]-'0' <= 9; rest = rest[1:] {
			if step > 1 {
				step /= 10
				frac += int64(rest[0]-'0') * int64(step)
			}
		}
	}
	if len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	offset, _, ok := zone(rest)
	return (days(year, month, day)*86400+hour*3600+minute*60+sec-offset)*1e9 + frac, step, ok
}

// logTime reads the times that logs hold: 1796005256.961, whole numbers of s, ms,
// us or ns, ISO 8601, and 30/Nov/2026:02:20:57 +0000, the last two with or without
// brackets.
func logTime(b []byte, loc *time.Location) (ns int64, step time.Duration, p problem) {
	if b = inner(b); len(b) > 10 && (b[2] == '/' || b[4] == '-') {
		zoned, ok := true, false
		if b[2] == '/' {
			ns, step, ok = clfTime(b)
		} else if ns, step, zoned, ok = rfc3339(b); !zoned {
			ns = local(ns, loc)
		}
		if !ok {
			return 0, 0, noTime
		}
		return ns, step, ""
	}
	whole, frac := b, []byte(nil)
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		whole, frac = b[:i], b[i:]
	}
	v, p := integer(whole)
	if p != "" {
		return 0, 0, p
	}
	unit := epochUnit(v)
	if ns, p = epoch(whole, unit); p != "" || frac == nil {
		return ns, unit, p
	}
	part, p := duration(frac, unit)
	return ns + int64(part), place(frac, unit), p
}
