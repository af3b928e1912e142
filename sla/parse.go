package sla

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"openload/correct"
	"openload/internal/nearest"
)

// Parse reads a rule: a metric, a comparison and a limit, with spaces wherever they
// please, and the name of a target and a colon before it if it is about one.
//
//	p99<500ms   raw.p99.9<=1s   max<2s   mean<50ms   ok.p50<80ms   settled.p50<11s
//	errors<0.1%   attempts<1.2   useful>99%   rate>=99%   checkout: p99<300ms
//
// Shares may also be written as fractions: errors<0.001. The error is one line that
// says what to write instead.
func Parse(text string) (Rule, error) {
	r, err := parse(text)
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", strings.TrimSpace(text), err)
	}
	return r, nil
}

func parse(text string) (r Rule, err error) {
	body := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		r.Target, body = strings.TrimSpace(text[:i]), text[i+1:]
		if r.Target == "" {
			return r, errors.New("no target before the colon; write checkout: p99<300ms, or leave the colon out")
		}
	}
	name, sign, limit := split(body)
	switch {
	case name == "":
		return r, errors.New("no metric; write p99<500ms, errors<0.1% or the like")
	case strings.ContainsAny(limit, comparisons):
		return r, errors.New("more than one comparison; write one rule, and the next as another")
	}
	if err := r.parseName(name); err != nil {
		return r, err
	}
	if err := r.parseSign(sign, limit); err != nil {
		return r, err
	}
	if limit == "" {
		return r, fmt.Errorf("no limit after %q; write %s", sign, r.like(r.example()))
	}
	return r, r.parseLimit(limit)
}

// comparisons are the signs that people write one with; <, <=, > and >= are right.
const comparisons = "<>=!≤≥"

// split parts "p99 < 500 ms" into p99, < and 500ms.
func split(body string) (name, sign, limit string) {
	name = body
	if i := strings.IndexAny(body, comparisons); i >= 0 {
		rest := strings.TrimLeft(body[i:], comparisons)
		name, sign, limit = body[:i], body[i:len(body)-len(rest)], rest
	}
	return strings.TrimSpace(name), sign, strings.Join(strings.Fields(limit), "")
}

// parseName reads "p99", "raw.max", "errors".
func (r *Rule) parseName(name string) error {
	r.Set = correct.Corrected
	metric := name
	if before, after, dotted := strings.Cut(name, "."); dotted && !isPercentile.MatchString(name) {
		set, err := parsePrefix(strings.TrimSpace(before))
		switch {
		case err != nil && percentileIn(before) != "":
			return unknown(name)
		case err != nil:
			return err
		}
		r.Set, metric = set, strings.TrimSpace(after)
	}
	switch {
	case metric == "max":
		r.Metric, r.Quantile = Percentile, correct.Max
		return nil
	case isPercentile.MatchString(metric):
		r.Metric = Percentile
		return r.parsePercentile(metric[1:])
	}
	for m, known := range metricNames {
		if metric == known {
			r.Metric = m
		}
	}
	switch {
	case r.Metric == 0:
		return unknown(metric)
	case r.latency():
		return nil
	case metric != name:
		return fmt.Errorf("%s is not a latency and has no readings; write %s", metric, r.like(r.example()))
	}
	r.Set = 0
	return nil
}

var isPercentile = regexp.MustCompile(`^p\d+(\.\d+)?$`)

func parsePrefix(prefix string) (correct.Set, error) {
	if prefix == "corrected" {
		return correct.Corrected, nil
	}
	for set, known := range prefixes {
		if prefix == known {
			return set, nil
		}
	}
	return 0, fmt.Errorf("unknown reading %q: %sthe readings are raw, ok and settled, and without one the latency is corrected",
		prefix, didYouMean(nearest.Of(prefix, slices.Sorted(maps.Values(prefixes)))))
}

func (r *Rule) parsePercentile(number string) error {
	q, err := correct.ParseQuantile(number)
	switch {
	case err == nil:
		r.Quantile = q
		return nil
	case number == "100":
		return errors.New("p100 is the maximum; write max")
	case len(number) > 2 && !strings.Contains(number, ".") && number[0] == '9':
		return fmt.Errorf("p%s is past the maximum; write p%s.%s", number, number[:2], number[2:])
	}
	return err
}

// parseSign reads the comparison. Every metric is limited on one side only.
func (r *Rule) parseSign(sign, limit string) error {
	r.Equal = strings.ContainsAny(sign, "≤≥") || len(sign) > 1 && strings.ContainsAny(sign, "<>") && strings.Contains(sign, "=")
	if sign == r.sign() {
		return nil
	}
	if tried := *r; tried.parseLimit(limit) != nil {
		limit = r.example()
	}
	switch want := r.like(limit); {
	case sign == "":
		return fmt.Errorf("no limit; write %s", want)
	case sign != "<" && sign != "<=" && sign != ">" && sign != ">=":
		return fmt.Errorf("%q is no comparison here; write %s", sign, want)
	case r.latency():
		return fmt.Errorf("a latency rule is an upper limit; write %s", want)
	case r.lower():
		return fmt.Errorf("%s has a lower limit; write %s", r.name(), want)
	default:
		return fmt.Errorf("%s has an upper limit; write %s", r.name(), want)
	}
}

func (r *Rule) parseLimit(limit string) error {
	switch {
	case r.latency():
		return r.parseLatency(limit)
	case r.Metric == Attempts:
		return r.parseAttempts(limit)
	default:
		return r.parseShare(limit)
	}
}

func (r *Rule) parseLatency(limit string) error {
	d, err := time.ParseDuration(limit)
	switch _, number := parseDecimal(limit, 9); {
	case number:
		return fmt.Errorf("%s has no unit; write %s or %s", limit, r.like(limit+"ms"), r.like(limit+"s"))
	case err != nil:
		return fmt.Errorf("%q is not a duration; write %s", limit, r.like(r.example()))
	case d <= 0 || d > longestLimit:
		return fmt.Errorf("a latency's limit is more than 0 and at most 1000h; write %s", r.like(r.example()))
	}
	r.Latency = d
	return nil
}

func (r *Rule) parseAttempts(limit string) error {
	v, ok := parseDecimal(limit, 9)
	switch {
	case !ok:
		return fmt.Errorf("%q is not a number of attempts for each operation; write %s", limit, r.like(r.example()))
	case v < billion || v == billion && !r.Equal:
		return errors.New("every operation has one attempt or more; write attempts<=1 for no retries, or attempts<1.2")
	}
	r.Billionths = v
	return nil
}

func (r *Rule) parseShare(limit string) error {
	number, percent := strings.CutSuffix(limit, "%")
	places := 9
	if percent {
		places = 7
	}
	v, ok := parseDecimal(number, places)
	switch {
	case !ok:
		return fmt.Errorf("%q is not a share with at most seven decimals; write %s", limit, r.like(r.example()))
	case !percent && v >= billion && v <= 100*billion:
		return fmt.Errorf("%s could be percent or a share; write %s or %s", limit, r.like(limit+"%"), r.like(decimal(v, 11)))
	case v > billion:
		return fmt.Errorf("%s is more than all; write %s", limit, r.like(r.example()))
	case !r.Equal && r.lower() && v == billion, !r.Equal && !r.lower() && v == 0:
		r.Equal = true
		return fmt.Errorf("that can never hold; write %s", r.like(limit))
	}
	r.Billionths = v
	return nil
}

// parseDecimal reads digits with at most places decimals, as an integer of 10^−places.
func parseDecimal(s string, places int) (v uint64, ok bool) {
	whole, frac, _ := strings.Cut(s, ".")
	if !isDecimal.MatchString(s) || len(frac) > places || len(whole) > 9 {
		return 0, false
	}
	v, err := strconv.ParseUint(whole+frac+strings.Repeat("0", places-len(frac)), 10, 64)
	return v, err == nil
}

var isDecimal = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)$`)
