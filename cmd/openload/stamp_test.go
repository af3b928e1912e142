package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One instant, however it is written: 2026-11-30 00:20:57.25 UTC.
func TestParseStampKnowsAnInstantInAnyZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	want := time.Date(2026, 11, 30, 0, 20, 57, 250_000_000, time.UTC).UnixNano()
	for _, tt := range []struct {
		text string
		how  reading
		step time.Duration
	}{
		{"2026-11-30T00:20:57.25Z", reading{}, 10 * time.Millisecond},
		{"2026-11-30T01:20:57.250+01:00", reading{}, time.Millisecond},
		{"2026-11-30T05:50:57.250000+0530", reading{}, time.Microsecond},
		{"2026-11-29 19:20:57,250 -0500", reading{}, time.Millisecond},
		{"[30/Nov/2026:02:20:57.250 +0200]", reading{}, time.Millisecond},
		{"2026-11-30 00:20:57.25", reading{}, 10 * time.Millisecond},
		{"2026-11-30 01:20:57.25", reading{zone: berlin}, 10 * time.Millisecond},
		{"2026-11-30T00:20:57.25Z", reading{zone: berlin}, 10 * time.Millisecond}, // what is written counts
		{"30/Nov/2026:01:20:57.250", reading{zone: berlin}, time.Millisecond},
		{`"1795998057.250"`, reading{}, time.Millisecond},
		{"1795998057250", reading{}, time.Millisecond},
		{"1795998057250000", reading{}, time.Microsecond},
		{"1795998057250000000", reading{}, time.Nanosecond},
		{"1795998057.250", reading{unit: time.Second}, time.Millisecond},
	} {
		t.Run(tt.text, func(t *testing.T) {
			x, err := parseStamp(tt.text, tt.how)
			require.NoError(t, err)
			require.Equal(t, time.Unix(0, want).UTC(), time.Unix(0, x.ns).UTC())
			require.Equal(t, tt.step, x.step)
			require.True(t, x.wall)
		})
	}
}

// A zone's offset is that of the day: an hour more in summer.
func TestZonesHaveSummers(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	winter, err := parseStamp("2026-01-15 12:00:00", reading{zone: berlin})
	require.NoError(t, err)
	summer, err := parseStamp("2026-07-15 12:00:00", reading{zone: berlin})
	require.NoError(t, err)
	require.Equal(t, 181*24*time.Hour-time.Hour, time.Duration(summer.ns-winter.ns))
}

func TestParseStampReadsNumbersExactly(t *testing.T) {
	for _, tt := range []struct {
		text string
		unit time.Duration
		want time.Duration
		step time.Duration
	}{
		{"0", time.Millisecond, 0, time.Millisecond},
		{"80.125", time.Millisecond, 80125 * time.Microsecond, time.Microsecond},
		{"0.1234567891", time.Second, 123456789, 1},
		{"-1.5", time.Second, -1500 * time.Millisecond, 100 * time.Millisecond},
		{"9007199254740993", time.Nanosecond, 9007199254740993, 1}, // no float64
	} {
		x, err := parseStamp(tt.text, reading{unit: tt.unit})
		require.NoError(t, err, tt.text)
		require.Equal(t, stamp{ns: int64(tt.want), step: tt.step}, x, tt.text)
	}
	for text, want := range map[string]string{
		"12": "without a unit", "99999999999999999999": "too large", "2026-13-01T00:00:00Z": "neither",
		"": "neither", "1e3": "neither", "2300-01-01T00:00:00Z": "not from 1970", "1.2.3": "neither",
	} {
		_, err := parseStamp(text, reading{})
		require.ErrorContains(t, err, want, text)
	}
	_, err := parseStamp("9223372036854775807", reading{unit: time.Second})
	require.ErrorContains(t, err, "too large")
}

func TestReadArrivals(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name, text string
		how        reading
		format     string
		at         []time.Duration // from the first on
	}{
		{"numbers in any order", "# comment\n3\n\n1\r\n2\n", reading{unit: s}, "a line an instant", []time.Duration{0, s, 2 * s}},
		{"times", "2026-11-30T00:00:01Z\n2026-11-30T01:00:00+01:00\n", reading{}, "a line an instant", []time.Duration{0, s}},
		{"a schedule", "seq,intended_ns\n0,0\n1,80000000\n", reading{}, "schedule", []time.Duration{0, 80 * time.Millisecond}},
		{"JSON by its usual key", `{"time":"x","start_time":"2026-11-30T00:00:00Z"}` + "\n" + `{"start_time":"2026-11-30T00:00:01Z"}` + "\n", reading{}, "log", []time.Duration{0, s}},
		{"JSON by a key", `{"ts":1,"at":1795998057,"x":2}` + "\n" + `{"ts":2,"at":1795998060}` + "\n", reading{field: "at"}, "log", []time.Duration{0, 3 * s}},
		{"a word by its number", "GET / 1795998057 ok\nGET / 1795998058 ok\n", reading{field: "3"}, "log", []time.Duration{0, s}},
		{"a word from the end", "GET / x 1795998057\nGET / 1795998058\n", reading{field: "-1"}, "log", []time.Duration{0, s}},
		{"a time at the line's beginning", "2026-11-30 00:00:00.5 INFO started [x]\n2026-11-30 00:00:01.5 INFO\n", reading{}, "log", []time.Duration{0, s}},
		{"a log with latencies", `[30/Nov/2026:00:00:02 +0000] "GET /" 200 rt=1.5` + "\n" + `[30/Nov/2026:00:00:02 +0000] "GET /" 200 rt=0.5` + "\n", reading{latency: "rt", unit: s}, "access log", []time.Duration{0, s}},
		{"another tool's file", "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n" +
			"0.0520,0.0010,0.0000,0.0001,0.0510,0.0001,200,0.0879\n0.0520,0.0010,0.0000,0.0001,0.0510,0.0001,200,0.1679\n", reading{}, "hey CSV", []time.Duration{0, 80 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := readArrivals("file", strings.NewReader(tt.text), tt.how)
			require.NoError(t, err)
			require.Equal(t, tt.format, a.Format)
			require.Equal(t, tt.at, a.At)

			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err = z.Write([]byte(tt.text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
			packed, err := readArrivals("file", &b, tt.how)
			require.NoError(t, err)
			require.Equal(t, a, packed)
		})
	}
	for text, want := range map[string]string{
		"":                           "no arrival in it",
		"#\n":                        "no arrival in it",
		"2026-11-30T00:00:01Z\n12\n": "line 2: \"12\": a number without a unit",
		"value,percentile,total\n":   "found no time",
		"1795998057\n2026-11-30T00:00:01Z\nnever\n": "line 3: \"never\": neither",
		"{\"ts\":1795998057}\n{\"tz\":1}\n":         "line 2: found no time",
	} {
		_, err := readArrivals("file", strings.NewReader(text), reading{})
		require.ErrorContains(t, err, want, text)
	}
}

func TestClocks(t *testing.T) {
	at := func(origin time.Duration, offsets ...time.Duration) *arrivals {
		return &arrivals{At: offsets, origin: int64(origin), wall: true}
	}
	const s, ms = time.Second, time.Millisecond
	for _, tt := range []struct {
		name string
		a, b *arrivals
		want clocks
	}{
		{"the same", at(0, 0, s), at(0, 0, s), clocks{Pairs: 2}},
		{"a little later", at(0, 0, s, 2*s), at(20*ms, 0, s+ms, 2*s+2*ms), clocks{First: 20 * ms, Median: 21 * ms, Pairs: 3}},
		{"a second is not too far", at(s, 0), at(0, 0), clocks{First: -s, Median: -s, Pairs: 1}},
		{"more is", at(s+1, 0), at(0, 0), clocks{First: -s - 1, Median: -s - 1, Pairs: 1, Apart: true}},
		{"the first alone is far", at(0, 0, 10*s, 20*s), at(9*s, 0, s, 11*s), clocks{First: 9 * s, Median: 0, Pairs: 3, Apart: true}},
		{"another zone", at(0, 0), at(2*time.Hour+3*s, 0), clocks{First: 2*time.Hour + 3*s, Median: 2*time.Hour + 3*s, Pairs: 1, Apart: true, Zone: true}},
		{"one is missing", at(0, 0, s, 2*s), at(0, 0, 2*s), clocks{First: 0, Median: 0, Pairs: 2, Unequal: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := compareClocks(tt.a, tt.b)
			require.NoError(t, err)
			require.Equal(t, tt.want, *got)
		})
	}
}
