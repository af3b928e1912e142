package repair

import (
	"slices"
	"time"
)

// peak is the most requests under way at once in the rows, and the share of requests
// that began as one of so many workers became free, were each given to the worker
// that had been free for the shortest time.
func peak(rows []span, slack time.Duration) (most int, chained float64) {
	if len(rows) == 0 {
		return 0, 0
	}
	byStart := slices.Clone(rows)
	slices.SortFunc(byStart, func(a, b span) int { return int(a.start - b.start) })
	ends := make([]time.Duration, len(rows))
	for i := range rows {
		ends[i] = rows[i].end
	}
	slices.Sort(ends)

	var idle []span // by end; a stack
	running := map[time.Duration][]time.Duration{}
	now, pairs, links := 0, 0, 0
	next := 0
	for _, m := range byStart {
		for ; next < len(ends) && ends[next] <= m.start+slack; next++ {
			now--
			starts := running[ends[next]]
			if len(starts) == 0 {
				continue
			}
			idle = append(idle, span{starts[0], ends[next]})
			running[ends[next]] = starts[1:]
		}
		now++
		most = max(most, now)
		if n := len(idle); n > 0 {
			last := idle[n-1]
			idle = idle[:n-1]
			if cycle := m.start - last.start; cycle > 4*slack {
				pairs++
				if 10*(m.start-last.end) <= cycle+10*slack {
					links++
				}
			}
		}
		running[m.end] = append(running[m.end], m.start)
	}
	if pairs == 0 {
		return most, 0
	}
	return most, float64(links) / float64(pairs)
}
