//go:build unix

package live_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/live/conformance"
)

// An answer that lay in the kernel while this process was stopped is late by our
// fault, for at least as long as the stop lasted while the request was out.
func TestStopped(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	addr := conformance.Listen(t, func(c net.Conn) {
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			return
		}
		asked <- true
		<-answer
		io.WriteString(c, hello)
		io.Copy(io.Discard, c)
	})
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), childOf+"="+addr)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())

	<-asked
	require.NoError(t, c.Process.Signal(unix.SIGSTOP))
	var status unix.WaitStatus
	_, err = unix.Wait4(c.Process.Pid, &status, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	began := time.Now()
	answer <- true
	time.Sleep(200 * time.Millisecond) // how long the stop lasts
	stop := time.Since(began)
	require.NoError(t, c.Process.Signal(unix.SIGCONT))

	var got correct.Sample
	require.NoError(t, json.NewDecoder(out).Decode(&got))
	require.NoError(t, c.Wait())
	require.Equal(t, correct.OK, got.Class)
	require.GreaterOrEqual(t, got.Late, stop)
	require.GreaterOrEqual(t, got.Done-got.Dispatched, got.Late)
}
