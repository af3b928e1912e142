package retry

// A bucket describes a throttle; the zero value is none at all.
type bucket struct {
	most   int64 // thousandths of a token
	refill int64 // thousandths of a token for each success
}

// A throttle is gRPC's budget: a bucket of tokens from which every failure that
// might be retried takes one, and to which every success gives a part of one. While
// it is no more than half full, nothing is retried. With refill r it drains when
// more than the share r/(1+r) of the attempts fail. A nil throttle grants everything.
//
// Source: gRPC proposal A6, Throttling Retry Attempts and Hedged RPCs.
type throttle struct {
	bucket
	tokens int64
}

func newThrottle(b bucket) *throttle {
	if b == (bucket{}) {
		return nil
	}
	return &throttle{bucket: b, tokens: b.most}
}

func (t *throttle) success() {
	if t != nil {
		t.tokens = min(t.most, t.tokens+t.refill)
	}
}

func (t *throttle) failure() {
	if t != nil {
		t.tokens = max(0, t.tokens-token)
	}
}

// allows reports whether a retry may be made. It costs nothing by itself.
func (t *throttle) allows() bool { return t == nil || 2*t.tokens > t.most }
