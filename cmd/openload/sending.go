package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"openload/plan"
	"openload/request"
	"openload/run"
	"openload/seed"
)

// bodyFlags are ways to write a body.
type bodyFlags struct {
	Body          string   `group:"request" placeholder:"TEXT" help:"The body: text, @FILE (from where openload is started, in a plan too), or @- for standard input."`
	Form          []string `short:"F" group:"request" sep:"none" placeholder:"NAME=VALUE" help:"A field of multipart/form-data, as for curl: NAME=TEXT, NAME=@FILE, NAME=<FILE. Repeatable."`
	DataUrlencode []string `group:"request" sep:"none" placeholder:"NAME=VALUE" help:"A field of a URL-encoded form, as for curl: NAME=TEXT, NAME@FILE. Repeatable."`
}

// sending is what a run sends.
type sending struct {
	mix     *request.Mix
	wire    *request.Wire
	several bool // operations are told apart
	keyed   bool // each has a key of its own
	notes   []string
	rows    uint64 // of the data; 0: there are none
	once    uint64 // operations after which there is nothing left to send; 0: none
}

// stdinUsers are the flags that read standard input.
func (f *requestFlags) stdinUsers() (names []string) {
	for _, x := range []struct {
		name string
		is   bool
	}{{"--body @-", f.Body == "@-"}, {"--targets -", f.Targets == "-"}, {"--data -", f.Data == "-"}} {
		if x.is {
			names = append(names, x.name)
		}
	}
	return names
}

// build is what the flags describe, with opt for what other flags say.
func (f *requestFlags) build(urls []string, in io.Reader, from seed.Seed, opt request.WireOptions) (*sending, error) {
	if f.Method == "" {
		f.Method = f.M
	}
	s, filled, err := f.mixed(urls, in, from)
	if err != nil {
		return nil, err
	}
	if f.Data != "" && !slices.ContainsFunc(s.mix.Items(), templated) {
		return nil, usagef("--data: nothing uses the rows of %s; write {{.name}}, with the name of a column, into the URL, a header or the body, or leave it out", f.Data)
	}
	opt.Agent, opt.KeepAlive, opt.Numbered, opt.KeyHeader = "openload/"+version(), !f.NoKeepalive, f.IDHeader, f.IdempotencyKey
	opt.Keys = from.Numbers // until feed makes those of the run
	opt.Template = filled
	if s.wire, err = request.NewWire(s.mix, opt); err != nil {
		return nil, usage(f.named(err))
	}
	return s, nil
}

// base is the request without its URL.
func (f *requestFlags) base(in io.Reader, from seed.Seed) (r request.Request, err error) {
	r.Method = f.Method
	var wrong []error
	for _, h := range f.Header {
		field, err := request.ParseField(h)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--header: %w", err))
		}
		r.Header = append(r.Header, field)
	}
	ways := 0
	for _, given := range []bool{f.Body != "", len(f.Form) > 0, len(f.DataUrlencode) > 0} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return r, errors.New("--body, --form and --data-urlencode each make the whole body; give one of them")
	}
	var form request.Form
	switch {
	case f.Body == "@-":
		r.Body, err = io.ReadAll(in)
	case strings.HasPrefix(f.Body, "@"):
		r.Body, err = os.ReadFile(f.Body[1:])
	case len(f.Form) > 0:
		form, err = request.Multipart(f.Form, boundary(from), os.ReadFile)
	case len(f.DataUrlencode) > 0:
		form, err = request.URLEncoded(f.DataUrlencode, os.ReadFile)
	default:
		r.Body = []byte(f.Body)
	}
	switch {
	case err != nil && len(f.Form) > 0:
		wrong = append(wrong, fmt.Errorf("--form: %w", err))
	case err != nil && len(f.DataUrlencode) > 0:
		wrong = append(wrong, fmt.Errorf("--data-urlencode: %w", err))
	case err != nil:
		wrong = append(wrong, fmt.Errorf("--body: %w; give the text itself, @FILE, or @- for standard input", err))
	case form.Type != "":
		r.Body = form.Body
		if _, given := r.Get("Content-Type"); !given {
			r.Header = append(r.Header, request.Field{Name: "Content-Type", Value: form.Type})
		}
	}
	return r, errors.Join(wrong...)
}

// boundary stands between the fields of a form: what does not stand in them.
func boundary(from seed.Seed) string {
	return fmt.Sprintf("------------------------%016x", from.Numbers("boundary")(0))
}

// tell says what was completed, unless nobody wants to know.
func (s *sending) tell(to streams, quiet bool) {
	for _, note := range s.notes {
		if !quiet {
			fmt.Fprintf(to.err, "openload: %s\n", note)
		}
	}
}

// feeds returns what opens the feed of each loop of a run. Its keys are other ones than
// those of the run before, of which a server would take them for a repetition.
func (s *sending) feeds(p *plan.Plan) func(share) *request.Feed {
	wire := s.wire.Keyed((p.Seed ^ seed.Seed(time.Now().UnixNano())).Numbers)
	return func(l share) *request.Feed { return wire.Feed(run.Shard(p, l.i, l.n).Number) }
}

// describe tells p what is sent, without secrets.
func (s *sending) describe(p *plan.Plan) {
	first := s.mix.Items()[0].Request
	p.Target.Method, p.Target.URL = first.Verb(), request.RedactURL(first.URL)
	if s.several {
		p.Target.Method, p.Target.URL = "", ""
		var hosts []string
		for _, t := range s.wire.Targets() {
			hosts = append(hosts, t.URL())
		}
		p.Target.URL = strings.Join(hosts, " ")
		if len(hosts) > 1 {
			p.Target.Hosts = hosts
		}
	}
}

// again are the flags that send the same again, secrets redacted.
func (f *requestFlags) again(urls []string) string {
	var b strings.Builder
	add := func(name, value string) {
		if value != "" {
			b.WriteString(" --" + name + " " + quote(value))
		}
	}
	if f.Method != "" {
		b.WriteString(" -X " + quote(f.Method))
	}
	r := request.Request{}
	for _, h := range f.Header {
		field, _ := request.ParseField(h) // it was read before
		r.Header = append(r.Header, field)
	}
	for _, h := range r.Redacted().Header {
		b.WriteString(" -H " + quote(h.Name+": "+h.Value))
	}
	switch {
	case strings.HasPrefix(f.Body, "@"):
		add("body", f.Body)
	case f.Body != "":
		add("body", "[redacted]")
	}
	for _, field := range f.Form {
		add("form", redactedField(field, "[redacted]"))
	}
	for _, field := range f.DataUrlencode {
		add("data-urlencode", redactedField(field, "[redacted]"))
	}
	if f.inline != nil {
		add("plan", f.inline.Name)
	}
	b.WriteString(spaced(f.mixFlags.again(f.inline)))
	add("weight", strings.Join(f.Weight, ","))
	add("idempotency-key", f.IdempotencyKey)
	for _, x := range []struct {
		name string
		on   bool
	}{{"template", f.Template}, {"template-env", f.TemplateEnv}, {"id-header", f.IDHeader}, {"no-keepalive", f.NoKeepalive}} {
		if x.on {
			b.WriteString(" --" + x.name)
		}
	}
	for _, url := range urls {
		complete, _, err := request.ParseURL(url)
		if err != nil {
			complete = url
		}
		b.WriteString(" " + quote(request.RedactURL(complete)))
	}
	return b.String()
}

// redactedField is a form's field with something in place of its value, unless that is
// the name of a file.
func redactedField(field, hidden string) string {
	i := strings.IndexAny(field, "=@")
	switch {
	case i < 0:
		return hidden
	case field[i] == '@', strings.HasPrefix(field[i+1:], "@"), strings.HasPrefix(field[i+1:], "<"):
		return field
	}
	return field[:i+1] + hidden
}
