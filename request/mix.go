package request

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"openload/internal/nearest"
)

// An Item is one of the requests of a Mix.
type Item struct {
	Name   string `json:"name,omitempty"`   // in reports and rules; those of one name share a row. Files may not give one twice
	Weight int    `json:"weight,omitempty"` // its turns in a round; 0 is 1
	Line   int    `json:"-"`                // of the file, where it begins; 0: it is from none
	Request
}

// An Order says which operation takes which item.
type Order uint8

// The orders.
const (
	Cycle  Order = iota // round after round
	Random              // each operation draws, by weight
	Once                // one round
)

var orderNames = []string{Cycle: "cycle", Random: "random", Once: "once"}

// String is the order's name as a flag.
func (o Order) String() string { return orderNames[o] }

// ParseOrder reads an order's name.
func ParseOrder(name string) (Order, error) {
	i := slices.Index(orderNames, name)
	if i < 0 {
		hint := ""
		if near := nearest.Of(name, orderNames); near != "" {
			hint = fmt.Sprintf(", did you mean %s?", near)
		}
		return 0, fmt.Errorf("%q is no order; write %s%s", name, strings.Join(orderNames, ", "), hint)
	}
	return Order(i), nil
}

// A Mix is what the operations of a run send: one request, or several in turn. Which
// one an operation sends depends on its number alone, and with [Random] on a seed, so
// that all shards of a run agree.
type Mix struct {
	items []Item
	order Order
	draw  func(seq uint64) uint64

	// The items in the order of their turns; nil if each has one, in their own order.
	turns  []uint32
	length uint64 // of a round
}

// Limits of a Mix.
const (
	mostItems = 1_000_000
	mostTurns = 1_000_000
)

// NewMix returns the mix of items, named where they have no name. draw is needed for
// Random alone: it returns 64 random bits that depend on the number. The error names
// every item that is wrong.
func NewMix(items []Item, order Order, draw func(seq uint64) uint64) (*Mix, error) {
	switch {
	case len(items) == 0:
		return nil, errors.New("there is no request to send")
	case len(items) > mostItems:
		return nil, fmt.Errorf("%d requests; a run takes %d at most", len(items), mostItems)
	case order == Random && draw == nil:
		panic("request: a random mix needs a source of chance")
	}
	m := &Mix{items: slices.Clone(items), order: order, draw: draw}
	var problems []error
	for i := range m.items {
		if m.items[i].Weight == 0 {
			m.items[i].Weight = 1
		}
		if w := m.items[i].Weight; w < 0 || w > mostTurns {
			problems = append(problems, fmt.Errorf("request %d: weight %d; write one from 1 to %d", i+1, w, mostTurns))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	m.name()
	return m, m.plan()
}

// name gives every item a name that has none: its method and path, with the host if
// there are several, and the scheme if there are both. The query is left out, so that one
// page is one target.
func (m *Mix) name() {
	several, both := false, false
	first, _ := cut(m.items[0].URL)
	for _, it := range m.items {
		p, err := cut(it.URL)
		several = several || p.authority != first.authority
		both = both || err == nil && p.tls != first.tls
	}
	for i, it := range m.items {
		if it.Name != "" {
			continue
		}
		p, err := cut(it.URL)
		path, _, _ := strings.Cut(p.path, "?")
		if err != nil {
			path, _, _ = strings.Cut(RedactURL(it.URL), "?") // a template may be no URL yet
		} else if several || both {
			path = p.authority + path
		}
		if both && err == nil {
			scheme := "http://"
			if p.tls {
				scheme = "https://"
			}
			path = scheme + path
		}
		m.items[i].Name = it.Verb() + " " + path
	}
}

// plan lays out the turns of a round: each item's are spread evenly over it.
func (m *Mix) plan() error {
	least := 0
	for _, it := range m.items {
		least = gcd(least, it.Weight)
	}
	total := 0
	for _, it := range m.items {
		total += it.Weight / least
	}
	m.length = uint64(total)
	if total == len(m.items) {
		return nil
	}
	if total > mostTurns {
		return fmt.Errorf("the weights add up to %d turns; write smaller ones, for %d turns at most", total, mostTurns)
	}
	type turn struct {
		at   float64
		item uint32
	}
	var all []turn
	for i, it := range m.items {
		n := it.Weight / least
		for k := range n {
			all = append(all, turn{(float64(k) + 0.5) / float64(n), uint32(i)})
		}
	}
	slices.SortFunc(all, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item, b.item))
	})
	m.turns = make([]uint32, total)
	for i, t := range all {
		m.turns[i] = t.item
	}
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Items are the mix's requests. They must not be changed.
func (m *Mix) Items() []Item { return m.items }

// Order is the order in which they are taken.
func (m *Mix) Order() Order { return m.order }

// Round is how many operations one round has.
func (m *Mix) Round() uint64 { return m.length }

// Turns is how many operations there are until the items come in the same order again; 0
// if chance decides.
func (m *Mix) Turns() uint64 {
	if m.order == Random {
		return 0
	}
	return m.length
}

// Pick returns which of Items operation seq sends.
func (m *Mix) Pick(seq uint64) int {
	if len(m.items) == 1 {
		return 0
	}
	turn := seq % m.length
	if m.order == Random {
		turn, _ = bits.Mul64(m.draw(seq), m.length)
	}
	if m.turns == nil {
		return int(turn)
	}
	return int(m.turns[turn])
}

// Names are the different names of the items, in the order of the items.
func (m *Mix) Names() (names []string) {
	seen := map[string]bool{}
	for _, it := range m.items {
		if !seen[it.Name] {
			seen[it.Name] = true
			names = append(names, it.Name)
		}
	}
	return names
}
