package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// A Server is a Model behind HTTP/1.1: each request is answered when the model
// says, counted from the moment it has been read to its end, and later by what
// Go's timers are late: up to a millisecond, which does not add up, since every
// answer has its own instant. Method, path and body make no difference, except that
//
//	GET  /lab/stats      returns Stats as JSON
//	GET  /lab/arrivals   returns the first 100,000 arrivals as CSV
//	GET  /lab/executed   says what became of the request with the key in the header: 200
//	                     if its work was done, 404 if not
//	POST /lab/reset      starts the model and the counters anew, as Reset does
//
// at once, whatever the model does; these are neither served by it nor counted.
// Times of a Spec count from the first request after the start or reset.
type Server struct {
	// Headers are set before Serve.
	Headers Headers

	// Honour, set before Serve, does the work of a key once: a request whose key has been
	// executed is answered as ever, and changes nothing.
	Honour bool

	model func() Model
	seed  maphash.Seed  // of the keys in the ledger
	lock  chan struct{} // holds the era and its counters; a channel, so that a synctest bubble may wait on it
	era   *era
}

// Headers are the names of the headers from which a Server reads who calls. A request
// without them is served alike.
type Headers struct {
	Operation string // which operation
	Attempt   string // which attempt at it, 1 for the first
	Key       string // the idempotency key
}

// DefaultHeaders are the names that openload sends.
var DefaultHeaders = Headers{"Openload-Operation", "Openload-Attempt", "Idempotency-Key"}

// An era is the time from one reset to the next. A request belongs to the one
// it arrived in, even if it is answered later.
type era struct {
	model       Model
	epoch       time.Time
	ledger      Ledger
	journal     journal
	connections uint64
}

func (e *era) now() time.Duration { return time.Since(e.epoch) }

// NewServer returns a server of the models that model makes: it is called once
// now and once at every reset, and must not return the same model twice.
func NewServer(model func() Model) *Server {
	s := &Server{Headers: DefaultHeaders, model: model, seed: maphash.MakeSeed(), lock: make(chan struct{}, 1)}
	s.Reset()
	return s
}

// Reset starts the model and the counters anew. Requests that the old model has
// accepted are answered as it said, and counted no more.
func (s *Server) Reset() {
	s.locked(func() {
		s.era = &era{model: s.model(), epoch: time.Now()}
	})
}

// Stats returns the counts up to now.
func (s *Server) Stats() (now Stats) {
	s.locked(func() {
		now = s.era.ledger.Stats()
		now.Connections = s.era.connections
	})
	return now
}

func (s *Server) locked(do func()) {
	s.lock <- struct{}{}
	do()
	<-s.lock
}

// Serve answers requests on ln until ctx ends, then returns nil at once: it
// closes ln and every connection, also of requests that wait for their answer,
// and leaves no goroutine behind. Any other end is the error of ln.
//
// The kernel's queue of connections not yet accepted is ln's: with 5, a stall
// loses SYNs and clients see 1 s of their retransmission; net.Listen asks for
// the most that the system allows.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	h := &fasthttp.Server{
		Handler:                      func(r *fasthttp.RequestCtx) { s.handle(ctx, r) },
		ErrorHandler:                 func(r *fasthttp.RequestCtx, err error) { respond(r, fasthttp.StatusBadRequest, err.Error()) },
		Concurrency:                  math.MaxInt32, // connections are limited by descriptors alone
		ReadBufferSize:               16 << 10,      // the most that a request's header may have
		MaxRequestBodySize:           1 << 30,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultDate:                true, // its clock is a goroutine that never ends
		Logger:                       silent{},
	}
	conns := map[*conn]struct{}{} // open ones; under s.lock
	var running sync.WaitGroup
	running.Go(func() {
		<-ctx.Done()
		ln.Close()
	})
	defer func() {
		cancel()
		s.locked(func() {
			for c := range conns {
				c.Close()
			}
		})
		running.Wait()
	}()

	for {
		accepted, err := ln.Accept()
		if ctx.Err() != nil {
			if err == nil {
				accepted.Close()
			}
			return nil
		}
		if exhausted(err) {
			sleep(ctx, 10*time.Millisecond) // descriptors come back when connections end
			continue
		}
		if err != nil {
			return fmt.Errorf("accept connections on %s: %w", ln.Addr(), err)
		}
		c := &conn{Conn: accepted}
		s.locked(func() {
			c.era = s.era
			c.era.connections++
			conns[c] = struct{}{}
		})
		running.Go(func() {
			_ = h.ServeConn(c) // how a connection ended is the client's business
			s.locked(func() { delete(conns, c) })
		})
	}
}

// exhausted reports whether accept failed for want of something that comes back.
func exhausted(err error) bool {
	for _, want := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

// A conn is a connection and the era whose count it is in.
type conn struct {
	net.Conn
	era *era
}

// silent keeps fasthttp from writing to stderr about clients that hang up.
type silent struct{}

func (silent) Printf(string, ...any) {}

// handle answers one request.
func (s *Server) handle(ctx context.Context, r *fasthttp.RequestCtx) {
	c := r.Conn().(*conn)
	switch string(r.Path()) {
	case "/lab/stats":
		s.control(c, r, fasthttp.MethodGet, func() {
			body, _ := json.Marshal(s.Stats()) // nothing in it can fail
			r.SetContentType("application/json")
			r.SetBody(body)
		})
		return
	case "/lab/executed":
		s.control(c, r, fasthttp.MethodGet, func() {
			done := false
			if key := s.keyOf(r); key != 0 {
				s.locked(func() { done, _ = s.era.ledger.executed(key) })
			}
			if !done {
				respond(r, fasthttp.StatusNotFound, "not executed")
			} else {
				respond(r, fasthttp.StatusOK, "executed")
			}
		})
		return
	case "/lab/arrivals":
		s.control(c, r, fasthttp.MethodGet, func() {
			var came journal
			s.locked(func() { came = s.era.journal }) // it only grows: what is there stays as it is
			r.SetContentType("text/csv")
			r.SetBody(came.csv())
		})
		return
	case "/lab/reset":
		s.control(c, r, fasthttp.MethodPost, func() {
			s.Reset()
			r.SetStatusCode(fasthttp.StatusNoContent)
		})
		return
	}

	v := s.arrive(r)
	if !v.served(ctx) {
		c.Close()
		return
	}
	if v.answer.Status == 0 {
		v.leave()
		c.Close()
		return
	}
	if v.answer.RetryAfter > 0 {
		r.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(int(v.answer.RetryAfter/time.Second)))
	}
	r.SetStatusCode(v.answer.Status)
	switch a := v.answer; {
	case a.Trickle > 0 && !r.IsHead():
		r.SetContentType("application/octet-stream")
		r.Response.ImmediateHeaderFlush = true
		r.SetBodyStream(&trickle{visit: v, ctx: ctx}, -1)
		return // it leaves with the last of its bytes
	case a.Body > 0:
		r.SetContentType("application/octet-stream")
		r.SetBodyStream(io.LimitReader(zeros{}, int64(a.Body)), int(a.Body))
	default:
		respond(r, a.Status, fasthttp.StatusMessage(a.Status))
	}
	v.leave()
}

// respond sets the response. Not by r.Error, which brings the default date back.
func respond(r *fasthttp.RequestCtx, status int, line string) {
	r.SetStatusCode(status)
	r.SetContentType("text/plain")
	r.SetBodyString(line + "\n")
}

// control does what a request to /lab/ asks for, if it has the right method.
func (s *Server) control(c *conn, r *fasthttp.RequestCtx, method string, do func()) {
	if r.ConnRequestNum() == 1 {
		s.locked(func() { c.era.connections-- })
	}
	if string(r.Method()) != method {
		r.Response.Header.Set(fasthttp.HeaderAllow, method)
		respond(r, fasthttp.StatusMethodNotAllowed, fmt.Sprintf("use %s %s", method, r.Path()))
		return
	}
	do()
}

// sleep returns true after d, or false as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
