package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"openload/plan"
	"openload/request"
	"openload/seed"
)

// mixFlags say what operations are told apart by.
type mixFlags struct {
	Targets       string `group:"targets" placeholder:"FILE" help:"Send the requests of this file, in vegeta's http or json format, in place of a URL; - is standard input. A comment '# name=checkout weight=3' names one and gives it three turns in a round."`
	TargetsFormat string `group:"targets" enum:"auto,http,json" default:"auto" placeholder:"FORMAT" help:"Format of the file: http, json, or auto: by content."`
	Order         string `group:"targets" enum:"cycle,random,once" default:"cycle" placeholder:"ORDER" help:"Which operation takes which: cycle, random (by weight, from --seed), once (one round, or with --data each row once, and then no more)."`
	Data          string `group:"targets" placeholder:"FILE" help:"Fill {{.name}} in URL, headers and body from the rows of this file, CSV or JSON lines, row after row; - is standard input."`
}

// again are the flags that say the same again, also where the plan says otherwise; nil:
// there is none.
func (f *mixFlags) again(p *plan.File) (flags []string) {
	if f.Targets != "" {
		flags = append(flags, "--targets "+quote(f.Targets))
	}
	if f.TargetsFormat != "auto" {
		flags = append(flags, "--targets-format "+f.TargetsFormat)
	}
	if f.Order != request.Cycle.String() || p != nil && len(p.Words("order")) > 0 {
		flags = append(flags, "--order "+f.Order)
	}
	if f.Data != "" {
		flags = append(flags, "--data "+quote(f.Data))
	}
	return flags
}

// whence are the flags that tell operations of virtual time apart in the same way again;
// file is the plan, if there is one. None: nothing tells them apart.
func (f *mixFlags) whence(s *sending, file *plan.File) []string {
	switch {
	case s == nil || !s.several && s.once == 0 && s.rows == 0:
		return nil
	case f.Targets != "":
		return f.again(nil)
	}
	return append([]string{"--plan " + quote(file.Name)}, f.again(file)...)
}

// targetFlags say what is sent where that is more than one request.
type targetFlags struct {
	mixFlags
	Weight      []string `group:"targets" sep:"," placeholder:"N,N,..." help:"Turns in a round of each of several URLs, in their order: 3,1 asks for the first three times as often. Default: one each."`
	Template    bool     `group:"targets" help:"Fill in {{seq}}, the operation's number, and {{uuid}}, also without --data. Otherwise braces are sent as they are."`
	TemplateEnv bool     `group:"targets" help:"Fill in {{env \"NAME\"}} from the environment as well."`

	IdempotencyKey string `group:"retry" placeholder:"HEADER" help:"Send a key in this header, such as Idempotency-Key: one for each operation, the same on every attempt. POST and PATCH may then be repeated."`
	IDHeader       bool   `name:"id-header" group:"retry" help:"Send the operation's and the attempt's number as Openload-Operation and Openload-Attempt."`
}

// mixed is what the flags tell apart, without its bytes, and what its templates are filled
// with.
func (f *requestFlags) mixed(urls []string, in io.Reader, from seed.Seed) (s *sending, filled *request.TemplateOptions, err error) {
	var wrong []error
	if users := f.stdinUsers(); len(users) > 1 {
		return nil, nil, usagef("%s all read standard input; give a file to all but one", strings.Join(users, " and "))
	}
	base, err := f.base(in, from)
	wrong = append(wrong, err)
	if filled, err = f.template(in, from); err != nil {
		wrong = append(wrong, err)
	}
	s = &sending{several: f.Targets != "" || f.inline != nil || len(urls) > 1, keyed: f.IdempotencyKey != ""}
	var items []request.Item
	if len(f.Weight) > 0 && (f.Targets != "" || f.inline != nil) {
		wrong = append(wrong, errors.New("--weight: belongs to several URLs; targets of a file have their own there, weight=3 in their comment or \"weight\": 3"))
	}
	switch {
	case f.Targets != "":
		items, err = f.read(base, urls, in)
		wrong = append(wrong, err)
	case f.inline != nil:
		items, err = f.listed(base)
		wrong = append(wrong, err)
	default:
		weights, err := f.weights(len(urls))
		wrong = append(wrong, err)
		for i, url := range urls {
			it := request.Item{Request: base, Weight: weights[i]}
			var note string
			if it.URL, note, err = f.complete(url); err != nil {
				wrong = append(wrong, err)
			}
			if note != "" {
				s.notes = append(s.notes, note)
			}
			items = append(items, it)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, nil, usage(err)
	}
	order, err := request.ParseOrder(f.Order)
	if err != nil {
		return nil, nil, usagef("--order: %w", err)
	}
	if s.mix, err = request.NewMix(items, order, from.Numbers("targets")); err != nil {
		return nil, nil, usage(f.named(err))
	}
	if filled != nil && filled.Rows != nil {
		s.rows = uint64(filled.Rows.Len())
	}
	if order == request.Once {
		s.once = cmp.Or(s.rows, s.mix.Round())
	}
	return s, filled, nil
}

// weights are the turns of so many URLs; 0 is what a URL has by itself.
func (f *requestFlags) weights(urls int) (all []int, err error) {
	all = make([]int, urls)
	switch {
	case len(f.Weight) == 0:
		return all, nil
	case urls == 1:
		return all, errors.New("--weight: there is one URL, which has every turn; give several, or leave it out")
	case len(f.Weight) != urls:
		return all, fmt.Errorf("--weight: %s is %d for %d URLs; give one number for each, in their order: --weight %s", strings.Join(f.Weight, ","), len(f.Weight), urls, strings.Join(slices.Repeat([]string{"1"}, urls), ","))
	}
	var wrong []error
	for i, text := range f.Weight {
		if all[i], err = strconv.Atoi(strings.TrimSpace(text)); err != nil || all[i] < 1 {
			wrong = append(wrong, fmt.Errorf("--weight: %q is no weight; write a whole number from 1 on for each URL, such as --weight 3,1", text))
		}
	}
	return all, errors.Join(wrong...)
}

// templated reports whether anything in it looks like a template.
func templated(it request.Item) bool {
	return strings.Contains(it.URL, "{{") || bytes.Contains(it.Body, []byte("{{")) ||
		slices.ContainsFunc(it.Header, func(f request.Field) bool { return strings.Contains(f.Name+f.Value, "{{") })
}

// named puts the file that an error is about before each of its lines.
func (f *requestFlags) named(err error) error {
	if f.Targets == "" {
		return err
	}
	return fmt.Errorf("--targets: %s: %w", f.Targets, errors.New(strings.ReplaceAll(err.Error(), "\n", "\n--targets: "+f.Targets+": ")))
}

// template is what templates are filled with; nil: there are none.
func (f *requestFlags) template(in io.Reader, from seed.Seed) (*request.TemplateOptions, error) {
	if f.Data == "" && !f.Template && !f.TemplateEnv {
		return nil, nil
	}
	t := &request.TemplateOptions{Numbers: from.Numbers}
	if f.TemplateEnv {
		t.Env = os.LookupEnv
	}
	if f.Data == "" {
		return t, nil
	}
	if f.Data != "-" {
		file, err := os.Open(f.Data)
		if err != nil {
			return nil, fmt.Errorf("--data: %w; give a file of rows, CSV or JSON lines; a body is --body", err)
		}
		defer file.Close()
		in = file
	}
	var err error
	if t.Rows, err = request.ReadRows(in); err != nil {
		return nil, fmt.Errorf("--data: %s: %w", f.Data, err)
	}
	return t, nil
}

// read is what the file of targets holds.
func (f *requestFlags) read(base request.Request, urls []string, in io.Reader) ([]request.Item, error) {
	if len(urls) > 0 {
		return nil, fmt.Errorf("%s: beside --targets, which says where to send; leave out one of them", request.RedactURL(urls[0]))
	}
	if f.Method != "" {
		return nil, errors.New("--method: beside --targets, where each has its own; leave it out")
	}
	if f.Targets != "-" {
		file, err := os.Open(f.Targets)
		if err != nil {
			return nil, fmt.Errorf("--targets: %w", err)
		}
		defer file.Close()
		in = file
	}
	format := f.TargetsFormat
	if format == "auto" {
		format = ""
	}
	items, err := request.ReadTargets(in, request.FileOptions{
		Format: format, Header: base.Header, Body: base.Body, Open: os.ReadFile,
		Plain: f.Data == "" && !f.Template && !f.TemplateEnv,
	})
	if err != nil {
		return nil, f.named(err)
	}
	return items, nil
}

// listed are the requests of the plan file.
func (f *requestFlags) listed(base request.Request) ([]request.Item, error) {
	if f.Method != "" {
		return nil, errors.New("--method: beside requests, where each has its own; leave it out")
	}
	return f.inline.Requests(base, os.ReadFile, func(typed string) (string, error) {
		url, _, err := f.complete(typed)
		return url, err
	})
}

// complete is a URL as typed with what was left out. A template is no URL yet.
func (f *requestFlags) complete(typed string) (url, note string, err error) {
	if strings.Contains(typed, "{{") && (f.Data != "" || f.Template || f.TemplateEnv) {
		if !strings.Contains(typed, "://") && !strings.HasPrefix(typed, "{{") {
			typed = "http://" + typed
		}
		return typed, "", nil
	}
	return request.ParseURL(typed)
}
