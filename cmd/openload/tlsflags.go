package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"openload/request"
	"openload/transport"
)

// tlsFlags say how TLS is spoken.
type tlsFlags struct {
	Insecure  bool   `short:"k" group:"tls" help:"Do not verify TLS certificates. The report says so."`
	CACert    string `name:"cacert" group:"tls" placeholder:"FILE" help:"Trust the certificates in this PEM file, and no others."`
	Cert      string `group:"tls" placeholder:"FILE" help:"Our own certificate, PEM; with its key, or give --key."`
	Key       string `group:"tls" placeholder:"FILE" help:"The key of --cert."`
	SNI       string `name:"sni" aliases:"servername" group:"tls" placeholder:"NAME" help:"The name to ask for and to verify, in place of the URL's host."`
	TLSMin    string `name:"tls-min" group:"tls" placeholder:"VERSION" help:"Least version of TLS: 1.2 or 1.3."`
	TLSResume string `name:"tls-resume" group:"tls" enum:"on,off" default:"off" placeholder:"on|off" help:"Whether new connections resume TLS sessions, as clients that come back do: on, or off for a full handshake each. Default: off. The report counts those that did."`
}

// security reads what the flags name.
func (f *tlsFlags) security() (s transport.Security, err error) {
	var wrong []error
	note := func(flag string, err error) {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	s = transport.Security{Insecure: f.Insecure, Name: f.SNI, Resume: f.TLSResume == "on"}
	if f.CACert != "" {
		s.Roots, err = transport.ReadRoots(f.CACert)
		note("cacert", err)
	}
	switch {
	case f.Cert != "":
		c, err := transport.ReadCertificate(f.Cert, f.Key)
		if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path != f.Cert {
			note("key", err)
		} else {
			note("cert", err)
		}
		s.Certificates = []tls.Certificate{c}
	case f.Key != "":
		note("key", errors.New("a key needs its certificate; add --cert FILE"))
	}
	if f.TLSMin != "" {
		s.Least, err = transport.ParseTLSVersion(f.TLSMin)
		note("tls-min", err)
	}
	return s, usage(errors.Join(wrong...))
}

// idle names the flags that change nothing where the targets are asked without TLS. -k
// is none of them: scripts give it whatever the URL, as to curl.
func (f *tlsFlags) idle(targets []request.Target) error {
	if len(targets) == 0 || spoken(targets) {
		return nil
	}
	var wrong []error
	for _, x := range []struct {
		name  string
		given bool
	}{
		{"cacert", f.CACert != ""}, {"cert", f.Cert != ""}, {"sni", f.SNI != ""}, {"tls-min", f.TLSMin != ""}, {"tls-resume", f.TLSResume == "on"},
	} {
		if x.given {
			wrong = append(wrong, fmt.Errorf("--%s: there is no TLS over http://; give an https:// URL, or leave it out", x.name))
		}
	}
	return usage(errors.Join(wrong...))
}

// spoken reports whether any of the targets is asked over TLS.
func spoken(targets []request.Target) bool {
	return slices.ContainsFunc(targets, func(t request.Target) bool { return t.TLS })
}

// again are the flags that ask for the same.
func (f *tlsFlags) again() (flags []string) {
	if f.Insecure {
		flags = append(flags, "--insecure")
	}
	for _, x := range [][2]string{{"cacert", f.CACert}, {"cert", f.Cert}, {"key", f.Key}, {"sni", f.SNI}, {"tls-min", f.TLSMin}} {
		if x[1] != "" {
			flags = append(flags, "--"+x[0]+" "+quote(x[1]))
		}
	}
	if f.TLSResume == "on" {
		flags = append(flags, "--tls-resume on")
	}
	return flags
}
