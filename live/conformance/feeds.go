package conformance

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"openload/correct"
	"openload/engine"
	"openload/request"
	"openload/transport"
)

// feeds holds a World to sending what its feed says: each operation its own, once.
func feeds(t *testing.T, open func(*testing.T, Options) World) {
	const shots = 200
	var lock sync.Mutex
	seen := map[string]int{}
	s := listen(t, "127.0.0.1", nil, func(_ int, p peer) {
		for {
			r, err := http.ReadRequest(p.r)
			if err != nil {
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			lock.Lock()
			seen[fmt.Sprintf("%s %s %s #%s.%s", r.Method, r.URL.Path, body, r.Header.Get(request.OperationHeader), r.Header.Get(request.AttemptHeader))]++
			lock.Unlock()
			if r.Method == "HEAD" {
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
			} else {
				p.say(hello)
			}
		}
	})
	url := "http://" + s.Addr().String()
	rows, err := request.ReadRows(strings.NewReader("name\nann\nbob\n"))
	require.NoError(t, err)
	mix, err := request.NewMix([]request.Item{
		{Request: request.Request{URL: url + "/{{.name}}/{{seq}}", Body: []byte("{{.name}}")}},
		{Request: request.Request{Method: "HEAD", URL: url + "/constant"}},
		{Request: request.Request{URL: url + `/{{if ge seq 7}}{{index .name 9}}{{end}}`}}, // cannot be made from 7 on
	}, request.Cycle, nil)
	require.NoError(t, err)
	wire, err := request.NewWire(mix, request.WireOptions{
		KeepAlive: true, Numbered: true,
		Template: &request.TemplateOptions{Rows: rows, Numbers: func(string) func(uint64) uint64 { return func(seq uint64) uint64 { return seq } }},
	})
	require.NoError(t, err)
	feed := wire.Feed(func(k uint64) uint64 { return k })
	defer feed.Close()
	w := open(t, Options{
		Epoch: time.Now(), Connections: 4, ConnectTimeout: 5 * time.Second, Feed: feed,
		Client: client(t, transport.Config{Request: plain(url), Addrs: addrs("127.0.0.1"), Clock: time.Now}),
	})
	defer w.Close()
	all := Drive(t, w, make([]time.Duration, shots), func(x *engine.Shot) { x.Attempt = 1 + int(x.Seq)%2 })
	want := map[string]int{}
	for _, x := range all {
		attempt := 1 + int(x.Seq)%2
		switch {
		case x.Seq%3 == 0:
			name := []string{"ann", "bob"}[x.Seq%2]
			want[fmt.Sprintf("POST /%s/%d %s #%d.%d", name, x.Seq, name, x.Seq, attempt)]++
		case x.Seq%3 == 1:
			want[fmt.Sprintf("HEAD /constant  #%d.%d", x.Seq, attempt)]++
		case x.Seq < 7:
			want[fmt.Sprintf("GET /  #%d.%d", x.Seq, attempt)]++
		default:
			require.Equal(t, correct.Unmade, x.Class)
			require.False(t, x.Written)
			continue
		}
		require.Equal(t, correct.OK, x.Class, x)
	}
	lock.Lock()
	defer lock.Unlock()
	require.Equal(t, want, seen)
	require.Equal(t, correct.Unmade, w.Counters().Failures[0].Class)
}
