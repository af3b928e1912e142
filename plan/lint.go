package plan

import (
	"fmt"
	"math"
	"strings"
	"time"

	"openload/sla"
)

// A Finding is what one rule of sound test design says of a plan.
type Finding struct {
	Code   string // open_model, few_samples ...
	Broken bool
	Text   string // why it is kept or broken, and what to do
}

// usual is the confidence in percent that lint asks for where the plan names none.
const usual = 95

// A design is a plan that is being judged: what it says, and what it leaves to defaults.
type design struct {
	*Plan
	said   func(flag string) bool
	reason string
}

// designRules are the rules of sound test design, in the order of a plan.
var designRules = []struct {
	code  string
	judge func(d design) (broken bool, text string)
}{
	{"open_model", design.openModel},
	{"sla", design.rules},
	{"which_latency", design.which},
	{"failures", design.failures},
	{"enough", design.enough},
	{"timeout", design.timeout},
	{"deadline", design.deadline},
	{"expect_status", design.expect},
	{"warmup", design.warmup},
}

// Lint judges a plan that Check accepts by the rules of sound test design. said reports
// whether the plan itself says something for a flag; reason is why it departs from the
// rules, if it gives one.
func Lint(p *Plan, said func(flag string) bool, reason string) (all []Finding) {
	d := design{p, said, strings.TrimSpace(reason)}
	for _, r := range designRules {
		broken, text := r.judge(d)
		all = append(all, Finding{r.code, broken, text})
	}
	return all
}

func (d design) openModel() (bool, string) {
	switch {
	case d.Closed == nil:
		return false, "requests leave on a schedule that no answer can move"
	case d.reason != "":
		return false, "a closed loop, for a reason: " + d.reason
	}
	return true, "a closed loop sends nothing while it waits, and what was due then is not measured; give a rate and leave out closed, or write down the reason"
}

func (d design) rules() (bool, string) {
	if len(d.Rules) == 0 {
		return true, "there is no sla, so no run can fail; write the number that was promised, such as p99<500ms"
	}
	if len(d.Rules) == 1 {
		return false, d.Rules[0].String() + " decides between PASS and FAIL"
	}
	return false, fmt.Sprintf("%d rules decide between PASS and FAIL", len(d.Rules))
}

// latencies are the rules that limit a duration.
func (d design) latencies() (all []sla.Rule) {
	for _, r := range d.Rules {
		if r.OfLatency() {
			all = append(all, r)
		}
	}
	return all
}

func (d design) which() (bool, string) {
	all := d.latencies()
	if len(all) == 0 {
		return true, "no rule limits a latency; write what a user may wait, such as p99<500ms"
	}
	if d.Closed != nil {
		return false, "raw, which is all that a closed loop can measure"
	}
	raw := 0
	for _, r := range all {
		if r.OfRaw() {
			raw++
		}
	}
	switch {
	case raw < len(all):
		return false, "corrected: from when a request was due, which is what a user waits"
	case d.reason != "":
		return false, "raw, for a reason: " + d.reason
	}
	return true, fmt.Sprintf("%s is about raw, which leaves out what a user waited before the request was sent; leave out raw., or write down the reason", all[0])
}

func (d design) failures() (bool, string) {
	for _, r := range d.Rules {
		if r.Metric == sla.Errors || r.Metric == sla.Useful {
			return false, r.String() + " limits them"
		}
	}
	return true, "no rule limits the failures, and p99 alone lets one in a hundred fail; add errors<0.1%"
}

func (d design) enough() (bool, string) {
	n := d.Planned() - min(d.Planned(), d.PlannedWarm())
	if d.Closed != nil && n == 0 {
		return false, "how many requests a closed loop sends depends on the answers"
	}
	percent := d.Confidence
	if percent == 0 {
		percent = usual
	}
	text := "no rule is about a percentile"
	for _, r := range d.latencies() {
		needed, ok := r.Needed(percent)
		if !ok {
			continue
		}
		of, whose := d.of(r.Target, n), "operations"
		if r.Target != "" {
			whose = "of " + r.Target
		}
		if of < needed {
			return true, fmt.Sprintf("%d %s are judged, and fewer than %d cannot show %s at %v %%; send more, or ask for less", of, whose, needed, r, percent)
		}
		text = fmt.Sprintf("%d %s are judged, and %s takes %d", of, whose, r, needed)
	}
	return false, text
}

// of is how many of n operations are a target's, by weight.
func (d design) of(target string, n uint64) uint64 {
	for _, share := range d.Shares(math.MaxInt) {
		if share.Name == target {
			return uint64(math.Round(float64(n) * share.Planned))
		}
	}
	return n
}

func (d design) timeout() (bool, string) {
	var longest time.Duration
	for _, r := range d.latencies() {
		longest = max(longest, r.Latency)
	}
	switch {
	case !d.said("timeout"):
		return true, fmt.Sprintf("the plan leaves it at %v; write the one that your clients have", d.Timeout)
	case d.Timeout == 0:
		return true, "without a timeout one request that hangs is all that the run ends with; write the one that your clients have"
	case d.Timeout < longest:
		return true, fmt.Sprintf("%v is shorter than the %v of a rule: what takes longer is cut off, and by how much it missed is never seen", d.Timeout, longest)
	}
	return false, fmt.Sprintf("%v, as the plan says", d.Timeout)
}

func (d design) deadline() (bool, string) {
	switch {
	case d.said("deadline") && d.Deadline > 0:
		return false, fmt.Sprintf("%v, as the plan says", d.Deadline)
	case d.Retry.Attempts() < 2:
		return false, "one attempt an operation, which its timeout ends"
	}
	return true, fmt.Sprintf("%d attempts and no deadline: nobody waits that long; write how long the caller waits in all", d.Retry.Attempts())
}

func (d design) expect() (bool, string) {
	switch text := d.Expect.String(); {
	case text == "any":
		return true, "any status is a success, so an error page served fast is one; write the statuses that are right, such as 200"
	case !d.said("expect-status"):
		return true, fmt.Sprintf("the plan leaves it at %s; write the statuses that are right, such as 200", text)
	default:
		return false, text + ", as the plan says"
	}
}

func (d design) warmup() (bool, string) {
	switch until := d.WarmUntil(); {
	case until > 0:
		return false, fmt.Sprintf("the first %v are sent and not judged", until)
	case d.said("warmup"):
		return false, "none, as the plan says"
	case d.Closed == nil && d.Length() == 0:
		return false, "a burst has none"
	}
	return true, "cold caches and first connections are judged with the rest; write warmup: 5s, or warmup: 0s if a cold start is what you measure"
}
