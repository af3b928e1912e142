package source

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"openload/correct"
)

// Access logs of servers: JSON lines here, text in textlog.go. Which field is the
// latency, and in which unit, is up to whoever configured the server: both must
// be named, nothing in a line tells 1234 us from 1234 ms.
//
// A server writes the line when the request is done, and can't see what waited
// outside while it was stuck: the log is good for one known client only.

var accessFacts = Facts{
	Tool: "access log", Pacing: PacingUnknown, Otherwise: PacingUnknown,
	Order: ByEnd, Failures: true,
	Leaps: "a server's log leaves out the time that requests waited to be accepted: during a freeze it looks fast",
}

// A role is what a field of a log is used for.
type role int

const (
	roleTime role = iota
	roleStart
	roleEnd
	roleStatus
	roleWorker
	roleLabel
	roles
)

// The names of roles, as in Options.Fields, and of the fields that usually have them.
var (
	roleNames = [roles]string{"time", "start", "end", "status", "worker", "label"}
	usual     = [roles][]string{
		roleStart:  {"start_time", "start"},
		roleEnd:    {"msec", "time_iso8601", "time_local", "ts", "@timestamp", "timestamp", "time", "datetime"},
		roleStatus: {"status", "response_code", "status_code", "code"},
		roleWorker: {"connection", "conn", "connection_id"},
		roleLabel:  {"uri", "request_uri", "path", "url", "request"},
	}
)

// An accessLog reads lines of named fields.
type accessLog struct {
	f     *File
	names [roles]string
	val   [roles][]byte // of the line at hand
	unit  time.Duration
	gone  int64 // status 499
}

// choose gives every role its field: the user's, or else the first usual one
// that the log has.
// numbered are the fields of it that have no name.
func (a *accessLog) choose(has, numbered []string) error {
	f := a.f
	for name := range f.opt.Fields {
		if i := slices.Index(roleNames[:], name); i <= 0 {
			return fmt.Errorf("%s: no field can be used as %q: start, end, status, worker and label can", f.Format, name)
		}
	}
	a.names[roleTime] = f.opt.TimeField
	for i := range a.names {
		for _, name := range usual[i] {
			if a.names[i] == "" && name != f.opt.TimeField && slices.Contains(has, name) {
				a.names[i] = name
			}
		}
		if name := f.opt.Fields[roleNames[i]]; name != "" {
			a.names[i] = name
		}
	}
	if why := a.noTimeField(has); why != "" {
		if len(numbered) > 0 {
			why += "; a field without a name has a number"
		}
		sort.Strings(has)
		all := append(has, numbered...)
		return &Missing{Format: f.Format, Need: NeedTimeField, Found: all[:min(len(all), 24)], Why: why}
	}
	unit, err := f.needUnit("the log doesn't state the unit of " + clip([]byte(f.opt.TimeField)))
	a.begin(unit)
	return err
}

// noTimeField says why the field with the latency is not known; nothing if it is.
func (a *accessLog) noTimeField(has []string) string {
	name := a.f.opt.TimeField
	if name == "" {
		return "which field is the latency depends on the server's configuration"
	}
	if _, err := strconv.Atoi(strings.TrimPrefix(name, "$")); err == nil || slices.Contains(has, name) {
		return ""
	}
	head := a.f.s.peek(headSize) // other lines may have it
	if bytes.Contains(head, []byte(name+"=")) || bytes.Contains(head, []byte(strconv.Quote(name))) {
		return ""
	}
	return "there is no " + strconv.Quote(name) + " in this log"
}

// begin states the facts that follow from the choice.
func (a *accessLog) begin(unit time.Duration) {
	f := a.f
	a.unit = unit
	f.Facts = accessFacts
	f.Facts.Unit, f.Facts.Resolution, f.Facts.StampStep = unit, unit, time.Second
	switch {
	case a.names[roleStart] != "":
		f.Facts.Stamp = StampStart
	case a.names[roleEnd] == "":
		f.Facts.StampStep = 0
	case f.opt.Stamps != NoStamp:
		f.Facts.Stamp = f.opt.Stamps
	default:
		f.Facts.Stamp = StampEnd
	}
	f.Facts.Statuses, f.Facts.Workers, f.Facts.Labels = a.names[roleStatus] != "", a.names[roleWorker] != "", a.names[roleLabel] != ""
	var used []string
	for i, name := range a.names {
		if name != "" {
			used = append(used, roleNames[i]+" = "+name)
		}
	}
	f.note(NoteFields, "fields: "+strings.Join(used, ", "))
}

// read fills r from the values at hand.
func (a *accessLog) read(r *Row) (bool, fault) {
	f := a.f
	took := a.val[roleTime]
	if len(took) == 0 || string(took) == "-" {
		return false, fault{a.names[roleTime], took, "no latency in this line"}
	}
	var p problem
	if r.Latency, p = duration(took, a.unit); p != "" {
		return false, fault{a.names[roleTime], took, p}
	}
	f.Facts.Resolution = min(f.Facts.Resolution, place(took, a.unit))
	if !f.wants(a.val[roleLabel]) {
		return false, fine
	}
	r.Label, r.Worker = f.names.id(a.val[roleLabel]), f.names.id(a.val[roleWorker])
	which := roleEnd
	if a.names[roleStart] != "" {
		which = roleStart
	}
	if b := a.val[which]; len(b) > 0 {
		ns, step, p := logTime(b, f.opt.TZ)
		if p != "" {
			return false, fault{a.names[which], b, p}
		}
		f.Facts.StampStep = min(f.Facts.StampStep, step)
		if f.Facts.Stamp == StampEnd {
			ns -= int64(r.Latency)
		}
		f.times(r, ns, ns+int64(r.Latency))
	}
	if r.byStatus(status(a.val[roleStatus])); r.Status == 499 { // nginx: the client hung up
		r.verdict(false, 499, nil)
		r.Class = correct.Timeout
		a.gone++
	}
	return true, fine
}

// place is the place value of a decimal's last digit.
func place(b []byte, unit time.Duration) time.Duration {
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		for range min(len(b)-i-1, 18) {
			unit /= 10
		}
	}
	return max(unit, 1)
}

// rows adds what only the end of the log shows.
func (a *accessLog) rows(rows func(func(*Row) bool) error) func(func(*Row) bool) error {
	return func(yield func(*Row) bool) error {
		err := rows(yield)
		if a.gone > 0 && err == nil {
			a.f.note(NoteGaveUp, fmt.Sprintf("%d rows with status 499 end when the client gave up: its wait ended, the request would have taken longer", a.gone))
		}
		return err
	}
}

// isJSONLog is true for any first line that is one JSON object: it stands behind
// all other JSON formats.
func isJSONLog(h []byte) bool {
	o := object{b: firstLine(h)}
	n := 0
	for _, _, ok := o.next(); ok; _, _, ok = o.next() {
		n++
	}
	return !o.bad && n > 2
}

func openJSONLog(f *File) error {
	a := &accessLog{f: f}
	var has []string
	for k := range keys(firstLine(f.s.peek(headSize))) {
		has = append(has, k)
	}
	if err := a.choose(has, nil); err != nil {
		return err
	}
	f.rows = a.rows(f.lines(func(line []byte, _ bool, r *Row) (bool, fault) {
		a.val = [roles][]byte{}
		o := object{b: line}
		for k, v, ok := o.next(); ok; k, v, ok = o.next() {
			for i := range a.names {
				if a.names[i] == string(k) {
					a.val[i] = bare(v)
				}
			}
		}
		if o.bad {
			return false, fault{"", line, notObject}
		}
		return a.read(r)
	}))
	return nil
}
