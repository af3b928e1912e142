//go:build linux

package loop

// The system calls of the hot path, made by hand: package unix would tell Go's
// scheduler about each, and allocate for some.

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A poller waits for sockets, for an instant, and for its bell.
type poller struct {
	fd     int
	events []unix.EpollEvent
	at, n  int // the next event that was not handled, of so many
	coarse bool
	limit  struct{ sec, nsec int64 }
	bell
}

// bell wakes the poller from other goroutines.
type bell struct {
	mu sync.Mutex
	fd int // -1 once it is closed
}

// Events that tell of no socket.
var (
	bellRang = unix.EpollEvent{Events: unix.EPOLLIN, Fd: -1}
	handled  = unix.EpollEvent{Fd: -2}
)

func (p *poller) open() (err error) {
	p.events = make([]unix.EpollEvent, 512)
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return os.NewSyscallError("epoll_create", err)
	}
	if p.bell.fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		unix.Close(p.fd)
		return os.NewSyscallError("eventfd", err)
	}
	e := bellRang
	if err = unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, p.bell.fd, &e); err != nil {
		p.close()
		return os.NewSyscallError("epoll_ctl", err)
	}
	return nil
}

func (p *poller) close() {
	p.bell.mu.Lock()
	unix.Close(p.bell.fd)
	p.bell.fd = -1
	p.bell.mu.Unlock()
	unix.Close(p.fd)
}

// watch asks for events of a socket; each tells of c.
func (p *poller) watch(op int, c *conn, events uint32) {
	e := unix.EpollEvent{Events: events | unix.EPOLLRDHUP, Fd: int32(c.fd), Pad: c.generation}
	if err := unix.EpollCtl(p.fd, op, c.fd, &e); err != nil {
		panic(fmt.Sprintf("loop: watch a socket: %v", err)) // the descriptors are ours
	}
}

// ring wakes the poller. Any goroutine may call it, even after the end.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fd >= 0 {
		one := [8]byte{1}
		_, _ = unix.Write(b.fd, one[:]) // fails only if it is ringing already
	}
}

// silence ends the ringing.
func (b *bell) silence() {
	var rings [8]byte
	_, _ = unix.Read(b.fd, rings[:])
}

// look takes what has happened, without waiting.
func (p *poller) look() {
	n, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	p.got(n, e)
}

// wait waits up to d for something to happen; d is more than 0. It reports whether it
// did, and was not ended by a signal, such as the one that resumes a stopped process.
func (p *poller) wait(d time.Duration) bool {
	first, most := uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events))
	if !p.coarse {
		p.limit.sec, p.limit.nsec = int64(d/time.Second), int64(d%time.Second)
		n, _, e := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), first, most, uintptr(unsafe.Pointer(&p.limit)), 0, 0)
		if e != unix.ENOSYS && e != unix.EPERM {
			return p.got(n, e)
		}
		p.coarse = true // before Linux 5.11, or forbidden
	}
	// In whole milliseconds, rounded down: the last one is spent looking.
	n, _, e := syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), first, most, uintptr(min(d/time.Millisecond, 1<<30)), 0, 0)
	return p.got(n, e)
}

func (p *poller) got(n uintptr, e syscall.Errno) bool {
	p.at, p.n = 0, 0
	if e == 0 {
		p.n = int(n)
	}
	return e == 0
}

// next returns an event that was not handled yet.
func (p *poller) next() (e unix.EpollEvent, ok bool) {
	if p.at == p.n {
		return e, false
	}
	p.at++
	return p.events[p.at-1], true
}

// send writes to a socket that does not block.
func send(fd int, b []byte) (int, syscall.Errno) {
	for {
		n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
		if e == unix.EINTR {
			continue
		}
		if e != 0 {
			return 0, e
		}
		return int(n), 0
	}
}

// receive reads from a socket that does not block; 0 bytes are its end.
func receive(fd int, b []byte) (int, syscall.Errno) {
	for {
		n, _, e := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
		if e == unix.EINTR {
			continue
		}
		if e != 0 {
			return 0, e
		}
		return int(n), 0
	}
}

// A stamper reads and asks the kernel when what it read had come.
type stamper struct {
	message unix.Msghdr
	piece   unix.Iovec
	control [64]byte
}

// receive reads like receive does. came is the wall time, in nanoseconds, at which the
// last byte came; 0 if the kernel does not tell.
func (s *stamper) receive(fd int, b []byte) (n int, came int64, e syscall.Errno) {
	s.piece.Base = unsafe.SliceData(b)
	s.piece.SetLen(len(b))
	s.message = unix.Msghdr{Iov: &s.piece, Iovlen: 1, Control: &s.control[0]}
	s.message.SetControllen(len(s.control))
	for {
		r, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&s.message)), 0)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return 0, 0, errno
		}
		n = int(r)
		break
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&s.control[0]))
	if int(s.message.Controllen) >= unix.CmsgLen(int(unsafe.Sizeof(unix.Timespec{}))) && h.Level == unix.SOL_SOCKET && h.Type == unix.SCM_TIMESTAMPNS {
		came = (*unix.Timespec)(unsafe.Pointer(&s.control[unix.CmsgLen(0)])).Nano()
	}
	return n, came, 0
}
