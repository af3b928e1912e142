package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// Statuses are the HTTP statuses that count as a success. The zero value is 200-399.
type Statuses struct {
	text   string
	ranges [][2]int
}

// ParseStatuses reads "200-399", "200,204,301-303" or "any".
func ParseStatuses(text string) (Statuses, error) {
	s := Statuses{text: text}
	if text == "any" {
		s.ranges = [][2]int{{100, 999}}
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		lo, hi, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			hi = lo
		}
		from, err1 := strconv.Atoi(lo)
		to, err2 := strconv.Atoi(hi)
		if err1 == nil && err2 == nil && (from < 100 || to > 599) {
			return Statuses{}, fmt.Errorf("%q: HTTP statuses go from 100 to 599; write 200-399, 200,204 or any", text)
		}
		if err1 != nil || err2 != nil || from > to {
			return Statuses{}, fmt.Errorf("%q is not a list of HTTP statuses; write 200-399, 200,204 or any", text)
		}
		s.ranges = append(s.ranges, [2]int{from, to})
	}
	return s, nil
}

// Has reports whether a response of that status is a success.
func (s Statuses) Has(status int) bool {
	if s.ranges == nil {
		return 200 <= status && status <= 399
	}
	for _, r := range s.ranges {
		if r[0] <= status && status <= r[1] {
			return true
		}
	}
	return false
}

// String is the form that ParseStatuses reads.
func (s Statuses) String() string {
	if s.ranges == nil {
		return "200-399"
	}
	return s.text
}
