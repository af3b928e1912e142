//go:build linux

package loop

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"openload/correct"
	"openload/engine"
	"openload/live"
	"openload/transport"
)

// An address is one as connect wants it.
type address struct {
	family int
	raw    [unix.SizeofSockaddrInet6]byte // either kind
	size   uintptr
}

// resolved makes one of addr.
func resolved(addr netip.AddrPort) (a address) {
	ip := addr.Addr()
	if ip.Is4() {
		a.family, a.size = unix.AF_INET, unix.SizeofSockaddrInet4
		sa := (*unix.RawSockaddrInet4)(unsafe.Pointer(&a.raw))
		sa.Family, sa.Addr = unix.AF_INET, ip.As4()
	} else {
		a.family, a.size = unix.AF_INET6, unix.SizeofSockaddrInet6
		sa := (*unix.RawSockaddrInet6)(unsafe.Pointer(&a.raw))
		sa.Family, sa.Addr = unix.AF_INET6, ip.As16()
		if i, err := net.InterfaceByName(ip.Zone()); err == nil {
			sa.Scope_id = uint32(i.Index)
		} else if n, err := strconv.Atoi(ip.Zone()); err == nil {
			sa.Scope_id = uint32(n)
		}
	}
	binary.BigEndian.PutUint16(a.raw[2:], addr.Port()) // at the same place in both
	return a
}

// connect begins to connect a socket from the local address, if there is one.
func (a *address) connect(local *address) (fd int, err error) {
	fd, err = unix.Socket(a.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	// Not needed for one write a request, but for the second one of a large body.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if local != nil {
		err = local.bind(fd)
	}
	if err == nil {
		_, _, e := syscall.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&a.raw)), a.size)
		if e != 0 && e != unix.EINPROGRESS {
			err = e
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// bind has a socket connect from a. Its port is chosen when it connects, so that one
// that is used for another target can be taken.
func (a *address) bind(fd int) error {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1) // for IPv6, too
	if _, _, e := syscall.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&a.raw)), a.size); e != 0 {
		return e
	}
	return nil
}

// sources resolves the local addresses, and makes sure that each is one of this
// machine and of the target's kind.
func (w *World) sources(local []netip.Addr) error {
	for _, ip := range local {
		a := resolved(netip.AddrPortFrom(ip.Unmap(), 0))
		for _, p := range w.pools {
			for _, to := range p.parts.Route.Addresses() {
				if to.Addr().Is4() == ip.Unmap().Is4() {
					continue
				}
				target := "the target"
				if w.several {
					target = p.client.Target().URL()
				}
				return fmt.Errorf("connect from %s: %s has an address of the other kind", ip, target)
			}
		}
		fd, err := unix.Socket(a.family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return os.NewSyscallError("socket", err)
		}
		err = a.bind(fd)
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("connect from %s: %w", ip, err)
		}
		w.local = append(w.local, a)
	}
	return nil
}

// source is the local address whose turn it is; nil: none is asked for.
func (w *World) source() *address {
	if len(w.local) == 0 {
		return nil
	}
	w.turn = (w.turn + 1) % len(w.local)
	return &w.local[w.turn]
}

// connect begins to connect c to its next address that lets it; err is why the one
// before did not.
func (w *World) connect(c *conn, err error) {
	for address, ok := c.pick.Next(); ok; address, ok = c.pick.Next() {
		c.address = address
		if c.fd, err = c.pool.numbered(address).connect(w.source()); err == nil {
			w.adopt(c, unix.EPOLLIN|unix.EPOLLOUT)
			c.state, c.cut = dialling, engine.Forever
			if w.timeout > 0 {
				c.cut = w.now() + w.timeout/time.Duration(c.pick.Len())
			}
			w.dials.add(c)
			return
		}
	}
	w.dead = append(w.dead, unreached{c, transport.Undialled(err)})
}

// adopt makes the loop hear of c's socket.
func (w *World) adopt(c *conn, events uint32) {
	if w.stamps && unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) != nil {
		w.stamps = false
	}
	w.age++
	c.generation = w.age
	for len(w.byFD) <= c.fd {
		w.byFD = append(w.byFD, nil)
	}
	w.byFD[c.fd] = c
	w.watch(unix.EPOLL_CTL_ADD, c, events)
}

// dialled takes what has become of c's dial.
func (w *World) dialled(c *conn, events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		if e, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && e != 0 {
			w.redial(c, syscall.Errno(e))
			return
		}
	}
	c.pick.Worked()
	w.dials.remove(c)
	w.watch(unix.EPOLL_CTL_MOD, c, unix.EPOLLIN)
	w.opened(c)
}

// redial tries c's next address, since err ended the dial of this one.
func (w *World) redial(c *conn, err error) {
	w.dials.remove(c)
	w.byFD[c.fd] = nil
	unix.Close(c.fd)
	w.connect(c, err)
}

// opened has c join the others.
func (w *World) opened(c *conn) {
	now, p := w.now(), c.pool
	if p.dialled(c); c.beside {
		p.places.Beside(c.address, true, now)
		c.beside = false
	}
	p.places.Opened(c.address)
	w.open++
	w.counters.Peak = max(w.counters.Peak, w.open)
	p.host.Peak = max(p.host.Peak, p.open-p.dialing-p.beside)
	c.peer = p.host.Reached(p.parts.Route.Label(c.address), true)
	p.took.add(now - c.began)
	if c.opening == nil {
		c.opening = &correct.Opening{Began: c.began, Resolved: c.began, Connected: now}
	}
	c.opening.Ready = now
	p.roomier()
	if len(p.pending) > 0 {
		w.came = 0
		p.pending[0].late += min(w.late(now), now-c.began)
	}
	p.free(c, now)
	p.dial()
}

// bury takes a dial that failed, and answers the shot that has waited longest if there
// is one.
func (w *World) bury() (s correct.Sample, ok bool) {
	c, o := w.dead[0].conn, w.dead[0].outcome
	w.dead = w.dead[1:]
	p := c.pool
	p.dialled(c)
	p.open--
	p.roomier()
	switch {
	case c.beside:
		p.places.Beside(c.address, false, w.now())
		p.host.Reached(p.parts.Route.Label(c.address), false) // it stands in the report
	case len(p.pending) > 0:
		s, ok = p.fail(0, w.now(), o), true
	default:
		w.count(o)
	}
	p.dial()
	return s, ok
}

// firstCut returns the earliest deadline of the shots that wait here, and whose it is.
func (w *World) firstCut() (in *pool, first int, cut time.Duration) {
	cut = engine.Forever
	if w.timed == 0 {
		return nil, 0, cut
	}
	for _, p := range w.pools {
		for i := range p.pending {
			if d := p.pending[i].shot.Deadline; d > 0 && d < cut {
				in, first, cut = p, i, d
			}
		}
	}
	return in, first, cut
}

// unmade answers a shot of which there is nothing to send.
func (w *World) unmade(j job, now time.Duration) correct.Sample {
	w.out--
	o := transport.Unmade(j.message.Err)
	w.count(o)
	s := j.shot.Sample()
	s.Sent, s.Done, s.Class, s.Late = now, now, o.Class, j.late
	return s
}

// drop gives back what j would have sent, or has.
func (w *World) drop(j *job) {
	if w.feed != nil {
		w.feed.Done(j.message)
	}
}

// maxFailures bounds the texts that are kept: a report shows a few.
const maxFailures = 32

// count notes what o's class leaves open.
func (w *World) count(o transport.Outcome) {
	if o.Detail == "" {
		return
	}
	all := w.counters.Failures
	i := slices.IndexFunc(all, func(f live.Failure) bool { return f.Class == o.Class && f.Text == o.Detail })
	switch {
	case i >= 0:
		all[i].Count++
	case len(all) < maxFailures:
		w.counters.Failures = append(all, live.Failure{Class: o.Class, Text: o.Detail, Count: 1})
	}
}

// recent holds how long the last successful dials took.
type recent struct {
	took [8]time.Duration
	n    int
}

func (r *recent) add(d time.Duration) {
	r.took[r.n%len(r.took)] = d
	r.n++
}

// median is 0 before the first dial. One dial whose packet was lost does not count
// for much in it.
func (r *recent) median() time.Duration {
	n := min(r.n, len(r.took))
	if n == 0 {
		return 0
	}
	sorted := r.took
	slices.Sort(sorted[:n])
	return sorted[(n-1)/2]
}
