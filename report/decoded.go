package report

// Decoded is what response bodies came to: counted beside the run, and in no latency. It
// adds up: bodies = decoded + skipped + all that failed.
type Decoded struct {
	Bodies  uint64            `json:"bodies"`     // complete ones that came in a coding
	Codings map[string]uint64 `json:"codings"`    // they, by coding: gzip, br
	Decoded uint64            `json:"decoded"`    // of them
	Wire    uint64            `json:"wire_bytes"` // bytes of those decoded, as they came
	Bytes   uint64            `json:"bytes"`      // what these came to
	Failed  map[string]uint64 `json:"failed"`     // that do not decode, by coding and reason
	Skipped uint64            `json:"skipped"`    // not decoded: they came faster than openload decodes, or the run was given up
}

// NotDecoded is how many bodies do not decode.
func (d *Decoded) NotDecoded() (n uint64) {
	for _, k := range d.Failed {
		n += k
	}
	return n
}
