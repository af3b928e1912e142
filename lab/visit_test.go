// The real server's answers on a virtual clock: its layers, its bodies, its record.

package lab

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGatesOfTheRealServerAreTheModels(t *testing.T) {
	for _, spec := range []string{
		"service=30ms hang-after=70ms limit=5",
		"service=30ms accept=3/100ms reject=429 retry-after=2s",
		"service=30ms queue=2",
		"service=30ms max-age=100ms",
		"capacity=60/s until=500ms then=100/s max-age=200ms",
	} {
		t.Run(spec, func(t *testing.T) {
			const n, every = 100, 7 * ms
			m := model(t, spec)
			inBubble(t, spec, func(s *Server, ln pipeListener) {
				var clients sync.WaitGroup
				for i := range n {
					want := m.Serve(time.Duration(i) * every)
					clients.Go(func() {
						sent := time.Now()
						w := ln.dial(t)
						defer w.Close()
						w.send("GET", "/")
						r, err := http.ReadResponse(w.read, nil)
						require.NoError(t, err)
						defer r.Body.Close()
						require.Equal(t, want.At-time.Duration(i)*every, time.Since(sent), "request %d", i+1)
						require.Equal(t, want.Status, r.StatusCode)
						if want.RetryAfter > 0 {
							require.Equal(t, "2", r.Header.Get("Retry-After"))
						}
					})
					time.Sleep(every)
				}
				clients.Wait()
				require.Positive(t, s.Stats().Rejected+s.Stats().Expired)
				require.EqualValues(t, n, s.Stats().Executed+s.Stats().Rejected+s.Stats().Expired)
			})
		})
	}
}

func TestTheEffectComesBeforeTheAnswer(t *testing.T) {
	inBubble(t, "hang=2s service=1s hang-after=8s", func(s *Server, ln pipeListener) {
		w := ln.dial(t)
		w.send("POST", "/")
		time.Sleep(2999 * ms)
		w.Close() // the client gives up
		synctest.Wait()
		require.Zero(t, s.Stats().Executed)
		time.Sleep(2 * ms)
		require.EqualValues(t, 1, s.Stats().Executed)
		require.Zero(t, s.Stats().Answered)
		time.Sleep(8 * time.Second)
		require.EqualValues(t, 1, s.Stats().Answered)
	})
}

func TestTheRealServersLayers(t *testing.T) {
	inBubble(t, "service=10ms close=100% layers=3 attempts=3", func(s *Server, ln pipeListener) {
		began := time.Now()
		w := ln.dial(t)
		fmt.Fprint(w, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 0\r\nIdempotency-Key: 7\r\n\r\n")
		status, _ := w.receive("POST")
		require.Zero(t, status)
		require.Equal(t, 270*ms, time.Since(began))
		got := s.Stats()
		require.EqualValues(t, 1, got.Received)
		require.EqualValues(t, 1, got.Closed)
		require.Equal(t, []uint64{3, 9, 27}, got.Layers)
		require.EqualValues(t, 27, got.Executed)
		require.EqualValues(t, 26, got.Duplicates, "one payment, 27 charges")
		require.Equal(t, 1, got.HeldAtOnce)
	})
}

// A call of an old era does not reach a new model.
func TestLayersOfAnEraThatIsOver(t *testing.T) {
	inBubble(t, "service=10ms errors=100% layers=2 attempts=2", func(s *Server, ln pipeListener) {
		w := ln.dial(t)
		defer w.Close()
		w.send("GET", "/")
		time.Sleep(15 * ms)
		s.Reset()
		status, _ := w.receive("GET")
		require.Equal(t, 500, status)
		require.Equal(t, Stats{Status: map[int]uint64{}, ByAttempt: map[int]uint64{}}, s.Stats())
		status, _ = w.do("GET", "/")
		require.Equal(t, 500, status)
		require.Equal(t, []uint64{2, 4}, s.Stats().Layers)
	})
}

func TestSlowBodies(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		size       int
		halfway    time.Duration // when half of it has come
		end        time.Duration
	}{
		{"all at once", "service=1s body=100kB", 100_000, time.Second, time.Second},
		{"in bits", "service=1s body=100kB trickle=10s", 100_000, 6 * time.Second, 11 * time.Second},
		{"byte by byte", "service=1s body=10B trickle=10s", 10, 6 * time.Second, 11 * time.Second},
		{"in no time to speak of", "body=1MiB trickle=1ns", 1 << 20, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.end, model(t, tt.spec).Serve(0).At)
			inBubble(t, tt.spec, func(s *Server, ln pipeListener) {
				began := time.Now()
				w := ln.dial(t)
				defer w.Close()
				w.send("GET", "/")
				r, err := http.ReadResponse(w.read, nil)
				require.NoError(t, err)
				defer r.Body.Close()
				header := time.Since(began)
				if strings.Contains(tt.spec, "trickle=10s") {
					require.Equal(t, time.Second, header, "the header goes first")
					require.Zero(t, s.Stats().Answered)
				}
				size, piece := 0, make([]byte, 8<<10)
				halfway := time.Duration(0)
				for err == nil {
					var n int
					n, err = r.Body.Read(piece)
					if size += n; halfway == 0 && 2*size >= tt.size {
						halfway = time.Since(began)
					}
				}
				require.Equal(t, tt.size, size)
				require.InDelta(t, tt.halfway, halfway, float64(2*bit))
				require.Equal(t, tt.end, time.Since(began))
				require.EqualValues(t, 1, s.Stats().Answered)
				status, _ := w.do("HEAD", "/")
				require.Equal(t, 200, status, "the connection can be used again")
				require.EqualValues(t, 2, s.Stats().Answered)
			})
		})
	}
}

func TestItEndsAtOnceInTheMiddleOfABody(t *testing.T) {
	inBubble(t, "body=1MB trickle=1h", func(s *Server, ln pipeListener) {
		w := ln.dial(t)
		w.send("GET", "/")
		go http.ReadResponse(w.read, nil)
		time.Sleep(time.Minute)
	})
}

func TestTheRecordOfArrivals(t *testing.T) {
	inBubble(t, "service=10ms", func(s *Server, ln pipeListener) {
		s.Headers.Key = "X-Payment"
		w := ln.dial(t)
		defer w.Close()
		for _, h := range []string{
			"Openload-Operation: 7\r\nOpenload-Attempt: 1\r\nX-Payment: a\r\n",
			"openload-operation: 7\r\nopenload-attempt: 2\r\nx-payment: a\r\n",
			"Openload-Attempt: 2\r\nIdempotency-Key: a\r\n",
			"Openload-Attempt: second\r\nX-Payment: b, \"c\"\r\n",
			"X-Payment: " + strings.Repeat("k", 100) + "\r\n",
			"X-Payment: " + strings.Repeat("k", 101) + "\r\n",
		} {
			fmt.Fprintf(w, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 0\r\n%s\r\n", h)
			status, _ := w.receive("POST")
			require.Equal(t, 200, status)
		}
		got := s.Stats()
		require.Equal(t, map[int]uint64{1: 1, 2: 2}, got.ByAttempt)
		require.EqualValues(t, 4, got.Keys, "all of a key counts, also what is not kept")
		require.EqualValues(t, 6, got.Executed)
		require.EqualValues(t, 1, got.Duplicates)

		long := strings.Repeat("k", mostName)
		status, csv := w.do("GET", "/lab/arrivals")
		require.Equal(t, 200, status)
		require.Equal(t, "at_ns,operation,attempt,key\n"+
			"0,7,1,a\n10000000,7,2,a\n20000000,,2,\n30000000,,,\"b, \"\"c\"\"\"\n40000000,,,"+long+"\n50000000,,,"+long+"\n", csv)
		w.do("POST", "/lab/reset")
		_, csv = w.do("GET", "/lab/arrivals")
		require.Equal(t, "at_ns,operation,attempt,key\n", csv)
		require.Zero(t, s.Stats().Keys)
	})
}
