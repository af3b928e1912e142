package correct

// growth watches how many operations are out as the schedule goes on. It thins
// itself out: however long the run, it keeps between 512 and 1024 readings, evenly
// spaced over the arrivals.
type growth struct {
	at    []uint64 // readings, one every `every` arrivals
	every uint64
	next  uint64 // the arrival that is read next
	n     uint64 // arrivals seen
	last  uint64 // the latest reading
}

const mostReadings = 1024

func (g *growth) arrive(out uint64) {
	if g.n == g.next {
		g.read(out)
	}
	g.n++
	g.last = out
}

func (g *growth) read(out uint64) {
	if len(g.at) == mostReadings {
		for i := range mostReadings / 2 {
			g.at[i] = g.at[2*i]
		}
		g.at = g.at[:mostReadings/2]
		g.every *= 2
	}
	g.every = max(1, g.every)
	g.at = append(g.at, out)
	g.next += g.every
}

// growing reports whether each eighth of the second half of the arrivals added to
// what was out, a fair share of what that half added as a whole. A stall, however
// late, adds in one eighth and not in those before it.
func (g *growth) growing() bool {
	if len(g.at) < 16 {
		return false
	}
	at := func(eighth int) uint64 {
		if eighth == 8 {
			return g.last
		}
		return g.at[len(g.at)*eighth/8]
	}
	if g.last < at(4)+max(10, g.n/40) {
		return false
	}
	share := (g.last - at(4)) / 16
	for i := 4; i < 8; i++ {
		if at(i+1) <= at(i)+share {
			return false
		}
	}
	return true
}
