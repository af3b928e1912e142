package lab

import "time"

// departures are the instants at which the requests in the server leave it. Most leave
// in the order in which they come: those stand in line, and only who overtakes one of
// them is in the heap.
type departures struct {
	line line[time.Duration]
	heap []time.Duration
}

func (d *departures) len() int { return d.line.len() + len(d.heap) }

// until forgets those who have left by now.
func (d *departures) until(now time.Duration) {
	for d.line.len() > 0 && d.line.front() <= now {
		d.line.pop()
	}
	for len(d.heap) > 0 && d.heap[0] <= now {
		d.drop()
	}
}

func (d *departures) push(at time.Duration) {
	if d.line.len() == 0 || at >= d.line.back() {
		d.line.push(at)
		return
	}
	d.heap = append(d.heap, at)
	h := d.heap
	i := len(h) - 1
	for i > 0 && at < h[(i-1)/2] {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = at
}

// drop takes the least off the heap.
func (d *departures) drop() {
	h := d.heap
	last := h[len(h)-1]
	h = h[:len(h)-1]
	d.heap = h
	if len(h) == 0 {
		return
	}
	i := 0
	for {
		next := 2*i + 1
		if next+1 < len(h) && h[next+1] < h[next] {
			next++
		}
		if next >= len(h) || h[next] >= last {
			break
		}
		h[i] = h[next]
		i = next
	}
	h[i] = last
}
