package lab

import (
	"math/rand/v2"
	"slices"
	"time"
)

// An Answer is what the server does with one request.
type Answer struct {
	At     time.Duration // when its last byte leaves the server, or the connection is closed
	Status int           // HTTP status; 0 if the connection is closed without a response
	Fate   Fate

	RetryAfter time.Duration // what the response asks to wait, in whole seconds; 0: nothing
	Body       uint64        // bytes of the body; 0: a line of text
	Trickle    time.Duration // how long the body takes: its first byte leaves at At - Trickle

	// Effect says whether the work was done, by EffectAt: it was not if the request was
	// turned away, or if the status is 400 or more. A connection that is closed in place
	// of an answer, and an answer that is held, come after the work.
	Effect   bool
	EffectAt time.Duration

	Held int // requests in the server now, this one included unless it is turned away at once

	layers layers
}

// A Fate says what became of a request.
type Fate uint8

// The fates.
const (
	Served   Fate = iota
	Rejected      // turned away by accept=, limit= or queue=
	Expired       // turned away by max-age=
)

// A Model is a server's behaviour without a network: requests in, in order of
// arrival, answers out. The server does its work whether or not the client
// still waits.
//
// Who calls it plays the layers before the server as well: as [Answer.Again]
// says, the request arrives once more at the instant at which it was answered.
type Model interface {
	// Serve returns what happens to the request that arrives at the instant at.
	Serve(at time.Duration) Answer
}

// Model returns a server that behaves as s says and has seen no request yet.
// It panics, when served, if a request arrives before the one ahead of it.
//
// Times in s count from the first request's arrival, so a model behaves alike
// whatever the epoch of its caller. Only errors=, close= and status= draw from r, one
// number for each request that is served; without them it may be nil.
func (s Spec) Model(r *rand.Rand) Model {
	m := &machine{spec: s, layers: s.layers.funded(), chance: r, mix: s.mix(), stalls: slices.Clone(s.stalls)}
	if r == nil && len(m.mix) > 0 {
		panic("lab: errors=, close= and status= need a source of chance")
	}
	if len(s.steps) > 0 {
		m.queue.pace, m.request, _ = stepped(s.steps) // Parse has seen that it can be done
	} else {
		m.queue.pace, m.request = frozen(s.freezes), uint64(s.service)
	}
	if s.workers > 0 {
		m.queue.free = make([]work, s.workers)
	}
	m.queue.room, m.queue.maxAge = s.room, s.maxAge
	m.gate.limit, m.gate.quota = s.limit, s.accept
	return m
}

// mix is how requests end that are served and not answered with 200: with what
// chance, in percent.
func (s Spec) mix() (mix []share) {
	all := append([]share{{500, s.errors}, {0, s.closes}}, s.statuses...)
	return slices.DeleteFunc(all, func(x share) bool { return x.percent == 0 })
}

// A machine is the server of a Spec: gate, hold, queue, hold, then the answer.
type machine struct {
	spec    Spec
	gate    gate
	queue   queue
	layers  layers
	request uint64  // the work of an ordinary request
	stalls  []stall // those to come, by number; their work is in nanoseconds
	mix     []share
	chance  *rand.Rand

	arrived     uint64
	first, last time.Duration // arrivals
}

func (m *machine) Serve(at time.Duration) Answer {
	if m.arrived == 0 {
		m.first, m.last = at, at
	}
	if at < m.last {
		panic("lab: request served out of order of arrival")
	}
	m.last = at
	a := m.answer(at - m.first)
	a.At = m.instant(a.At)
	if a.Effect {
		a.EffectAt = m.instant(a.EffectAt)
	}
	a.layers = m.layers
	return a
}

// instant turns a time since the first arrival into one of the caller.
func (m *machine) instant(t time.Duration) time.Duration {
	if t > never-m.first {
		return never
	}
	return m.first + t
}

// answer is Serve in times since the first arrival.
func (m *machine) answer(now time.Duration) (a Answer) {
	request := m.work()
	if !m.gate.admits(now) {
		a = m.turnedAway(now, Rejected)
		a.Held = m.gate.held.len()
		return a
	}
	done, fate := m.queue.serve(now, now+m.spec.hang, request)
	if fate == Served {
		a = m.served(done)
	} else {
		a = m.turnedAway(done, fate)
	}
	m.gate.held.push(a.At)
	a.Held = m.gate.held.len()
	return a
}

// work is that of the next request.
func (m *machine) work() uint64 {
	m.arrived++
	if len(m.stalls) == 0 || m.stalls[0].number != m.arrived {
		return m.request
	}
	stalled := m.stalls[0]
	m.stalls = m.stalls[1:]
	return uint64(stalled.total)
}

func (m *machine) turnedAway(at time.Duration, fate Fate) Answer {
	status := refusal
	if m.spec.reject > 0 {
		status = m.spec.reject
	}
	return Answer{At: at, Status: status, Fate: fate, RetryAfter: m.spec.retryAfter}
}

func (m *machine) served(done time.Duration) Answer {
	a := Answer{At: done + m.spec.hangAfter, Status: m.status()}
	if a.Status < 400 {
		a.Effect, a.EffectAt = true, done
	}
	if 200 <= a.Status && a.Status < 400 {
		a.Body, a.Trickle = m.spec.body, m.spec.trickle
		a.At += a.Trickle
	}
	if a.Status == 429 || a.Status == 503 {
		a.RetryAfter = m.spec.retryAfter
	}
	return a
}

// status decides how the next request ends.
func (m *machine) status() int {
	if len(m.mix) == 0 {
		return 200
	}
	u, sum := 100*m.chance.Float64(), 0.0
	for _, x := range m.mix {
		if sum += x.percent; u < sum {
			return x.status
		}
	}
	return 200
}
