package engine

import "math/bits"

// A line holds workers by the instant at which they start, and by their slot where
// that is the same. Who joins nearly always starts after all others, so that the place
// is found from the back.
type line struct {
	ring []int // its length is a power of two
	from int
	n    int
}

func (l *line) at(i int) *int { return &l.ring[(l.from+i)&(len(l.ring)-1)] }

func (l *line) first() int { return l.ring[l.from] }

// insert lets worker j join, who is not in line.
func (l *line) insert(j int, all []worker) {
	if l.ring == nil {
		l.ring = make([]int, 1<<bits.Len(uint(len(all))))
	}
	i := l.n
	for ; i > 0 && all[j].before(all[*l.at(i - 1)]); i-- {
		*l.at(i) = *l.at(i - 1)
	}
	*l.at(i) = j
	l.n++
}

func (w worker) before(o worker) bool { return w.at < o.at || w.at == o.at && w.slot < o.slot }

func (l *line) pop() int {
	j := l.first()
	l.from = (l.from + 1) & (len(l.ring) - 1)
	l.n--
	return j
}
