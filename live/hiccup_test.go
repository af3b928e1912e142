package live

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

func TestMeterLate(t *testing.T) {
	for _, tt := range []struct {
		name       string
		gaps       *gaps
		last       time.Duration
		sent, done time.Duration
		want       time.Duration
	}{
		{"no hiccup yet", nil, 100 * ms, 50 * ms, 104 * ms, 0},
		{"a beat that is due is no hiccup", nil, 100 * ms, 50 * ms, 106 * ms, 0},
		{"the beat is overdue: out all the while", nil, 100 * ms, 50 * ms, 2100 * ms, 2000 * ms},
		{"the beat is overdue: sent meanwhile", nil, 100 * ms, 600 * ms, 2100 * ms, 1500 * ms},
		{"just ended", &gaps{{100 * ms, 2100 * ms}}, 2100 * ms, 50 * ms, 2101 * ms, 2000 * ms},
		{"just ended, read before the beat", &gaps{{100 * ms, 2100 * ms}}, 2100 * ms, 50 * ms, 2000 * ms, 1900 * ms},
		{"just ended, sent in it", &gaps{{100 * ms, 2100 * ms}}, 2100 * ms, 2000 * ms, 2101 * ms, 100 * ms},
		{"sent after it", &gaps{{100 * ms, 2100 * ms}}, 2100 * ms, 2101 * ms, 2102 * ms, 0},
		{"read as long after it as it lasted", &gaps{{100 * ms, 150 * ms}}, 200 * ms, 50 * ms, 200 * ms, 50 * ms},
		{"long ago", &gaps{{100 * ms, 150 * ms}}, 200 * ms, 50 * ms, 201 * ms, 0},
		{"another one after it", &gaps{{100 * ms, 2100 * ms}, {2104 * ms, 2134 * ms}}, 2134 * ms, 50 * ms, 2135 * ms, 2030 * ms},
		{"another one after it goes on", &gaps{{100 * ms, 2100 * ms}}, 2100 * ms, 50 * ms, 2130 * ms, 2030 * ms},
		{"noted while we look", &gaps{{100 * ms, 2100 * ms}}, 100 * ms, 50 * ms, 2101 * ms, 2001 * ms},
		{"answered before it", &gaps{{100 * ms, 150 * ms}}, 150 * ms, 50 * ms, 99 * ms, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m meter
			m.last.Store(int64(tt.last))
			m.gaps.Store(tt.gaps)
			got := m.late(tt.sent, tt.done)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, got, tt.done-tt.sent)
		})
	}
}

// The meter sees that the clock has jumped between two beats.
func TestMeterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		var jump atomic.Int64
		now := func() time.Duration { return time.Since(epoch) + time.Duration(jump.Load()) }
		ctx, cancel := context.WithCancel(t.Context())
		var m meter
		ended := make(chan bool)
		go func() {
			m.run(ctx, now)
			close(ended)
		}()
		time.Sleep(100 * ms)
		synctest.Wait()
		require.Nil(t, m.gaps.Load())
		require.EqualValues(t, 100*ms, m.last.Load())
		jump.Store(int64(time.Second))
		time.Sleep(beat)
		synctest.Wait()
		require.Equal(t, gaps{{100 * ms, 1104 * ms}}, *m.gaps.Load())
		cancel()
		<-ended
	})
}

func TestRecent(t *testing.T) {
	var r recent
	require.Zero(t, r.median(), "nothing is known")
	r.add(5 * ms)
	require.Equal(t, 5*ms, r.median())
	r.add(time.Second)
	require.Equal(t, 5*ms, r.median(), "one that was lost does not count for much")
	for range len(r.took) {
		r.add(7 * ms)
	}
	require.Equal(t, 7*ms, r.median(), "what is long past does not count")
}
