package transport

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/request"
)

// names is a resolver of known names.
type names map[string][]string

func (n names) look(_ context.Context, _, host string) (all []netip.Addr, err error) {
	if len(n[host]) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addresses(n[host]...), nil
}

func addresses(texts ...string) (all []netip.Addr) {
	for _, a := range texts {
		all = append(all, netip.MustParseAddr(a))
	}
	return all
}

// C19: a name that does not exist is one clear line.
func TestRoute(t *testing.T) {
	known := names{"three.test": {"10.0.0.1", "10.0.0.2", "::1", "10.0.0.1"}, "other.test": {"10.9.9.9"}}
	redirect := func(texts ...string) (all []Redirect) {
		for _, x := range texts {
			r, err := ParseRedirect(x)
			require.NoError(t, err)
			all = append(all, r)
		}
		return all
	}
	override := func(text string) []Override {
		o, err := ParseOverride(text)
		require.NoError(t, err)
		return []Override{o}
	}
	for _, tt := range []struct {
		name string
		net  Network
		to   request.Target
		want []string
		err  string
	}{
		{name: "an address is its own", to: request.Target{Host: "127.0.0.1", Port: 80}, want: []string{"127.0.0.1:80"}},
		{name: "IPv4 in IPv6 is IPv4", to: request.Target{Host: "::ffff:127.0.0.1", Port: 80}, want: []string{"127.0.0.1:80"}},
		{name: "a zone stays", to: request.Target{Host: "fe80::1%lo", Port: 80}, want: []string{"[fe80::1%lo]:80"}},
		{name: "C17 all addresses", to: request.Target{Host: "three.test", Port: 80}, want: []string{"10.0.0.1:80", "10.0.0.2:80", "[::1]:80"}},
		{name: "IPv4 only", net: Network{Family: IPv4}, to: request.Target{Host: "three.test", Port: 80}, want: []string{"10.0.0.1:80", "10.0.0.2:80"}},
		{name: "IPv6 only", net: Network{Family: IPv6}, to: request.Target{Host: "three.test", Port: 80}, want: []string{"[::1]:80"}},
		{name: "none of the family", net: Network{Family: IPv6}, to: request.Target{Host: "other.test", Port: 80}, err: "resolve other.test: it has no IPv6 address"},
		{name: "no name", to: request.Target{Host: "no.test", Port: 80}, err: "resolve no.test: no such host"},
		{name: "connect to another host", net: Network{Redirects: redirect("three.test:80:other.test:8080")}, to: request.Target{Host: "Three.test", Port: 80}, want: []string{"10.9.9.9:8080"}},
		{name: "of this port only", net: Network{Redirects: redirect("three.test:81:other.test:8080")}, to: request.Target{Host: "three.test", Port: 80}, want: []string{"10.0.0.1:80", "10.0.0.2:80", "[::1]:80"}},
		{name: "connect all to another port", net: Network{Redirects: redirect(":::8080")}, to: request.Target{Host: "other.test", Port: 80}, want: []string{"10.9.9.9:8080"}},
		{name: "the first that fits", net: Network{Redirects: redirect("::127.0.0.1:", "::127.0.0.2:")}, to: request.Target{Host: "other.test", Port: 80}, want: []string{"127.0.0.1:80"}},
		{name: "resolved on the line", net: Network{Overrides: override("no.test:80:127.0.0.5,[::1]")}, to: request.Target{Host: "no.test", Port: 80}, want: []string{"127.0.0.5:80", "[::1]:80"}},
		{name: "everything resolved on the line", net: Network{Overrides: override("*:80:::1")}, to: request.Target{Host: "no.test", Port: 80}, want: []string{"[::1]:80"}},
		{name: "connected to, then resolved", net: Network{Redirects: redirect("a.test:80:b.test:81"), Overrides: override("b.test:81:127.0.0.7")}, to: request.Target{Host: "a.test", Port: 80}, want: []string{"127.0.0.7:81"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.net.Lookup = known.look
			r, err := tt.net.Route(t.Context(), tt.to)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			var got []string
			for i := range r.Addresses() {
				got = append(got, r.Label(i))
			}
			require.Equal(t, tt.want, got)
		})
	}
	r, err := (&Network{}).Route(t.Context(), request.Target{Host: "localhost", Port: 80})
	require.NoError(t, err)
	require.Contains(t, r.Addresses(), netip.MustParseAddrPort("127.0.0.1:80"))
}

// Law: n dials over any number of addresses that work reach each as often as any other,
// but for one.
func TestDialsAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Route{}
		k := rapid.IntRange(1, 9).Draw(t, "addresses")
		for i := range k {
			r.set(append(addressesOf(r), netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})))
		}
		n := rapid.IntRange(1, 100).Draw(t, "dials")
		got := make([]int, k)
		for range n {
			p := r.Pick()
			first, ok := p.Next()
			require.True(t, ok)
			p.Worked()
			got[first]++
		}
		for _, m := range got {
			require.GreaterOrEqual(t, m, n/k)
			require.LessOrEqual(t, m, n/k+1)
		}
	})
}

func addressesOf(r *Route) (all []netip.Addr) {
	if r.table.Load() != nil {
		for _, a := range r.Addresses() {
			all = append(all, a.Addr())
		}
	}
	return all
}

// Law: whatever works and does not, a dial tries every address once, and one that works
// is found; those that don't are seldom tried before it.
func TestWhatDoesNotWorkIsLeftAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		works := rapid.SliceOfN(rapid.Bool(), 2, 6).Draw(t, "works")
		any := false
		r := &Route{}
		for i := range works {
			any = any || works[i]
			r.set(append(addressesOf(r), netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})))
		}
		wasted := 0
		const dials = 200
		for range dials {
			p := r.Pick()
			seen := map[int]bool{}
			found := false
			for a, ok := p.Next(); ok; a, ok = p.Next() {
				require.False(t, seen[a])
				seen[a] = true
				if works[a] {
					found = true
					p.Worked()
					break
				}
				wasted++
			}
			require.Equal(t, any, found)
			require.True(t, found || len(seen) == len(works))
		}
		if any {
			require.LessOrEqual(t, wasted, len(works)*(2+dials/again+len(works)))
		}
	})
}

// C11: an address that does not answer is passed over, and not asked first again.
func TestFallback(t *testing.T) {
	s, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer s.Close()
	l, err := New(Config{Request: request.Request{URL: "http://" + s.Addr().String()}, Addrs: addresses("::1", "127.0.0.2", "127.0.0.1")})
	require.NoError(t, err)
	for range 2 {
		c, o := l.Dial(t.Context(), 5*time.Second)
		require.Equal(t, correct.OK, o.Class)
		require.Equal(t, s.Addr().String(), o.Peer)
		c.Close()
	}
	first := func() int {
		pick := l.route.Pick()
		address, _ := pick.Next()
		return address
	}
	require.Equal(t, 2, first())
	l.route.Leave(0, false)
	require.Equal(t, 0, first(), "it is back")
	l.route.Leave(0, true)
	require.Equal(t, []int{2, 2}, []int{first(), first()})
}

// C17: a name whose addresses change.
func TestRefresh(t *testing.T) {
	known := names{"a.test": {"10.0.0.1", "10.0.0.2"}}
	r, err := (&Network{Lookup: known.look}).Route(t.Context(), request.Target{Host: "a.test", Port: 80})
	require.NoError(t, err)
	require.True(t, r.CanChange())
	first := func() string {
		p := r.Pick()
		i, _ := p.Next()
		return r.Label(i)
	}
	changed, err := r.Refresh(t.Context())
	require.NoError(t, err)
	require.False(t, changed)

	known["a.test"] = []string{"10.0.0.2", "10.0.0.3"}
	changed, err = r.Refresh(t.Context())
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []bool{true, false, false}, []bool{r.Gone(0), r.Gone(1), r.Gone(2)})
	require.ElementsMatch(t, []string{"10.0.0.2:80", "10.0.0.3:80"}, []string{first(), first()})

	known["a.test"] = nil
	changed, err = r.Refresh(t.Context())
	require.EqualError(t, err, "resolve a.test: no such host")
	require.False(t, changed)
	require.Len(t, r.Addresses(), 3, "what was known stays")
	require.False(t, r.Gone(2))

	known["a.test"] = []string{"10.0.0.1"}
	_, err = r.Refresh(t.Context())
	require.NoError(t, err)
	require.Equal(t, "10.0.0.1:80", first(), "it has its number again")
	require.Len(t, r.Addresses(), 3)
}

func TestWhatToWriteForAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"a:80:b":      `"a:80:b" is not HOST:PORT:HOST2:PORT2; an IPv6 address goes into brackets, and what is left empty stays as it is`,
		"a:80:b:x":    `"a:80:b:x": "x" is no port; write one from 1 to 65535`,
		"a:0:b:80":    `"a:0:b:80": "0" is no port; write one from 1 to 65535`,
		"[::1:80:b:1": `"[::1:80:b:1" is not HOST:PORT:HOST2:PORT2; an IPv6 address goes into brackets, and what is left empty stays as it is`,
	} {
		_, err := ParseRedirect(text)
		require.EqualError(t, err, want)
	}
	r, err := ParseRedirect("[::1]:80:[fe80::1]:81")
	require.NoError(t, err)
	require.Equal(t, Redirect{"::1", 80, "fe80::1", 81}, r)
	for text, want := range map[string]string{
		"a:80":        `"a:80" is not HOST:PORT:ADDR; write example.com:443:127.0.0.1`,
		":80:1.2.3.4": `":80:1.2.3.4" is not HOST:PORT:ADDR; write example.com:443:127.0.0.1`,
		"a:b:1.2.3.4": `"a:b:1.2.3.4": "b" is no port; write one from 1 to 65535`,
		"a:80:b":      `"a:80:b": "b" is no address`,
	} {
		_, err := ParseOverride(text)
		require.EqualError(t, err, want)
	}
	for text, want := range map[string]string{
		"ftp://h":             "a proxy over ftp is not supported: http, socks5 and socks5h are",
		"http://":             `"http://" is no proxy; write http://HOST:PORT`,
		"http://u:p@h:x":      `"http://***@h:x" is no proxy; write http://HOST:PORT`,
		"http://u:secret@h:0": `"http://***@h:0": "0" is no port; write one from 1 to 65535`,
		"http://h/path":       `"http://h/path" is no proxy; write http://HOST:PORT`,
	} {
		_, err := ParseProxy(text)
		require.EqualError(t, err, want)
	}
	p, err := ParseProxy("user:p%40ss@localhost")
	require.NoError(t, err)
	require.Equal(t, "http://***@localhost", p.String())
	require.Equal(t, request.Target{Host: "localhost", Port: 1080}, p.at)
	require.Equal(t, "GET http://h/x?y HTTP/1.1\r\nProxy-Authorization: Basic dXNlcjpwQHNz\r\nHost: other\r\n\r\nbody",
		string(p.Rewrite([]byte("GET /x?y HTTP/1.1\r\nHost: other\r\n\r\nbody"), request.Target{Host: "h", Port: 80})))
	require.Equal(t, "GET http://[::1]:81/ HTTP/1.1\r\nProxy-Authorization: Basic dXNlcjpwQHNz\r\n\r\n",
		string(p.Rewrite([]byte("GET / HTTP/1.1\r\n\r\n"), request.Target{Host: "::1", Port: 81})))
}

func FuzzParseNetwork(f *testing.F) {
	for _, s := range []string{"a:80:b:81", "[::1]:80:[::2]:81", ":::", "a:80:1.2.3.4,[::1]", "http://u:p@h:1", "socks5h://h", "[", "]:", "*:80:::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ParseRedirect(s)
		ParseOverride(s)
		if p, err := ParseProxy(s); err == nil && (p.at.Host == "" || p.at.Port == 0) {
			t.Fatal(p)
		}
	})
}

func TestUnreached(t *testing.T) {
	require.NoError(t, unreached(nil))
	require.ErrorIs(t, unreached(context.DeadlineExceeded), context.DeadlineExceeded)
	class, detail := dialClass(unreached(errors.New("no way")))
	require.Equal(t, correct.Proxy, class)
	require.Equal(t, "it cannot be reached: no way", detail)
}
