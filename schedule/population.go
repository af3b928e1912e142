package schedule

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostClients bounds a population: 24 bytes a client.
const mostClients = 10_000_000

// populationForm is what an error says to write.
const populationForm = "write for example population=3000 period=300s, with jitter=30s for a random pause on top of each period, and aligned if that counts from a common clock"

// parsePopulation reads population=N period=TIME [jitter=TIME] [aligned], in any
// order after the first.
func parsePopulation(text string) (Law, error) {
	law := Law{Kind: Population}
	var aligned bool
	seen := map[string]bool{}
	for _, field := range strings.Fields(text) {
		key, value, has := strings.Cut(field, "=")
		var err error
		switch {
		case seen[key]:
			err = fmt.Errorf("%s stands twice", key)
		case key == "population":
			law.Size, err = strconv.ParseUint(value, 10, 64)
		case key == "period":
			law.Period, err = time.ParseDuration(value)
		case key == "jitter":
			law.Jitter, err = time.ParseDuration(value)
		case key == "aligned" && !has:
			aligned = true
		default:
			err = fmt.Errorf("%s is no part of it", quote(field))
		}
		if err != nil {
			return Law{}, fmt.Errorf("arrival law %s: %w; %s", quote(text), plain(err, field), populationForm)
		}
		seen[key] = true
	}
	law.Aligned = aligned && law.Jitter != 0 // without jitter a population is aligned anyway
	if problems := law.checkPopulation(); len(problems) > 0 {
		return Law{}, fmt.Errorf("arrival law %s: %s; %s", quote(text), strings.Join(problems, ", "), populationForm)
	}
	return law, nil
}

// plain is an error of parsing a field's value in words of ours.
func plain(err error, field string) error {
	key, value, _ := strings.Cut(field, "=")
	switch {
	case strings.HasPrefix(err.Error(), "strconv."):
		return fmt.Errorf("%s is no number of clients", quote(value))
	case strings.HasPrefix(err.Error(), "time:"):
		return fmt.Errorf("%s %s is no duration with a unit", key, quote(value))
	}
	return err
}

// checkPopulation lists what is wrong with the law itself.
func (l Law) checkPopulation() (problems []string) {
	if l.Size == 0 || l.Size > mostClients {
		problems = append(problems, fmt.Sprintf("a population has from 1 to %d clients, not %d", mostClients, l.Size))
	}
	if l.Period <= 0 {
		problems = append(problems, "its period is above 0")
	}
	if l.Jitter < 0 {
		problems = append(problems, fmt.Sprintf("jitter %s is negative", l.Jitter))
	}
	if l.Aligned && l.Jitter > l.Period {
		problems = append(problems, fmt.Sprintf("a jitter of %s on a common clock is longer than its period of %s", durationText(l.Jitter), durationText(l.Period)))
	}
	return problems
}

// populationText is the form that parsePopulation reads back.
func (l Law) populationText() string {
	text := fmt.Sprintf("population=%d period=%s", l.Size, durationText(l.Period))
	if l.Jitter != 0 {
		text += " jitter=" + durationText(l.Jitter)
	}
	if l.Aligned {
		text += " aligned"
	}
	return text
}

// checkPopulation lists what is wrong with a population's limits.
func (s Spec) checkPopulation() (problems []error) {
	for _, p := range s.Law.checkPopulation() {
		problems = append(problems, fmt.Errorf("arrival law %s: %s", s.Law, p))
	}
	if len(s.Shape) > 0 {
		problems = append(problems, fmt.Errorf("a rate (%s) beside %s, whose size and period are its rate; give one of them", s.Shape, s.Law))
	}
	if s.N == 0 && s.Duration == 0 {
		problems = append(problems, fmt.Errorf("the schedule would not end; give a number above 0 (--n %d) or a duration (--duration %s)", s.Law.Size, durationText(s.Law.Period)))
	}
	rounds := float64(s.N/max(1, s.Law.Size) + 1)
	if s.Duration == 0 && rounds*(float64(s.Law.Period)+float64(s.Law.Jitter)) >= float64(maxDuration) {
		problems = append(problems, fmt.Errorf("%d arrivals of %s take more than 292 years; give a shorter period or fewer", s.N, s.Law))
	}
	return problems
}

// A population is clients that come back again and again. The run begins when a
// period has just passed for all of them, so the first of each is at its jitter, or at
// the start if there is none. Without a common clock the next is a period and a new
// jitter after the last, as of cache entries with a time to live: they drift apart, by
// a standard deviation of jitter·√(k/12) after k periods. On a common clock it is a new
// jitter after a multiple of the period, as of cron jobs with a random delay: they meet
// again every time.
type population struct {
	law  Law
	r    *rand.Rand
	next clients
	seq  uint64
	n    uint64        // at most so many arrivals; 0: no limit
	end  time.Duration // of the schedule
}

func newPopulation(law Law, r *rand.Rand, n uint64, end time.Duration) *population {
	p := &population{law: law, r: r, n: n, end: end, next: make(clients, law.Size)}
	for i := range p.next {
		p.next[i] = client{at: p.jitter(), number: uint64(i)}
	}
	slices.SortFunc(p.next, client.compare) // a sorted slice is a heap
	return p
}

func (p *population) jitter() time.Duration {
	if p.law.Jitter == 0 {
		return 0
	}
	return time.Duration(p.r.Uint64N(uint64(p.law.Jitter) + 1))
}

func (p *population) Next() (Arrival, bool) {
	c := &p.next[0]
	if p.n > 0 && p.seq >= p.n || c.at >= p.end {
		return Arrival{}, false
	}
	a := Arrival{Seq: p.seq, At: c.at}
	p.seq++
	if p.law.Aligned {
		c.clock = later(c.clock, p.law.Period)
		c.at = later(c.clock, p.jitter())
	} else {
		c.at = later(later(c.at, p.law.Period), p.jitter())
	}
	heap.Fix(&p.next, 0)
	return a, true
}

// later is t + d, or the end of time.
func later(t, d time.Duration) time.Duration {
	if t > maxDuration-d {
		return maxDuration
	}
	return t + d
}

// A client is one of a population, with its next arrival.
type client struct {
	at     time.Duration
	clock  time.Duration // the multiple of the period that it belongs to, on a common clock
	number uint64        // decides between equals, so that chance alone does
}

func (c client) compare(d client) int {
	switch {
	case c.at < d.at || c.at == d.at && c.number < d.number:
		return -1
	case c == d:
		return 0
	}
	return 1
}

// clients are a heap, the next to arrive first.
type clients []client

func (c clients) Len() int           { return len(c) }
func (c clients) Less(i, j int) bool { return c[i].compare(c[j]) < 0 }
func (c clients) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *clients) Push(any)          { panic("schedule: a population does not grow") }
func (c *clients) Pop() any          { panic("schedule: a population does not shrink") }
