package report

import (
	"time"

	"openload/correct"
)

// A ReadAudit says how long answers lay in the kernel until we read them, which is in
// every latency. The kernel was asked about one read in 64.
type ReadAudit struct {
	N      uint64        `json:"n"`
	P50    time.Duration `json:"p50_ns"`
	P99    time.Duration `json:"p99_ns"`
	Max    time.Duration `json:"max_ns"`
	Beyond uint64        `json:"beyond"` // longer than the bound that the verdict allows for
}

// Audited is what was learnt from an audit; nil if that is nothing.
func Audited(late *correct.Dist, beyond uint64) *ReadAudit {
	p50, ok := late.Quantile(correct.P50)
	if !ok {
		return nil
	}
	p99, _ := late.Quantile(correct.P99)
	return &ReadAudit{N: late.N(), P50: p50, P99: p99, Max: late.Slowest(), Beyond: beyond}
}
