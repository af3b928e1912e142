package source

import (
	"bytes"

	"openload/correct"
)

// reasons are words that tools and their HTTP libraries use for failures. The
// first that occurs in the lower-cased text wins, so the narrow ones come first.
var reasons = []struct {
	word  string
	class correct.Class
}{
	{"but actually found", correct.BadStatus}, // Gatling's checks, of a response
	{"assertion", correct.BadStatus},
	{"too many open files", correct.Descriptors},
	{"cannot assign requested address", correct.Ports},
	{"connecttimeout", correct.ConnectTimeout},
	{"connect timed out", correct.ConnectTimeout},
	{"connection timed out", correct.ConnectTimeout},
	{"dial: i/o timeout", correct.ConnectTimeout},
	{"dial tcp: i/o timeout", correct.ConnectTimeout},
	{"no such host", correct.DNS},
	{"unknownhost", correct.DNS},
	{"lookup ", correct.DNS},
	{"tls", correct.TLS},
	{"x509", correct.TLS},
	{"ssl", correct.TLS},
	{"certificate", correct.TLS},
	{"refused", correct.Refused},
	{"deadline", correct.Timeout},
	{"timeout", correct.Timeout},
	{"timed out", correct.Timeout},
	{"unexpected eof", correct.Truncated},
	{"premature", correct.Truncated},
	{"reset", correct.Reset},
	{"broken pipe", correct.Reset},
	{"forcibly closed", correct.Reset},
	{"failed to respond", correct.Reset},
	{"nohttpresponse", correct.Reset},
	{"socket closed", correct.Reset},
	{"eof", correct.Reset},
	{"malformed", correct.Malformed},
	{"cancel", correct.Unfinished},
}

// classify gives a failure its class: by its text if no response came, BadStatus
// if one did, Network if neither tells more.
func classify(status int, reason []byte) correct.Class {
	if status != 0 {
		return correct.BadStatus
	}
	var buf [256]byte
	low := buf[:copy(buf[:], reason)]
	for i, c := range low {
		if c >= 'A' && c <= 'Z' {
			low[i] = c | 0x20
		}
	}
	for _, r := range reasons {
		if bytes.Contains(low, []byte(r.word)) {
			return r.class
		}
	}
	return correct.Network
}
