package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"openload/plan"
)

// plainWord needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quote writes s as one word of a POSIX shell.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// loadFlags are the flags that give p's load, limits and rules again; schedule is the
// file that the arrivals came from, if any.
func loadFlags(p *plan.Plan, schedule string) string {
	var f []string
	add := func(name, value string) { f = append(f, "--"+name+" "+quote(value)) }
	span := func(name string, d, usual time.Duration) {
		if d != usual {
			add(name, d.String())
		}
	}
	if c := p.Closed; c != nil {
		f = append(f, "--closed")
		if c.Rate != nil {
			add("rate", c.Rate.String())
		}
		count(add, c.N)
		span("duration", c.Duration, 0)
		span("think", c.Think, 0)
	} else {
		if schedule != "" {
			add("schedule", schedule)
		}
		for _, x := range p.Phases {
			add("phase", x.String())
		}
		if len(p.Schedule.Shape) > 0 && len(p.Phases) == 0 {
			add("rate", p.Schedule.Shape.String())
		}
		if law := p.Schedule.Law.String(); law != "even" {
			add("arrival", law)
		}
		count(add, p.Schedule.N)
		span("duration", p.Schedule.Duration, 0)
	}
	span("warmup", p.Warmup, 0)
	if p.Seed != 1 {
		add("seed", fmt.Sprint(uint64(p.Seed)))
	}
	if p.Connections > 0 {
		add("connections", strconv.Itoa(p.Connections))
	}
	span("timeout", p.Timeout, plan.DefaultTimeout)
	span("connect-timeout", p.ConnectTimeout, plan.DefaultConnectTimeout)
	span("deadline", p.Deadline, 0)
	span("drain", p.Drain, plan.DefaultDrain)
	if text := p.Expect.String(); text != "200-399" {
		add("expect-status", text)
	}
	if p.Retry.Attempts() > 1 {
		add("retry", plan.ShownRetry(p.Retry.String()))
	}
	for _, r := range p.Rules {
		add("sla", r.String())
	}
	if p.AbortOnFail {
		f = append(f, "--abort-on-fail")
	}
	if p.Confidence > 0 {
		add("confidence", fmt.Sprint(p.Confidence))
	}
	return strings.Join(f, " ")
}

func count(add func(name, value string), n uint64) {
	if n > 0 {
		add("n", strconv.FormatUint(n, 10))
	}
}
