package request

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// har is as much of an HTTP archive as is needed.
// Source: the HAR 1.2 specification, section "request".
type har struct {
	Log *struct {
		Entries []struct {
			Started any `json:"startedDateTime"` // a string, where it is there
			Request struct {
				Method   string     `json:"method"`
				URL      string     `json:"url"`
				Headers  []Field    `json:"headers"`
				PostData *harPosted `json:"postData"`
			} `json:"request"`
		} `json:"entries"`
	} `json:"log"`
}

type harPosted struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	Params   []struct {
		Name     string  `json:"name"`
		Value    string  `json:"value"`
		FileName *string `json:"fileName"`
	} `json:"params"`
}

// fromConnection are headers that belong to a connection and not to a request.
var fromConnection = []string{"connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}

// ImportHAR reads the requests of an HTTP archive, as a browser's network panel saves
// it. What cannot be sent again is left out, and notes say what and how often. started
// says when each request began; zero where the archive does not.
func ImportHAR(r io.Reader) (items []Item, started []time.Time, notes []string, err error) {
	var doc har
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, nil, nil, fmt.Errorf("this is no HTTP archive: %w", plainJSON(err))
	}
	if doc.Log == nil {
		return nil, nil, nil, errors.New("this is no HTTP archive: it has no log")
	}
	left := map[string]int{}
	for _, e := range doc.Log.Entries {
		q := e.Request
		it := Item{Request: Request{Method: q.Method, URL: q.URL}}
		scheme, _, _ := strings.Cut(q.URL, ":")
		if scheme != "http" && scheme != "https" {
			left["with the scheme "+clip(scheme)]++
			continue
		}
		for _, h := range q.Headers {
			// HTTP/2's pseudo headers repeat the method and the URL.
			if strings.HasPrefix(h.Name, ":") || slices.Contains(fromConnection, strings.ToLower(h.Name)) {
				continue
			}
			it.Header = append(it.Header, h)
		}
		body, ok := q.PostData.body(Request{Header: q.Headers})
		if !ok {
			left["whose body the archive does not hold"]++
			continue
		}
		it.Body = body
		if it.Check() != nil {
			left["that HTTP does not allow"]++
			continue
		}
		items = append(items, it)
		started = append(started, harTime(e.Started))
	}
	for why, n := range left {
		notes = append(notes, fmt.Sprintf("%d left out %s", n, why))
	}
	slices.Sort(notes)
	if len(items) == 0 {
		return nil, nil, notes, errors.New("there is no request in it that can be sent")
	}
	return items, started, notes, nil
}

// harTime reads a time of ISO 8601; zero if it is none.
func harTime(v any) (t time.Time) {
	text, _ := v.(string)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700"} { // each takes fractions of a second
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

// InTurn puts requests into the order in which they began, and says when each did, from
// the first on. Those of which that is not known are left out.
func InTurn(items []Item, started []time.Time) (ordered []Item, at []time.Duration) {
	var known []int
	for i, t := range started {
		if !t.IsZero() {
			known = append(known, i)
		}
	}
	slices.SortStableFunc(known, func(a, b int) int { return started[a].Compare(started[b]) })
	for _, i := range known {
		ordered = append(ordered, items[i])
		at = append(at, started[i].Sub(started[known[0]]))
	}
	return ordered, at
}

// body is what was posted; ok is false if that cannot be told.
func (p *harPosted) body(r Request) (body []byte, ok bool) {
	switch {
	case p == nil:
		length, given := r.Get("Content-Length")
		return nil, !given || length == "0"
	case p.Encoding == "base64":
		body, err := base64.StdEncoding.DecodeString(p.Text)
		return body, err == nil
	case p.Text != "":
		return []byte(p.Text), true
	}
	var parts []string
	for _, x := range p.Params {
		if x.FileName != nil {
			return nil, false
		}
		parts = append(parts, escapeURL(x.Name)+"="+escapeURL(x.Value))
	}
	return []byte(strings.Join(parts, "&")), len(parts) == 0 || strings.HasPrefix(p.MimeType, urlencodedType)
}
