//go:build unix

package transport

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A peeker looks at what has come on a connection without taking it or waiting.
type peeker struct {
	raw  syscall.RawConn
	look func(fd uintptr) // kept, and poll asked first, so that looking allocates nothing
	poll [1]unix.PollFd
	seen sight
}

func (p *peeker) open(c syscall.Conn) {
	p.raw, _ = c.SyscallConn() // fails only for a connection that is none
	p.look = func(fd uintptr) {
		p.poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		p.seen = nothing
		if n, err := unix.Poll(p.poll[:], 0); n == 0 || err == unix.EINTR {
			return
		}
		var one [1]byte
		n, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		switch {
		case n > 0:
			p.seen = data
		case err != unix.EAGAIN && err != unix.EINTR:
			p.seen = ended
		}
	}
}

func (p *peeker) peek() sight {
	if err := p.raw.Control(p.look); err != nil {
		return ended
	}
	return p.seen
}
