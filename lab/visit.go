package lab

import (
	"context"
	"hash/maphash"
	"io"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// A visit is one request at a Server, from its arrival to its answer.
type visit struct {
	*Server
	era    *era
	key    uint64 // a hash of its idempotency key, 0 if it has none
	number uint64 // of the latest call at the model; see [Answer.Again]
	answer Answer // to the last of them
}

// arrive records the request and takes it to the model. The lock makes the order of
// arrival and the order of asking the same.
func (s *Server) arrive(r *fasthttp.RequestCtx) *visit {
	v := &visit{Server: s}
	h := &r.Request.Header
	operation, key := h.Peek(s.Headers.Operation), h.Peek(s.Headers.Key)
	v.key = s.keyOf(r)
	attempt, _ := strconv.Atoi(string(h.Peek(s.Headers.Attempt))) // what is no number is none
	s.locked(func() {
		v.era = s.era
		v.era.journal.add(v.era.now(), operation, key, attempt)
		v.era.ledger.Arrive(attempt)
		v.era.ledger.Key(v.key)
		v.call(1)
	})
	return v
}

// keyOf is a hash of a request's idempotency key; 0 if it has none.
func (s *Server) keyOf(r *fasthttp.RequestCtx) uint64 {
	key := r.Request.Header.Peek(s.Headers.Key)
	if len(key) == 0 {
		return 0
	}
	return maphash.Bytes(s.seed, key) | 1
}

// call asks the model, which is locked.
func (v *visit) call(number uint64) {
	v.number = number
	v.answer = v.era.model.Serve(v.era.now())
	v.era.ledger.Call(number, v.answer)
}

// served waits until the answer begins to leave, and lets the layers call again
// before. It is false if ctx ended first.
func (v *visit) served(ctx context.Context) bool {
	for {
		if v.answer.Effect {
			if !v.until(ctx, v.answer.EffectAt) {
				return false
			}
			v.locked(func() {
				if done, _ := v.era.ledger.executed(v.key); !v.Honour || !done {
					v.era.ledger.Execute(v.key)
				}
			})
		}
		if !v.until(ctx, v.answer.At-v.answer.Trickle) {
			return false
		}
		var again uint64
		v.locked(func() {
			if again = v.answer.Again(v.number); again > 0 {
				v.call(again)
			}
		})
		if again == 0 {
			return true
		}
	}
}

func (v *visit) until(ctx context.Context, at time.Duration) bool {
	return sleep(ctx, at-v.era.now())
}

// leave counts the request before its answer, or the last of it, goes out, so that
// whoever has read it finds it counted.
func (v *visit) leave() {
	v.locked(func() { v.era.ledger.Leave(v.answer.Status) })
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A trickle is a body that leaves bit by bit: in equal steps of time, the first when
// the header has gone, the last at the instant of the answer.
type trickle struct {
	*visit
	ctx  context.Context
	sent uint64
	left bool
}

// bit is the least time between two pieces of a slow body.
const bit = 10 * time.Millisecond

// Read waits for the next piece.
func (t *trickle) Read(p []byte) (int, error) {
	a := t.answer
	if t.sent == a.Body {
		return 0, io.EOF
	}
	nsPerByte := float64(a.Trickle) / float64(a.Body)
	piece := max(1, uint64(float64(bit)/nsPerByte))
	piece = min(piece, a.Body-t.sent, uint64(len(p)))
	due := a.At - time.Duration(float64(a.Body-t.sent-piece)*nsPerByte)
	if !t.until(t.ctx, due) {
		return 0, t.ctx.Err()
	}
	clear(p[:piece])
	if t.sent += piece; t.sent == a.Body {
		t.leaveOnce()
	}
	return int(piece), nil
}

// Close ends the body, whether or not all of it has been read.
func (t *trickle) Close() error {
	t.leaveOnce()
	return nil
}

func (t *trickle) leaveOnce() {
	if !t.left {
		t.left = true
		t.leave()
	}
}
