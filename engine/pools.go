package engine

import "time"

// A Pooled World has its connections in several pools, such as one for each host. What
// waits for room in one of them holds back nothing that needs another. Its Room is that
// of the first.
type Pooled interface {
	World
	// Pools is how many there are; at least 1.
	Pools() int
	// Pool is which of them operation seq needs, from 0.
	Pool(seq uint64) int
	// RoomIn is Room for one of them.
	RoomIn(pool, waiting int, since time.Duration) int
	// Held reports whether one of them ever had less room than was asked for although more
	// connections might have been open.
	Held(pool int) bool
}

// pools are the shots that wait and those that are out, each with the pool that it needs.
type pools struct {
	world  World
	pooled Pooled // world, if it has several pools

	all     []pool
	some    []int32 // those in which something waits
	waiting int     // in all of them
	flying  int
	capped  bool    // a shot waited although its pool had room, since most were out
	auto    bool    // that is nobody's wish
	common  *Common // with other loops; nil: there are none
	shown   stand   // what the others know of
}

// A stand is how many wait and are out.
type stand struct{ waiting, out int }

// A pool is what a World with a single pool is.
type pool struct {
	queue
	flying int
	behind time.Duration // our greatest lateness since nothing was out
	capped bool
}

func poolsOf(w World, c *Common) pools {
	p := pools{world: w, all: make([]pool, 1), common: c}
	if pooled, ok := w.(Pooled); ok && pooled.Pools() > 1 {
		p.pooled, p.all = pooled, make([]pool, pooled.Pools())
	}
	return p
}

// of is the pool of an operation.
func (p *pools) of(seq uint64) int32 {
	if p.pooled == nil {
		return 0
	}
	return int32(p.pooled.Pool(seq))
}

func (p *pools) room(pool int32, waiting int, since time.Duration) int {
	if p.pooled == nil {
		return p.world.Room(waiting, since)
	}
	return p.pooled.RoomIn(int(pool), waiting, since)
}

// push has s wait, last in its pool.
func (p *pools) push(s *Shot) {
	q := &p.all[s.Pool]
	if q.len() == 0 {
		p.some = append(p.some, s.Pool)
	}
	q.push(s)
	p.waiting++
	if p.common != nil {
		p.common.pool(s.Pool).join()
	}
}

// passed notes that one of the pool waits no more, and is not out.
func (p *pools) passed(pool int32) {
	p.waiting--
	if p.common != nil {
		p.common.pool(pool).leave()
	}
}

// left notes that one of the pool waits no more: it is out.
func (p *pools) left(pool int32) {
	p.waiting--
	p.flying++
	p.all[pool].flying++
}

// standing are how many wait and are out, those of other loops included.
func (p *pools) standing() (waiting, out int) {
	if p.common == nil {
		return p.waiting, p.flying
	}
	waiting, out = p.common.standing()
	return waiting + p.waiting - p.shown.waiting, out + p.flying - p.shown.out
}

// show lets other loops know how many wait and are out. It is called when all that may
// leave has: what is dispatched and fired at once never waited.
func (p *pools) show() {
	if now := (stand{p.waiting, p.flying}); p.common != nil && now != p.shown {
		p.common.stand(int64(now.waiting-p.shown.waiting), int64(now.out-p.shown.out))
		p.shown = now
	}
}

// late notes that a shot of the pool, which was pushed, is late by this much.
func (p *pools) late(pool int32, by time.Duration) {
	if p.common != nil {
		p.common.pool(pool).late(by)
		return
	}
	q := &p.all[pool]
	q.behind = max(q.behind, by)
}

// behind is our greatest lateness in the pool since nothing was out in it.
func (p *pools) behind(pool int32) time.Duration {
	if p.common != nil {
		return p.common.pool(pool).behind()
	}
	return p.all[pool].behind
}

// land notes that a shot of the pool was answered, which was late by this much, and
// returns our greatest lateness until then.
func (p *pools) land(pool int32, by time.Duration) (behind time.Duration) {
	q := &p.all[pool]
	p.flying--
	q.flying--
	if p.common != nil {
		return p.common.pool(pool).land(by)
	}
	behind = max(q.behind, by)
	q.behind = behind
	if q.flying == 0 && q.len() == 0 {
		q.behind = 0
	}
	return behind
}

// waitCounts reports whether no wait in the pool was our doing so far. Of a single one
// that is known only in the end.
func (p *pools) waitCounts(pool int32) bool {
	return p.pooled != nil && !p.pooled.Held(int(pool)) && !(p.auto && p.all[pool].capped)
}

// deadline is the first of those of the shots that wait longest.
func (p *pools) deadline() time.Duration {
	first := Forever
	for _, k := range p.some {
		if d := p.all[k].head().Deadline; d > 0 {
			first = min(first, d)
		}
	}
	return first
}

// fire starts what waits, as far as there is room, oldest first, with at most so many of
// a pool out if most is not 0. Whose deadline has passed is handed to over.
func (p *pools) fire(now time.Duration, most int, watch Watcher, over func(Shot)) {
	for i := 0; i < len(p.some); {
		k := p.some[i]
		p.fireOf(k, now, most, watch, over)
		if p.all[k].len() > 0 {
			i++
			continue
		}
		last := len(p.some) - 1
		p.some[i] = p.some[last]
		p.some = p.some[:last]
	}
}

func (p *pools) fireOf(k int32, now time.Duration, most int, watch Watcher, over func(Shot)) {
	q := &p.all[k]
	room := 0
	for q.len() > 0 {
		if s := q.head(); s.Deadline > 0 && s.Deadline <= now {
			p.passed(k)
			over(q.pop())
			continue
		}
		if most > 0 && q.flying >= most {
			p.capped, q.capped = true, true
			return
		}
		if room == 0 {
			// Once more when it is used up, too: what happens elsewhere must find nothing to do.
			if room = p.room(k, q.len(), q.head().Dispatched); room == 0 {
				return
			}
		}
		s := q.pop()
		s.Handed = now
		p.left(k)
		p.world.Fire(s)
		if watch != nil {
			watch.Fire(s)
		}
		room--
	}
}

// drain hands everything that waits to over.
func (p *pools) drain(over func(Shot)) {
	for _, k := range p.some {
		for q := &p.all[k]; q.len() > 0; p.passed(k) {
			over(q.pop())
		}
	}
	p.some = p.some[:0]
}
