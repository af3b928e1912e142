package sink

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"openload/report"
)

// JSON writes r as the document openload/report/v1: indented, ending in a newline,
// the same bytes for the same report. Lists and maps are never null. A number that
// is none, NaN or infinite, is unknown: null where there may be a null, else 0.
func JSON(w io.Writer, r *report.Report) error {
	e := json.NewEncoder(w) // writes once, at the end
	e.SetEscapeHTML(false)  // p99<500ms, not p99\u003c500ms
	e.SetIndent("", "  ")
	return e.Encode(tidy(r))
}

// tidy returns a copy of r without nil lists and without floats that are no numbers.
func tidy(r *report.Report) *report.Report {
	c := *r
	c.Counts.Errors = filled(c.Counts.Errors)
	c.Counts.Timeouts = filled(c.Counts.Timeouts)
	c.Counts.Status = filled(c.Counts.Status)
	c.Series = append([]report.Window{}, c.Series...)
	c.Reasons = append([]report.Reason{}, c.Reasons...)
	c.Notes = append([]report.Reason{}, c.Notes...)
	c.SLA = append([]report.Rule{}, c.SLA...)
	for i, rule := range c.SLA {
		if rule.Value != nil && !number(*rule.Value) {
			c.SLA[i].Value = nil
		}
	}
	if !number(c.Plan.Confidence) {
		c.Plan.Confidence = 0
	}
	if c.Rate != nil && !(number(c.Rate.Asked) && number(c.Rate.Offered)) {
		c.Rate = nil
	}
	c.File = tidyFile(c.File)
	c.Retries = tidyRetries(c.Retries)
	c.Peaks = tidyPeaks(c.Peaks)
	tidyPicture(&c)
	c.Network = tidyNetwork(c.Network)
	c.Targets = tidyTargets(c.Targets)
	c.Stages = tidyStages(c.Stages)
	c.Warmup = tidyWarmup(c.Warmup)
	return &c
}

// tidyNetwork is tidy for what was reached.
func tidyNetwork(n *report.Network) *report.Network {
	if n == nil {
		return nil
	}
	c := *n
	c.Peers = append([]report.Peer{}, c.Peers...)
	c.Hosts = slices.Clone(c.Hosts)
	for i := range c.Hosts {
		c.Hosts[i].Peers = append([]report.Peer{}, c.Hosts[i].Peers...)
	}
	if c.Decoded != nil {
		d := *c.Decoded
		d.Codings, d.Failed = filled(d.Codings), filled(d.Failed)
		c.Decoded = &d
	}
	return &c
}

func filled(m map[string]uint64) map[string]uint64 {
	if m == nil {
		return map[string]uint64{}
	}
	return m
}

func number(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
