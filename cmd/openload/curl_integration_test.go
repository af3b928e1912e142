//go:build integration

package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a server that answers everything and hands out what it read.
func recorder(t *testing.T) (url string, requests <-chan string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	read := make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var raw bytes.Buffer
			r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &raw)))
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
			}
			if err == nil {
				read <- raw.String()
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			}
			c.Close()
		}
	}()
	return "http://" + l.Addr().String(), read
}

// differing are what may differ between curl and what was imported from its command: who
// asks, the place of the length, a space before an empty value, and what stands between
// the fields of a form.
var differing = regexp.MustCompile(`(?im)^(User-Agent|Content-Length): .*\r\n|-{24}[0-9a-zA-Z]+`)

func lessHeaders(differing *regexp.Regexp, text string) string {
	return strings.ReplaceAll(differing.ReplaceAllString(text, ""), ": \r\n", ":\r\n")
}

// What curl sends and what is sent after its command was imported is the same, byte for
// byte but for the headers named above.
func TestIntegrationCurl(t *testing.T) {
	_, err := exec.LookPath("curl")
	require.NoError(t, err, "the witness is missing")
	url, requests := recorder(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("line 1\r\nline 2\n"), 0o644))
	for _, command := range []string{
		`curl URL/`,
		`curl URL`,
		`curl 'URL/a?b=c#d' -H 'Accept: text/plain' -H 'X-Empty;' -H 'X-a: 1' -H 'x-A: 2'`,
		`curl URL/a/../b/./c`,
		`curl -I URL/`,
		`curl -X DELETE URL/a`,
		`curl -X PUT -d a=1 -d 'b=ü&c' URL/a`,
		`curl -d @FILE URL/a -H 'Content-Type: text/plain'`,
		`curl --data-binary @FILE URL/a`,
		`curl --data-raw $'{"it\'s":"\u00e9\n"}' -H 'content-type: application/json' URL/a`,
		`curl --data-urlencode 'a=b c&d' --data-urlencode 'e@FILE' --data-urlencode '=~._-!' URL/a`,
		`curl --json '{"a":1}' URL/a`,
		`curl -G -d a=1 --data-urlencode 'b=c d' 'URL/a?z'`,
		`curl -u 'me:pass word' -b 'a=b; c=d' -e http://r/ -A agent URL/a`,
		`curl -F a=1 -F 'b=x;type=text/html' -F 'f=@FILE' -F 'g=@FILE;filename=n.png' -F 'h=<FILE' URL/a`,
		`curl -H Accept: -H 'Host: other.example' URL/a`,
		`curl -sSXPOST URL/a`,
		`curl -d '' URL/a`,
		`curl -g 'URL/a[1]{b,c}'`,
		`curl --path-as-is URL/a/../b`,
	} {
		t.Run(command, func(t *testing.T) {
			command = strings.NewReplacer("URL", url, "FILE", file).Replace(command)
			out, err := exec.Command("bash", "-c", command).CombinedOutput()
			require.NoError(t, err, string(out))
			want := <-requests

			targets := filepath.Join(dir, "targets.json")
			var told bytes.Buffer
			require.Zero(t, execute([]string{"import", "curl", command, "-o", targets}, streams{out: io.Discard, err: &told}), told.String())
			execute([]string{"--targets", targets, "--arrival", "burst", "--n", "1", "-q"}, streams{out: io.Discard, err: &told})
			require.Equal(t, lessHeaders(differing, want), lessHeaders(differing, <-requests), told.String())
		})
	}
}
