package request

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Headers that put on the wire what tells attempts apart, as a lab's server reads them.
const (
	OperationHeader = "Openload-Operation" // number of the operation
	AttemptHeader   = "Openload-Attempt"   // which try at it, 1 for the first
)

// WireOptions say what every request of a mix gets beside what is its own.
type WireOptions struct {
	Agent     string // User-Agent of those that have none
	KeepAlive bool   // else the server is asked to close after each answer

	Numbered  bool   // send OperationHeader and AttemptHeader
	KeyHeader string // name of the idempotency key's header; "": there is none
	Query     string // path of the status resource for unknown outcomes, with {key} where that goes

	// Keys makes an operation's idempotency key: 64 random bits for each number. It must
	// differ from run to run, or a server takes a run for the repetition of the last.
	Keys func(use string) func(seq uint64) uint64

	// Rewrite, if set, changes a request's bytes for its way to a target, but not its body.
	Rewrite func(b []byte, to Target) []byte

	Template *TemplateOptions // fill in templates; nil: {{ is sent as it is
}

// A Wire makes the bytes of attempts: a function of the operation's number and the
// attempt's, of which nothing else is known. It may be used by several goroutines.
type Wire struct {
	mix     *Mix
	opt     WireOptions
	items   []wireItem
	targets []Target

	key      [2]func(seq uint64) uint64
	constant bool // no item varies
}

// A wireItem is an item of the mix, as far as it is known before the run.
type wireItem struct {
	Message
	head, tail []byte   // around the headers that vary
	varying    *varying // nil without templates
}

// A Message is what an attempt puts on the wire.
type Message struct {
	Bytes  []byte // shared, and not to be changed, unless they came from the caller's buffer
	Head   bool   // a HEAD, whose answer has no body
	Close  bool   // it asks for the connection's end
	Target int    // where it goes, one of [Wire.Targets]
	Err    error  // it could not be made: nothing is to be sent

	own bool // its bytes are in the caller's buffer, or grew from it
}

// NewWire serialises what is known of m, and fills in the templates once for every row
// of the data and item to see that it can be done. Its errors name every item that is
// wrong.
func NewWire(m *Mix, opt WireOptions) (*Wire, error) {
	w := &Wire{mix: m, opt: opt}
	w = w.Keyed(opt.Keys)
	var problems []error
	if err := w.checkHeaders(); err != nil {
		problems = append(problems, err)
	}
	for i, it := range m.items {
		c, err := w.compile(it.Request)
		if err != nil {
			problems = append(problems, w.of(i, err))
			if len(problems) == mostProblems {
				break
			}
			continue
		}
		w.items = append(w.items, c)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	w.constant = !w.opt.Numbered && w.opt.KeyHeader == "" && !w.Varying()
	return w, w.rehearse()
}

// Keyed is w with other idempotency keys, as for another run.
func (w *Wire) Keyed(keys func(use string) func(seq uint64) uint64) *Wire {
	c := *w
	if w.opt.KeyHeader != "" {
		c.key = [2]func(uint64) uint64{keys("key"), keys("key, second half")}
	}
	return &c
}

// of names the item of an error if there are several.
func (w *Wire) of(i int, err error) error {
	if len(w.mix.items) == 1 {
		return err
	}
	return fmt.Errorf("target %d (%s): %w", i+1, w.mix.items[i].Name, err)
}

// checkHeaders looks at the headers that come with every request.
func (w *Wire) checkHeaders() error {
	if h := w.opt.KeyHeader; h != "" && !isToken(h) {
		return fmt.Errorf("idempotency key: %q is no name of a header; write Idempotency-Key", h)
	}
	if q := w.opt.Query; q != "" {
		if _, err := split("http://h" + q); err != nil || q[0] != '/' {
			return fmt.Errorf("status resource %q is no path; write one such as /payments/{key}", q)
		}
	}
	for i, it := range w.mix.items {
		for _, name := range []string{w.opt.KeyHeader, w.ownHeader(OperationHeader), w.ownHeader(AttemptHeader)} {
			if _, twice := it.Get(name); twice && name != "" {
				return w.of(i, fmt.Errorf("header %s is its own already, and would come twice", name))
			}
		}
	}
	return nil
}

func (w *Wire) ownHeader(name string) string {
	if !w.opt.Numbered {
		return ""
	}
	return name
}

func (w *Wire) compile(r Request) (c wireItem, err error) {
	if w.opt.Template != nil {
		if c.varying, err = w.opt.Template.parse(r); err != nil {
			return c, err
		}
	}
	if c.varying != nil {
		if r, err = c.varying.request(0); err != nil {
			return c, err
		}
	}
	if c.Message, err = w.message(r, true); err != nil {
		return c, err
	}
	end := len(c.Bytes) - len(r.Body) - len("\r\n")
	c.head, c.tail = c.Bytes[:end:end], c.Bytes[end:]
	return c, nil
}

// message is r's, without the headers that vary. add takes up its target.
func (w *Wire) message(r Request, add bool) (m Message, err error) {
	if m.Bytes, err = r.Bytes(w.opt.Agent, w.opt.KeepAlive); err != nil {
		return m, err
	}
	target, err := r.Target()
	if err != nil {
		return m, err
	}
	if w.opt.Rewrite != nil {
		m.Bytes = w.opt.Rewrite(m.Bytes, target)
	}
	m.Target = slices.Index(w.targets, target)
	if m.Target < 0 && !add {
		return m, errors.New("its host is another one than before; the host of a target cannot change")
	}
	if m.Target < 0 {
		m.Target = len(w.targets)
		w.targets = append(w.targets, target)
	}
	m.Head = r.Verb() == "HEAD"
	connection, _ := r.Get("Connection")
	m.Close = !w.opt.KeepAlive || namesClose(connection)
	return m, nil
}

// namesClose reports whether a Connection header asks for the end.
func namesClose(value string) bool {
	for part := range strings.SplitSeq(value, ",") {
		if strings.EqualFold(strings.TrimSpace(part), "close") {
			return true
		}
	}
	return false
}

// Mix is what w serialises.
func (w *Wire) Mix() *Mix { return w.mix }

// Targets are where requests go, without repetition.
func (w *Wire) Targets() []Target { return w.targets }

// TargetOf is where operation seq goes: its place in Targets.
func (w *Wire) TargetOf(seq uint64) int { return w.items[w.mix.Pick(seq)].Target }

// Varying reports whether a request is made from templates, which takes microseconds
// and allocates.
func (w *Wire) Varying() bool {
	return slices.ContainsFunc(w.items, func(c wireItem) bool { return c.varying != nil })
}

// Message is what an attempt at operation seq sends. What varies is appended to buf,
// which may be reused once the message is not needed any more.
func (w *Wire) Message(buf []byte, seq uint64, attempt int) Message {
	c := &w.items[w.mix.Pick(seq)]
	if c.varying != nil {
		return w.fill(c, buf, seq, attempt)
	}
	if !w.opt.Numbered && w.opt.KeyHeader == "" {
		return c.Message
	}
	m := c.Message
	m.own = true
	m.Bytes = append(w.appendHeaders(append(buf, c.head...), seq, attempt), c.tail...)
	return m
}

// fill makes a message from c's templates.
func (w *Wire) fill(c *wireItem, buf []byte, seq uint64, attempt int) Message {
	r, err := c.varying.request(seq)
	if err != nil {
		return Message{Target: c.Target, Err: err}
	}
	m, err := w.message(r, false)
	if err == nil && m.Target != c.Target {
		err = errors.New("its host is another one than before; the host of a target cannot change")
	}
	if err != nil {
		return Message{Target: c.Target, Err: err}
	}
	end := len(m.Bytes) - len(r.Body) - len("\r\n")
	tail := m.Bytes[end:]
	m.own = true
	m.Bytes = append(w.appendHeaders(append(buf, m.Bytes[:end]...), seq, attempt), tail...)
	return m
}

// appendHeaders adds what tells attempts apart.
func (w *Wire) appendHeaders(b []byte, seq uint64, attempt int) []byte {
	if w.opt.Numbered {
		b = append(b, OperationHeader+": "...)
		b = strconv.AppendUint(b, seq, 10)
		b = append(b, "\r\n"+AttemptHeader+": "...)
		b = strconv.AppendInt(b, int64(attempt), 10)
		b = append(b, "\r\n"...)
	}
	if w.opt.KeyHeader != "" {
		b = append(append(b, w.opt.KeyHeader...), ": "...)
		b = w.appendKey(b, seq)
		b = append(b, "\r\n"...)
	}
	return b
}

// appendKey writes operation seq's idempotency key.
func (w *Wire) appendKey(b []byte, seq uint64) []byte {
	return appendUUID(b, w.key[0](seq), w.key[1](seq))
}

// Query asks what became of operation seq, whose outcome is unknown: a GET of the status
// resource, with its key.
func (w *Wire) Query(buf []byte, seq uint64, attempt int) Message {
	c := &w.items[w.mix.Pick(seq)]
	b := append(buf, "GET "...)
	before, after, _ := strings.Cut(w.opt.Query, "{key}")
	b = append(b, before...)
	if strings.Contains(w.opt.Query, "{key}") {
		b = w.appendKey(b, seq)
	}
	b = append(append(b, after...), " HTTP/1.1\r\n"...)
	for line := range strings.SplitSeq(string(c.head), "\r\n") {
		// The way to the server is the same; what the request is about is not.
		name, _, _ := strings.Cut(line, ":")
		if slices.ContainsFunc(queryHeaders, func(h string) bool { return strings.EqualFold(h, name) }) {
			b = append(append(b, line...), "\r\n"...)
		}
	}
	b = append(w.appendHeaders(b, seq, attempt), "\r\n"...)
	if w.opt.Rewrite != nil {
		b = w.opt.Rewrite(b, w.targets[c.Target])
	}
	return Message{Bytes: b, Close: c.Close, Target: c.Target, own: true}
}

// queryHeaders are those of an operation that its status query has as well.
var queryHeaders = []string{"Host", "User-Agent", "Authorization", "Cookie", "Connection"}

// mostRehearsals bounds how many requests are made from templates before a run: some
// seconds' worth. Of more rows and targets, as many are tried, evenly spread.
const mostRehearsals = 200_000

// rehearse makes every target's request once for every row, so that what can't be made
// is known before the run.
func (w *Wire) rehearse() error {
	if w.opt.Template == nil || w.opt.Template.Rows == nil {
		return nil
	}
	rows := uint64(w.opt.Template.Rows.Len())
	items := uint64(len(w.items))
	step := max(1, rows*items/mostRehearsals)
	var problems []error
	for i := range w.items {
		c := &w.items[i]
		if c.varying == nil {
			continue
		}
		for row := uint64(0); row < rows; row += step {
			if m := w.fill(c, nil, row, 1); m.Err != nil {
				problems = append(problems, w.of(i, fmt.Errorf("row %d: %w", row+1, m.Err)))
				break
			}
		}
		if len(problems) == mostProblems {
			break
		}
	}
	return errors.Join(problems...)
}
