package request

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

// TemplateOptions are what templates may name:
//
//	{{.name}}       of the operation's row of the data
//	{{seq}}         the operation's number, from 0
//	{{uuid}}        a UUID of the operation, the same wherever it stands
//	{{env "NAME"}}  of the environment, if Env is set
//
// and what text/template has of its own, such as {{urlquery .name}}.
type TemplateOptions struct {
	Rows    *Rows                                     // nil: there are none
	Numbers func(use string) func(seq uint64) uint64  // 64 random bits for each operation
	Env     func(name string) (value string, ok bool) // nil: it is not read
}

// A varying is a request with templates in it.
type varying struct {
	opt   *TemplateOptions
	plain Request
	pens  sync.Pool // of *pen
}

// A pen fills in the templates of one request, for one operation at a time.
type pen struct {
	seq    uint64
	url    *template.Template // nil where it is none
	header []*template.Template
	body   *template.Template
	out    strings.Builder
}

// parse compiles what is a template in r; nil if nothing is.
func (o *TemplateOptions) parse(r Request) (*varying, error) {
	v := &varying{opt: o, plain: r}
	first, some, err := v.pen()
	if err != nil || !some {
		return nil, err
	}
	v.pens.New = func() any {
		p, _, _ := v.pen() // as the first one
		return p
	}
	v.pens.Put(first)
	return v, nil
}

// pen compiles the templates; some is false if there are none.
func (v *varying) pen() (p *pen, some bool, err error) {
	p = &pen{header: make([]*template.Template, len(v.plain.Header))}
	functions := v.opt.functions(p)
	var problems []error
	compile := func(what, text string) *template.Template {
		if !strings.Contains(text, "{{") {
			return nil
		}
		some = true
		t, err := template.New(what).Option("missingkey=error").Funcs(functions).Parse(text)
		if err != nil {
			problems = append(problems, plainTemplate(err))
		}
		return t
	}
	p.url = compile("URL", v.plain.URL)
	for i, f := range v.plain.Header {
		p.header[i] = compile("header "+f.Name, f.Value)
	}
	p.body = compile("body", string(v.plain.Body))
	return p, some, errors.Join(problems...)
}

// functions are what templates may call, for the operation that p is at.
func (o *TemplateOptions) functions(p *pen) template.FuncMap {
	hi, lo := o.Numbers("uuid"), o.Numbers("uuid, second half")
	return template.FuncMap{
		"seq":  func() uint64 { return p.seq },
		"uuid": func() string { return string(appendUUID(nil, hi(p.seq), lo(p.seq))) },
		"env": func(name string) (string, error) {
			if o.Env == nil {
				return "", errors.New("the environment is read only with --template-env")
			}
			value, ok := o.Env(name)
			if !ok {
				return "", fmt.Errorf("there is no %s in the environment", name)
			}
			return value, nil
		},
	}
}

// request fills the templates in for operation seq.
func (v *varying) request(seq uint64) (Request, error) {
	p := v.pens.Get().(*pen)
	defer v.pens.Put(p)
	p.seq = seq
	var row any
	if v.opt.Rows != nil {
		row = v.opt.Rows.Of(seq)
	}
	r := v.plain
	var problems []error
	fill := func(t *template.Template, into *string) {
		if t == nil {
			return
		}
		p.out.Reset()
		if err := t.Execute(&p.out, row); err != nil {
			problems = append(problems, plainTemplate(err))
		}
		*into = p.out.String()
	}
	fill(p.url, &r.URL)
	r.Header = append([]Field(nil), r.Header...)
	for i := range r.Header {
		fill(p.header[i], &r.Header[i].Value)
	}
	if p.body != nil {
		var body string
		fill(p.body, &body)
		r.Body = []byte(body)
	}
	if len(problems) == 0 {
		problems = append(problems, r.unspoken())
	}
	return r, errors.Join(problems...)
}

// unspoken is what is wrong with r, without what was filled in: it may be a secret.
func (r Request) unspoken() error {
	var problems []error
	if _, err := cut(r.URL); err != nil {
		problems = append(problems, errors.New("URL: what is filled in makes none; {{urlquery .name}} writes a value so that it can stand in one"))
	}
	for _, f := range r.Header {
		if f.check() != nil {
			problems = append(problems, fmt.Errorf("header %s: what is filled in has a control character", f.Name))
		}
	}
	if len(problems) == 0 {
		return r.Check()
	}
	return errors.Join(problems...)
}

var (
	templateError = regexp.MustCompile(`^template: ([^:]+):(\d+)(:\d+)?: (executing "[^"]*" at )?`)
	noSuchKey     = regexp.MustCompile(`(map has no entry|nil data; no entry) for key ("[^"]*")$`)
	noFunction    = regexp.MustCompile(`^function ("[^"]*") not defined$`)
)

// plainTemplate is an error of package template as a user wants to read it.
func plainTemplate(err error) error {
	m := templateError.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	rest := strings.TrimPrefix(err.Error(), m[0])
	if k := noSuchKey.FindStringSubmatch(rest); k != nil && strings.HasPrefix(k[1], "nil") {
		return fmt.Errorf("%s: there are no data for %s; give --data FILE", m[1], k[2])
	} else if k != nil {
		return fmt.Errorf("%s: the data have no %s", m[1], k[2])
	}
	if k := noFunction.FindStringSubmatch(rest); k != nil {
		return fmt.Errorf("%s: there is no function %s; a column of the data is written {{.%s}}, and seq, uuid and env are functions",
			m[1], k[1], strings.Trim(k[1], `"`))
	}
	return fmt.Errorf("%s: %s", m[1], rest)
}
