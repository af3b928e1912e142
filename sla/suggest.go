package sla

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"openload/correct"
	"openload/internal/nearest"
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
	case Useful, FirstTry, Rate:
		return "99%"
	}
	return "500ms"
}

// otherNames are the metrics by the names that other tools give them.
var otherNames = map[string]string{
	"avg": "mean", "average": "mean", "median": "p50", "latency": "p99", "qps": "rate", "rps": "rate", "throughput": "rate",
	"failures": "errors", "failed": "errors", "error_rate": "errors", "retries": "attempts", "tries": "attempts", "goodput": "useful", "success": "useful", "first": "first_try", "firsttry": "first_try",
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
		guess = nearest.Of(name, slices.Sorted(maps.Values(metricNames)))
	}
	return fmt.Errorf("unknown metric %q: %sthe metrics are pXX such as p99.9, max, mean, errors, attempts, useful, first_try and rate", name, didYouMean(guess))
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
