package sla

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"openload/correct"
)

// like is r with another limit, as it should have been written.
func (r Rule) like(limit string) string {
	target := ""
	if r.Target != "" {
		target = r.Target + ": "
	}
	return target + r.name() + r.sign() + limit
}

// example is a limit that such a rule might have.
func (r Rule) example() string {
	switch r.Metric {
	case Errors:
		return "0.1%"
	case Attempts:
		return "1.2"
	case Useful, Rate:
		return "99%"
	}
	return "500ms"
}

// otherNames are the metrics by the names that other tools give them.
var otherNames = map[string]string{
	"avg": "mean", "average": "mean", "median": "p50", "latency": "p99", "qps": "rate", "rps": "rate", "throughput": "rate",
	"failures": "errors", "failed": "errors", "error_rate": "errors", "retries": "attempts", "tries": "attempts", "goodput": "useful", "success": "useful",
}

// unknown says that there is no such metric, and which one may have been meant.
func unknown(name string) error {
	guess := otherNames[strings.ToLower(name)]
	if guess == "" {
		guess = forgotten(name)
	}
	if guess == "" {
		guess = percentileIn(name)
	}
	if guess == "" {
		guess = nearest(name, slices.Sorted(maps.Values(metricNames)))
	}
	return fmt.Errorf("unknown metric %q: %sthe metrics are pXX such as p99.9, max, mean, errors, attempts, useful and rate", name, didYouMean(guess))
}

// forgotten puts the sign between a target or a reading and a metric that is missing.
func forgotten(name string) string {
	i := strings.LastIndexByte(name, ' ')
	if i < 0 || new(Rule).parseName(name[i+1:]) != nil {
		return ""
	}
	before := strings.TrimSpace(name[:i])
	if _, err := parsePrefix(before); err == nil {
		return before + "." + name[i+1:]
	}
	return before + ": " + name[i+1:]
}

var number = regexp.MustCompile(`\d+(\.\d+)?`)

// percentileIn finds the number in 99p, P99 or 99th.
func percentileIn(name string) string {
	q, err := correct.ParseQuantile(number.FindString(name))
	if err != nil {
		return ""
	}
	return q.String()
}

func didYouMean(guess string) string {
	if guess == "" {
		return ""
	}
	return "did you mean " + guess + "? "
}

// nearest is the word that name was most likely meant to be; "" if none is within
// two letters of it.
func nearest(name string, words []string) (word string) {
	least := 3
	for _, w := range words {
		if d := distance(strings.ToLower(name), w); d < least && d < len(w) {
			word, least = w, d
		}
	}
	return word
}

// distance is Levenshtein's: the letters to put in, leave out or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a[:i] to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
