package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// json reads vegeta's json format.
func (f *fileReader) json() {
	for {
		line, ok := f.next()
		if !ok {
			return
		}
		if line == "" {
			continue
		}
		var t jsonTarget
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		err := d.Decode(&t)
		if err == nil && d.More() {
			err = errors.New("something follows the object; write one a line")
		}
		if err != nil {
			f.complain(f.line, plainJSON(err))
			continue
		}
		it := Item{Name: t.Name, Weight: t.Weight, Request: Request{t.Method, t.URL, t.Header, t.Body}}
		if t.Weight < 0 {
			f.complain(f.line, fmt.Errorf("weight %d; write a whole number from 1 on", t.Weight))
			continue
		}
		f.add(it, f.line)
	}
}

// plainJSON says what is wrong with a line, and not with a Go type.
func plainJSON(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the object has no end: the file is cut off, or the object goes on in the next line; write a whole one a line")
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: a %s cannot be that", typ.Field, typ.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

type jsonTarget struct {
	Name   string    `json:"name,omitempty"`
	Weight int       `json:"weight,omitempty"`
	Method string    `json:"method"`
	URL    string    `json:"url"`
	Body   []byte    `json:"body,omitempty"`
	Header fieldsMap `json:"header,omitempty"`
}

// fieldsMap is a header as an object of lists, whose order is kept.
type fieldsMap []Field

func (h *fieldsMap) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t == nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New(`header: write an object such as {"Accept": ["text/plain"]}`)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		var values []string
		if json.Unmarshal(raw, &values) != nil {
			var one string
			if json.Unmarshal(raw, &one) != nil {
				return fmt.Errorf("header %s: write a list of strings", name)
			}
			values = []string{one}
		}
		for _, v := range values {
			*h = append(*h, Field{name.(string), v})
		}
	}
	return nil
}

// MarshalJSON writes lines of one name, which may come twice, as one list where the
// first of them stands.
func (h fieldsMap) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	written := map[string]bool{}
	for _, f := range h {
		if written[f.Name] {
			continue
		}
		var values []string
		for _, g := range h {
			if g.Name == f.Name {
				values = append(values, g.Value)
			}
		}
		if len(written) > 0 {
			b.WriteByte(',')
		}
		written[f.Name] = true
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		list, err := json.Marshal(values)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), list...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// WriteTargets writes items in the json format, secrets included.
func WriteTargets(w io.Writer, items []Item) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, it := range items {
		if err := e.Encode(jsonTarget{it.Name, it.Weight, it.Verb(), it.URL, it.Body, it.Header}); err != nil {
			return err
		}
	}
	return nil
}
