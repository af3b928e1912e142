package retry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
)

// After an unknown outcome the server is asked, until it says whether the operation was
// done; if it was not, it is sent again.
func TestQueries(t *testing.T) {
	p, err := Parse("attempts=9 base=1ms unknown=query:/pay/{key}")
	require.NoError(t, err)
	require.Equal(t, "/pay/{key}", p.Query())
	r := New(p, Options{Method: "POST", Key: true})
	lost := correct.Sample{Attempt: 1, Fired: true, Written: true, Class: correct.Timeout}
	query := func(class correct.Class, status int) correct.Sample {
		return correct.Sample{Attempt: 2, Fired: true, Written: true, Earlier: true, Query: true, Class: class, Status: status}
	}
	for _, tt := range []struct {
		name             string
		x                correct.Sample
		again, ask, lost bool
	}{
		{"a lost answer", lost, true, true, true},
		{"never written", correct.Sample{Attempt: 1, Fired: true, Class: correct.Refused}, true, false, false},
		{"an answer that says no", correct.Sample{Attempt: 1, Fired: true, Written: true, Class: correct.BadStatus, Status: 503}, true, false, false},
		{"it was done", query(correct.OK, 200), false, false, false},
		{"it was not done", query(correct.BadStatus, 404), true, false, false},
		{"the status resource is ill", query(correct.BadStatus, 503), true, true, true},
		{"the answer to the query is lost", query(correct.Timeout, 0), true, true, true},
		{"the status resource refuses", query(correct.BadStatus, 403), false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			delay, again := r.After(tt.x)
			require.Equal(t, tt.again, again)
			require.Less(t, delay, time.Second)
			require.Equal(t, tt.ask, r.Asks(tt.x))
			require.Equal(t, tt.lost, Unknown("POST", tt.x))
		})
	}
	_, err = Parse("attempts=2 unknown=guess")
	require.ErrorContains(t, err, "unknown=query:PATH")
	plain, err := Parse("attempts=2")
	require.NoError(t, err)
	require.False(t, New(plain, Options{Method: "POST", Key: true}).Asks(lost), "nobody asked for it")
}
