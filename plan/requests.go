package plan

import (
	"errors"
	"strconv"
	"strings"

	"openload/request"
)

// requestsKey is the list of requests of a plan file. It has no flag: on the command line
// it is --targets.
var requestsKey = Key{
	Name: "requests", Form: Sections,
	Doc: "What to send, in place of url: a list of requests with url and, as wanted, name, method, headers, body and weight. Rules may name them: 'checkout: p99<300ms'.",
	Of: listOf(object{
		"type": "object", "additionalProperties": false, "required": []string{"url"},
		"properties": object{
			"name":    object{"type": []string{"string", "number"}, "description": "What the report and rules call it; no two may have one name. Default: method and path."},
			"url":     object{"type": "string", "description": "What to ask for."},
			"method":  object{"type": "string", "description": "Default: GET, or POST with a body."},
			"headers": described(Key{Form: Headers}.schema(), "Its headers; those of the plan are added where it has none of that name."),
			"body":    object{"type": "string", "description": "Text, or @FILE, looked up from where openload is started. Default: that of the plan."},
			"weight":  object{"type": "integer", "minimum": 1, "description": "Its turns in a round. Default: 1."},
		},
	}),
}

// HasRequests reports whether the file lists requests.
func (f *File) HasRequests() bool {
	_, ok := f.Section(requestsKey.Name)
	return ok
}

// Requests are those that the file lists; none if it has no such list. Headers and body
// of base are for those that have none of their own. open reads the file that a body
// refers to. Their URLs are completed and checked by check, if they are no templates.
func (f *File) Requests(base request.Request, open func(name string) ([]byte, error), check func(url string) (string, error)) (items []request.Item, err error) {
	section, ok := f.Section(requestsKey.Name)
	if !ok {
		return nil, nil
	}
	var wrong []error
	named := map[string]int{} // where each name was given
	for _, v := range section.Items() {
		it, err := readRequest(v, open, check)
		wrong = append(wrong, err)
		it.Line = v.Place().Line
		if first, taken := named[it.Name]; taken {
			wrong = append(wrong, v.Problem("%w", request.NameTaken(it.Name, first)))
		} else if it.Name != "" {
			named[it.Name] = it.Line
		}
		if len(it.Body) == 0 {
			it.Body = base.Body
		}
		for _, h := range base.Header {
			if _, own := it.Get(h.Name); !own {
				it.Header = append(it.Header, h)
			}
		}
		items = append(items, it)
	}
	return items, errors.Join(wrong...)
}

func readRequest(v Value, open func(string) ([]byte, error), check func(string) (string, error)) (it request.Item, err error) {
	fields, err := v.Fields("name", "url", "method", "headers", "body", "weight")
	wrong := []error{err}
	text := func(name string, take func(x Value, text string) error) {
		x, ok := fields[name]
		if !ok {
			return
		}
		value, err := x.Text()
		if err == nil {
			err = take(x, value)
		}
		wrong = append(wrong, err)
	}
	text("name", func(_ Value, t string) error { it.Name = t; return nil })
	text("method", func(_ Value, t string) error { it.Method = t; return nil })
	text("url", func(x Value, t string) (err error) {
		if it.URL, err = check(t); err != nil {
			return x.Problem("%w", err)
		}
		return nil
	})
	text("weight", func(x Value, t string) (err error) {
		if it.Weight, err = strconv.Atoi(t); err != nil || it.Weight < 1 {
			return x.Problem("%q is not a whole number from 1 on", t)
		}
		return nil
	})
	text("body", func(x Value, t string) (err error) {
		it.Body = []byte(t)
		if strings.HasPrefix(t, "@") {
			if it.Body, err = open(t[1:]); err != nil {
				return x.Problem("%w; give the text itself, or @FILE", err)
			}
		}
		return nil
	})
	if x, ok := fields["headers"]; ok {
		lines, err := headers(x)
		wrong = append(wrong, err)
		for _, line := range lines {
			h, err := request.ParseField(line.Text)
			if err != nil {
				wrong = append(wrong, v.f.Problem(line.At, "%w", err))
			}
			it.Header = append(it.Header, h)
		}
	}
	if _, ok := fields["url"]; !ok && err == nil {
		wrong = append(wrong, v.Problem("a request needs a url"))
	}
	return it, errors.Join(wrong...)
}
