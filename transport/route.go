package transport

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"openload/request"
)

// A Route is the way to one target. It may be used by many goroutines at once.
//
// Dials are spread over all its addresses, in turn. One that let no connection happen
// while another did is left alone from then on, but for every 32nd dial, which looks
// whether it is back; so an address that nobody can reach costs next to nothing.
type Route struct {
	port   uint16
	lookup func(context.Context) ([]netip.Addr, error) // nil: the addresses are what they are
	table  atomic.Pointer[table]

	mu    sync.Mutex
	turn  int
	dials int
	bad   []bool // by address

	kind   kind
	unix   string
	proxy  *Proxy
	by     *Route         // to the proxy
	beyond *Route         // from the proxy on, by address
	end    request.Target // from the proxy on, by name
	tunnel bool           // the proxy makes a connection; else it takes requests
}

// kind is what a route leads over.
type kind uint8

const (
	overTCP kind = iota
	overUnix
	overProxy
)

// A table is which addresses there are. It does not change.
type table struct {
	version int              // how many there were before
	all     []netip.AddrPort // that there ever were
	live    []int            // which of them are the target's now
	gone    []bool           // which aren't
}

// again is how many dials an address is left alone for that did not work.
const again = 32

// fixed is the route over addresses that are what they are.
func fixed(port uint16, addrs []netip.Addr) *Route {
	r := &Route{port: port}
	r.set(addrs)
	return r
}

// set makes addrs the target's, and reports whether that changed anything.
func (r *Route) set(addrs []netip.Addr) (changed bool) {
	old := r.table.Load()
	t := &table{}
	if old != nil {
		t.all, t.version = slices.Clone(old.all), old.version+1
	}
	for _, a := range addrs {
		to := netip.AddrPortFrom(a, r.port)
		i := slices.Index(t.all, to)
		if i < 0 {
			i = len(t.all)
			t.all = append(t.all, to)
		}
		if !slices.Contains(t.live, i) {
			t.live = append(t.live, i)
		}
	}
	t.gone = make([]bool, len(t.all))
	for i := range t.gone {
		t.gone[i] = !slices.Contains(t.live, i)
	}
	if old != nil && slices.Equal(old.gone, t.gone) {
		return false
	}
	r.mu.Lock()
	r.bad = append(r.bad, make([]bool, len(t.all)-len(r.bad))...)
	r.mu.Unlock()
	r.table.Store(t)
	return true
}

// CanChange reports whether the target's name can be looked up again.
func (r *Route) CanChange() bool {
	switch {
	case r.kind != overProxy:
		return r.lookup != nil
	case r.beyond != nil && r.beyond.CanChange():
		return true
	}
	return r.by.CanChange()
}

// Refresh looks the name up again, and reports whether its addresses have changed. If
// that fails they stay.
func (r *Route) Refresh(ctx context.Context) (changed bool, err error) {
	for _, part := range []*Route{r, r.by, r.beyond} {
		if part == nil || part.lookup == nil {
			continue
		}
		addrs, err := part.lookup(ctx)
		if err != nil {
			return changed, err
		}
		changed = part.set(addrs) || changed
	}
	return changed, nil
}

// near is the route to what is connected to by ourselves.
func (r *Route) near() *Route {
	if r.kind == overProxy {
		return r.by
	}
	return r
}

// far is the route whose addresses connections are told apart by: the target's, if we
// know them.
func (r *Route) far() *Route {
	if r.beyond != nil {
		return r.beyond
	}
	return r.near()
}

// Addresses are all that we ever could connect to ourselves; none for a Unix socket.
func (r *Route) Addresses() []netip.AddrPort {
	if t := r.near().table.Load(); t != nil {
		return t.all
	}
	return nil
}

// Gone reports whether an address is the target's no more. Connections to it are not
// used again.
func (r *Route) Gone(address int) bool {
	t := r.far().table.Load()
	return t != nil && t.gone[address]
}

// Live are the numbers of the addresses that are the target's now, which are not to be
// changed, and which version of them this is; none for a Unix socket.
func (r *Route) Live() (version int, live []int) {
	if t := r.far().table.Load(); t != nil {
		return t.version, t.live
	}
	return 0, nil
}

// Plain reports whether a TCP connection to one of the addresses is all there is to a
// dial, but for TLS.
func (r *Route) Plain() bool { return r.kind == overTCP }

// Label names an address in reports.
func (r *Route) Label(address int) string {
	switch r.kind {
	case overUnix:
		return "unix:" + r.unix
	case overProxy:
		if r.beyond != nil {
			return "proxy " + r.proxy.at.String() + " to " + r.beyond.Label(address)
		}
		return "proxy " + r.by.Label(address)
	}
	return r.table.Load().all[address].String()
}

// A Pick is the addresses that one dial tries.
type Pick struct {
	route *Route
	live  []int
	first int
	tried int
}

// Pick returns those of the next dial.
func (r *Route) Pick() Pick {
	p := Pick{route: r, live: r.table.Load().live}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.first = r.turn % len(p.live)
	r.dials++
	for i := range p.live {
		n := (r.turn + i) % len(p.live)
		if !r.bad[p.live[n]] || r.dials%again == 0 {
			p.first = n
			r.turn += i
			break
		}
	}
	r.turn++
	return p
}

// PickAt returns a Pick of one address alone.
func (r *Route) PickAt(address int) Pick { return Pick{route: r, live: []int{address}} }

// picked is the Pick of a dial to an address, or anywhere.
func (r *Route) picked(address int) Pick {
	if address == Anywhere {
		return r.Pick()
	}
	return r.PickAt(address)
}

// Len is how many addresses there are to try.
func (p *Pick) Len() int { return len(p.live) }

// Next is the number of the next address to try; ok is false if there is none.
func (p *Pick) Next() (address int, ok bool) {
	if p.tried == len(p.live) {
		return 0, false
	}
	p.tried++
	return p.live[(p.first+p.tried-1)%len(p.live)], true
}

// Worked notes that the last one tried let a connection happen. What was tried before
// it is left alone.
func (p *Pick) Worked() {
	if len(p.live) == 1 {
		return
	}
	p.route.mu.Lock()
	defer p.route.mu.Unlock()
	for i := range p.tried {
		p.route.bad[p.live[(p.first+i)%len(p.live)]] = i < p.tried-1
	}
}

// Leave says whether dials leave an address alone from now on, as one that let no
// connection happen.
func (r *Route) Leave(address int, alone bool) {
	r = r.far()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad[address] = alone
}

// A Control is called with each socket before it connects, as net.Dialer.Control is.
type Control func(network, address string, c syscall.RawConn) error

// A Way is a connection over a Route, before TLS.
type Way struct {
	net.Conn
	Address int // its number
}

// Anywhere is any address.
const Anywhere = -1

// Connect opens a connection, to the proxy's other side if there is one: to an address by
// its number, or [Anywhere]. Then each address has its share of timeout, if that is not 0.
// The error tells its class to Undialled.
func (r *Route) Connect(ctx context.Context, timeout time.Duration, control Control, address int) (Way, error) {
	switch r.kind {
	case overUnix:
		// Like TCP, so that both are one kind of connection.
		dialer := net.Dialer{Timeout: timeout}
		c, err := dialer.DialContext(ctx, "unix", r.unix)
		return Way{Conn: c}, err
	case overProxy:
		return r.through(ctx, timeout, control, address)
	}
	pick := r.picked(address)
	// Keep-alive probes would cost three system calls a dial; a dead peer is found by the request's timeout.
	dialer := net.Dialer{Timeout: timeout / time.Duration(pick.Len()), KeepAlive: -1, Control: control}
	all := r.Addresses()
	var err error
	for address, ok := pick.Next(); ok; address, ok = pick.Next() {
		var c net.Conn
		if c, err = dialer.DialContext(ctx, "tcp", all[address].String()); err == nil {
			pick.Worked()
			return Way{c, address}, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return Way{}, err
}
