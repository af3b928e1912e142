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
}

// A Model is a server's behaviour without a network: requests in, in order of
// arrival, answers out. The server does its work whether or not the client
// still waits.
type Model interface {
	// Serve returns what happens to the request that arrives at the instant at.
	Serve(at time.Duration) Answer
}

// Model returns a server that behaves as s says and has seen no request yet.
// It panics, when served, if a request arrives before the one ahead of it.
//
// Times in s count from the first request's arrival, so a model behaves alike
// whatever the epoch of its caller. Only errors= and close= draw from r, one
// number a request; without them it may be nil.
func (s Spec) Model(r *rand.Rand) Model {
	if r == nil && s.errors+s.closes > 0 {
		panic("lab: errors= and close= need a source of chance")
	}
	m := &machine{hang: s.hang, errors: s.errors, closes: s.closes, chance: r}
	if len(s.steps) > 0 {
		m.queue.pace, m.queue.request, _ = stepped(s.steps) // Parse has seen that it can be done
	} else {
		m.queue.pace, m.queue.request = frozen(s.freezes), uint64(s.service)
	}
	m.queue.stalls = slices.Clone(s.stalls)
	if s.workers > 0 {
		m.queue.free = make([]work, s.workers)
	}
	return m
}

// A machine is the server of a Spec: hold, queue, then the answer.
type machine struct {
	hang   time.Duration
	queue  queue
	errors float64 // percent
	closes float64 // percent
	chance *rand.Rand

	begun       bool
	first, last time.Duration // arrivals
}

func (m *machine) Serve(at time.Duration) Answer {
	if !m.begun {
		m.begun, m.first, m.last = true, at, at
	}
	if at < m.last {
		panic("lab: request served out of order of arrival")
	}
	m.last = at
	done := m.queue.serve(at - m.first + m.hang)
	if done > never-m.first {
		return Answer{At: never, Status: m.status()}
	}
	return Answer{At: m.first + done, Status: m.status()}
}

// status decides how the next request ends.
func (m *machine) status() int {
	if m.errors+m.closes == 0 {
		return 200
	}
	switch u := 100 * m.chance.Float64(); {
	case u < m.errors:
		return 500
	case u < m.errors+m.closes:
		return 0
	default:
		return 200
	}
}
