package request

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// combined is a line of nginx's and Apache's combined and common log format:
//
//	127.0.0.1 - - [30/Nov/2026:09:00:00 +0000] "GET /a HTTP/1.1" 200 5 "referer" "agent"
var combined = regexp.MustCompile(`^\S+ \S+ .*?\[([^\]]+)\] "([A-Z]+) (\S+) HTTP/[0-9.]+" \d{3} \S+(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?`)

// bodiless are the methods of which a log holds all there was.
var bodiless = []string{"GET", "HEAD", "OPTIONS"}

// mostLine is the longest line of a log that is read.
const mostLine = 1 << 20

// ImportAccessLog reads the requests of an access log in the combined or common format,
// which does not say to which host they went: base does, as in http://127.0.0.1:8080.
// at is when each came, from the first on, in order. A log says that to the second;
// those of one second are spread over it evenly, for they did not come as one burst.
// Notes say what was left out, and how often.
func ImportAccessLog(r io.Reader, base string) (items []Item, at []time.Duration, notes []string, err error) {
	p, err := split(base)
	if err != nil {
		return nil, nil, nil, err
	}
	if p.path != "/" {
		return nil, nil, nil, fmt.Errorf("URL %q: only the host is wanted, for the paths are the log's", RedactURL(base))
	}
	base, _, _ = strings.Cut(base, "#")
	base = strings.TrimRight(base, "/")
	type entry struct {
		second int64
		item   Item
	}
	var all []entry
	left := map[string]int{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		m := combined.FindStringSubmatch(lines.Text())
		if m == nil {
			left["that are no requests in the combined format"]++
			continue
		}
		t, err := time.Parse("02/Jan/2006:15:04:05 -0700", m[1])
		if err != nil {
			left["without a time such as 30/Nov/2026:09:00:00 +0000"]++
			continue
		}
		if !slices.Contains(bodiless, m[2]) {
			left["with "+m[2]+", whose body a log does not hold"]++
			continue
		}
		it := Item{Request: Request{Method: m[2], URL: base + m[3]}}
		for i, name := range []string{"Referer", "User-Agent"} {
			if value := m[4+i]; value != "" && value != "-" && !strings.Contains(value, `\`) {
				it.Header = append(it.Header, Field{name, value})
			}
		}
		if !strings.HasPrefix(m[3], "/") || it.Check() != nil {
			left["whose path cannot be sent"]++
			continue
		}
		all = append(all, entry{t.Unix(), it})
		if len(all) > mostItems {
			return nil, nil, nil, fmt.Errorf("more than %d requests", mostItems)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, nil, nil, fmt.Errorf("line %d is longer than %d bytes", n+1, mostLine)
	} else if err != nil {
		return nil, nil, nil, err
	}
	for why, k := range left {
		notes = append(notes, fmt.Sprintf("%d of %d lines left out %s", k, n, why))
	}
	slices.Sort(notes)
	if len(all) == 0 {
		return nil, nil, notes, errors.New("there is no request in it that can be sent")
	}
	slices.SortStableFunc(all, func(a, b entry) int { return int(a.second - b.second) })
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].second == all[i].second {
			end++
		}
		for k := i; k < end; k++ {
			within := time.Second * time.Duration(k-i) / time.Duration(end-i)
			at = append(at, time.Duration(all[k].second-all[0].second)*time.Second+within)
			items = append(items, all[k].item)
		}
		i = end
	}
	return items, at, notes, nil
}
