package sink

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openload/report"
)

// planTable is what was asked for, as far as it is known.
func (p *page) planTable() htmlTable {
	t := htmlTable{Label: "the plan", Words: true, Head: []string{"what", "value"}}
	add := func(what, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{what, printable(value)})
		}
	}
	long := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return p.duration(d)
	}
	plan := p.Plan
	add("model", plan.Model)
	add("target", whom(&plan))
	add("simulated server", plan.Server)
	if s := p.Schedule; s != nil {
		add("schedule", s.Description)
		add("seed", strconv.FormatUint(s.Seed, 10))
		add("SHA-256 of the schedule", s.SHA256)
	}
	if plan.Model != "file" {
		connections := "automatic"
		if plan.Connections > 0 {
			connections = strconv.Itoa(plan.Connections)
		} else if plan.ConnectionsLimit > 0 {
			connections += fmt.Sprintf(", at most %d", plan.ConnectionsLimit)
		}
		if len(plan.Hosts) > 1 {
			connections += " to each host"
		}
		add("connections", connections)
	}
	add("timeout of an attempt", long(plan.Timeout))
	add("timeout of connecting", long(plan.ConnectTimeout))
	add("deadline of an operation", long(plan.Deadline))
	add("statuses that are a success", plan.Expect)
	if r := p.Retries; r != nil {
		add("retries", r.Policy)
	}
	if plan.Confidence > 0 {
		add("confidence", fmt.Sprintf("%g %%", plan.Confidence))
	}
	if plan.Insecure {
		add("TLS", "certificates were not verified")
	}
	if plan.NoKeepalive {
		add("keep-alive", "off: a connection for each request")
	}
	add("correction", strings.Join(p.correction(), ", "))
	add("engine", p.Run.Sender())
	if at := p.Run.Started; !at.IsZero() {
		add("began", at.UTC().Format(time.RFC3339))
	}
	add("took", long(p.Run.Duration))
	add("openload", p.Tool.Version)
	return t
}

func (p *page) rulesTable() *htmlTable {
	t := &htmlTable{Label: "rules", Words: true, Head: []string{"rule", "verdict", "measured", "details"}}
	for _, r := range p.SLA {
		var details []string
		for _, d := range []string{p.over(r), p.flip(r)} {
			if d != "" {
				details = append(details, d)
			}
		}
		t.Rows = append(t.Rows, []string{printable(r.Rule), ruleStatus(r), p.value(r), printable(strings.Join(details, "; "))})
	}
	return t
}

// latencyTable has a row for each reading.
func (p *page) latencyTable(label string, rows []row) htmlTable {
	t := htmlTable{Label: label, Head: []string{"", "p50", "p90", "p95", "p99", "p99.9", "max", "mean", "of"}}
	for _, x := range rows {
		t.Rows = append(t.Rows, append([]string{printable(x.name)}, p.distCells(x.Dist)...))
	}
	return t
}

// distCells are p50 to max, mean and count.
func (p *page) distCells(d *report.Dist) (cells []string) {
	if d == nil || d.N == 0 {
		return []string{"-", "-", "-", "-", "-", "-", "-", "0"}
	}
	none := "-" // unknown
	if d.Failed > 0 {
		none = "failed"
	}
	for _, x := range percentiles(d) {
		cells = append(cells, p.known(x, none))
	}
	return append(cells, p.known(d.Mean, "-"), strconv.FormatUint(d.N, 10))
}

// partTables are the run by phase of time, by target and by phase of the plan.
func (p *page) partTables() (all []titled) {
	if len(p.Phases) > 0 {
		t := htmlTable{Label: "where the corrected time went", Head: []string{"phase", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"}}
		for _, x := range p.Phases {
			each := x.Each
			if each == nil && x.Name == "lag" {
				each = p.Latency.Lag
			}
			name := phaseName(x.Name)
			if x.Name == "first_byte" && p.redirected() {
				name += ledWords
			}
			cells := []string{name, p.duration(x.Mean)}
			t.Rows = append(t.Rows, append(cells, p.distCells(each)[:6]...))
		}
		all = append(all, titled{"Where did the corrected time go?", t})
	}
	head := func(first ...string) []string {
		return append(first, "operations", "ok", "failed", "p50", "p90", "p95", "p99", "p99.9", "max", "mean")
	}
	part := func(c report.Counts, failed uint64, l report.Latency) []string {
		d := l.Corrected
		if d == nil {
			d = l.Raw
		}
		cells := []string{strconv.FormatUint(c.Scheduled, 10), strconv.FormatUint(c.OK, 10), strconv.FormatUint(failed, 10)}
		return append(cells, p.distCells(d)[:7]...)
	}
	if len(p.Targets) > 0 {
		t := htmlTable{Label: "targets", Head: head("target")}
		for _, x := range p.Targets {
			t.Rows = append(t.Rows, append([]string{printable(x.Name)}, part(x.Counts, x.Failed, x.Latency)...))
		}
		all = append(all, titled{"Targets", t})
	}
	if len(p.Stages) > 0 {
		t := htmlTable{Label: "phases of the plan", Head: head("phase", "from", "rate")}
		for _, x := range p.Stages {
			name := printable(x.Name)
			if x.Warmup {
				name += " (warm-up, not judged)"
			}
			t.Rows = append(t.Rows, append([]string{name, p.duration(x.At), printable(x.Rate)}, part(x.Counts, x.Failed, x.Latency)...))
		}
		all = append(all, titled{"Phases of the plan", t})
	}
	return all
}

// phaseName is a phase in words.
func phaseName(name string) string {
	if words := phaseNames[name]; words != "" {
		return words
	}
	return printable(name)
}

// A waterfall is where the time of the worst operations went.
type waterfall struct {
	Finding string
	Keys    []phaseKey
	Rows    []fall
}

type phaseKey struct{ Class, Name string }

type fall struct {
	Seq, At, Took, Attempts, Became, Label string
	Parts                                  []phasePart
}

// A phasePart is a stretch of a bar that is 1000 wide for the longest.
type phasePart struct{ Class, X, W, Title string }

// passing are the phases in the order in which they pass.
var passing = []string{"earlier_attempts", "lag", "wait", "dns", "connect", "tls", "write", "first_byte", "body"}

func (p *page) waterfall() *waterfall {
	if len(p.Worst) == 0 || p.Worst[0].Took <= 0 {
		return nil
	}
	longest := p.Worst[0].Took
	w := &waterfall{}
	seen := map[string]bool{}
	share := map[string]time.Duration{}
	var whole time.Duration
	for _, o := range p.Worst {
		f := fall{
			Seq: strconv.FormatUint(o.Seq, 10), At: p.known(o.Intended, "-"), Took: p.duration(o.Took),
			Attempts: strconv.Itoa(o.Attempts), Became: printable(strings.ReplaceAll(o.Class, "_", " ")),
		}
		if o.Run > 0 {
			f.Seq += fmt.Sprintf(" of run %d", o.Run)
		}
		if o.Status > 0 && o.Status != 200 {
			f.Became += " " + strconv.Itoa(o.Status)
		}
		var at time.Duration
		var label []string
		for _, name := range passing {
			took := o.Phases[name]
			if took <= 0 {
				continue
			}
			seen[name] = true
			share[name] += took / time.Duration(len(p.Worst))
			whole += took / time.Duration(len(p.Worst))
			text := phaseName(name) + " " + p.duration(took)
			label = append(label, text)
			f.Parts = append(f.Parts, phasePart{name, permille(at, longest), permille(took, longest), text})
			at += took
		}
		f.Label = strings.Join(label, ", ")
		w.Rows = append(w.Rows, f)
	}
	most := ""
	for _, name := range passing {
		if seen[name] {
			w.Keys = append(w.Keys, phaseKey{name, phaseName(name)})
			if most == "" || share[name] > share[most] {
				most = name
			}
		}
	}
	if whole > 0 {
		w.Finding = fmt.Sprintf("Of the time of these %d, %s went into: %s.", len(p.Worst), percent(float64(share[most])/float64(whole)), phaseName(most))
	}
	return w
}

// permille is a place on a bar of 1000.
func permille(d, whole time.Duration) string {
	return strconv.FormatFloat(min(max(1000*float64(d)/float64(whole), 0), 1000), 'f', 2, 64)
}
