package retry

import (
	"fmt"
	"strconv"
	"strings"

	"openload/correct"
)

// An on is the set of failures that are retried: classes, and statuses from 100 to 599.
type on struct {
	classes  uint64
	statuses [10]uint64 // a bit for each status
}

// defaultOn is what may pass by itself. Not in it are failures that the next attempt
// would meet again (most statuses, TLS, malformed answers) and our own (no
// descriptors, no ports).
const defaultOn = "timeout,connect_timeout,refused,reset,truncated,dns,network,stale_connection,408,425,429,500,502,503,504"

// has reports whether the failure x is in the set.
func (o on) has(x correct.Sample) bool {
	if x.Class == correct.BadStatus {
		return o.hasStatus(x.Status)
	}
	return o.classes>>x.Class&1 == 1
}

func (o on) hasStatus(s int) bool {
	return s >= 100 && s <= 599 && o.statuses[s/64]>>(s%64)&1 == 1
}

func parseOn(text string) (o on, err error) {
	for word := range strings.SplitSeq(text, ",") {
		if !o.add(word) {
			return on{}, fmt.Errorf("%q is no failure to retry%s: classes are %s; statuses are 100 to 599, or 5xx for all of 500 to 599",
				word, didYouMean(word, classNames()), strings.Join(classNames(), ", "))
		}
	}
	return o, nil
}

// add puts a class, a status or a hundred of statuses into the set.
func (o *on) add(word string) bool {
	for _, c := range retriable() {
		if c.String() == word {
			o.classes |= 1 << c
			return true
		}
	}
	first, last := word, word
	if hundred, ok := strings.CutSuffix(word, "xx"); ok {
		first, last = hundred+"00", hundred+"99"
	}
	from, err1 := strconv.ParseUint(first, 10, 16)
	to, err2 := strconv.ParseUint(last, 10, 16)
	if err1 != nil || err2 != nil || from < 100 || to > 599 || len(first) != 3 {
		return false
	}
	for s := from; s <= to; s++ {
		o.statuses[s/64] |= 1 << (s % 64)
	}
	return true
}

// retriable are the classes after which another attempt makes sense: not a deadline,
// with which the operation is over, and not what never was an attempt.
func retriable() (classes []correct.Class) {
	for _, c := range correct.Classes() {
		if c.Error() && c != correct.Unmade || c.TimedOut() && c != correct.Deadline {
			classes = append(classes, c)
		}
	}
	return classes
}

func classNames() (names []string) {
	for _, c := range retriable() {
		names = append(names, c.String())
	}
	return names
}

// String lists classes, then statuses, in their order.
func (o on) String() string {
	var words []string
	for _, c := range retriable() {
		if o.classes>>c&1 == 1 {
			words = append(words, c.String())
		}
	}
	for hundred := 100; hundred < 600; hundred += 100 {
		var some []string
		for s := hundred; s < hundred+100; s++ {
			if o.hasStatus(s) {
				some = append(some, strconv.Itoa(s))
			}
		}
		if len(some) == 100 {
			some = []string{strconv.Itoa(hundred/100) + "xx"}
		}
		words = append(words, some...)
	}
	return strings.Join(words, ",")
}
