package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostBytes is far more than a report has: with every target and phase that may be, 20 MB.
const mostBytes = 1 << 30

// Read reads a report, or the runs of one that was repeated; a single one comes as one
// run. It is strict: what isn't such a document, of a version that this program knows,
// and whole, is an error.
func Read(in io.Reader) (*Runs, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > mostBytes:
		return nil, errors.New("over 1 GiB: no report is that long")
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("the file is empty")
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, notJSON(text, err)
	}
	if head.Schema == nil {
		return nil, fmt.Errorf("it is JSON and no report: there is no \"schema\"; %s", writeOne)
	}
	all := new(Runs)
	switch *head.Schema {
	case Schema:
		all.Runs = []*Report{new(Report)}
		if err = json.Unmarshal(text, all.Runs[0]); err == nil {
			all = NewRuns(1, all.Runs)
		}
	case RunsSchema:
		err = json.Unmarshal(text, all)
	default:
		name, _, _ := strings.Cut(Schema, "/report/")
		if strings.HasPrefix(*head.Schema, name+"/") {
			return nil, fmt.Errorf("its schema is %q, and this openload reads %s and %s", *head.Schema, Schema, RunsSchema)
		}
		return nil, fmt.Errorf("its schema is %q: that is no report of openload's; %s", *head.Schema, writeOne)
	}
	if err != nil {
		return nil, notJSON(text, err)
	}
	if len(all.Runs) == 0 {
		return nil, errors.New("there are no runs in it")
	}
	for i, r := range all.Runs {
		where := ""
		if len(all.Runs) > 1 {
			where = fmt.Sprintf("run %d: ", i+1)
		}
		switch {
		case r == nil:
			return nil, fmt.Errorf("%sit is null", where)
		case r.Schema != Schema:
			return nil, fmt.Errorf("%sits schema is %q, and not %s", where, r.Schema, Schema)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s%w", where, err)
		}
	}
	return all, nil
}

const writeOne = "write one with --out json=FILE"

// check finds what shows that a report was edited or damaged.
func (r *Report) check() error {
	switch r.Verdict {
	case "pass", "fail", "invalid", "inconclusive", "none":
	default:
		return fmt.Errorf("%q is no verdict", r.Verdict)
	}
	_, err := r.Counts.restore(r.Retries)
	return err
}

// notJSON says where a document stops being one.
func notJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	line := func(offset int64) int { return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte{'\n'}) }
	switch {
	case errors.As(err, &syntax) && int(syntax.Offset) >= len(text):
		return fmt.Errorf("the file ends in the middle of the document (line %d): it was cut off", line(syntax.Offset))
	case errors.As(err, &syntax) && !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'{'}):
		return fmt.Errorf("it is no JSON, and no report; %s", writeOne)
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", line(syntax.Offset), err)
	case errors.As(err, &typed) && typed.Field == "":
		return fmt.Errorf("it is JSON and no report, but a %s; %s", typed.Value, writeOne)
	case errors.As(err, &typed):
		return fmt.Errorf("line %d: %s is a %s, which cannot be", line(typed.Offset), typed.Field, typed.Value)
	}
	return err
}
