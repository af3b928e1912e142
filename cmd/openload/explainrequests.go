package main

import (
	"fmt"
	"strings"

	"openload/plan"
	"openload/request"
)

// mostRequestRows is how many requests an explanation lists; a file of targets may have
// a million.
const mostRequestRows = 100

// requestRows are a line for each request of the plan, read from the file of that name:
// the first begins with key.
func requestRows(p *plan.Plan, key, file string) (all []row) {
	if p.Mix == nil {
		return nil
	}
	if file == "-" {
		file = "standard input"
	}
	items := p.Mix.Items()
	for i, it := range items {
		if i == mostRequestRows {
			return append(all, row{key, fmt.Sprintf("and %d more", len(items)-i), file})
		}
		all = append(all, row{key, explained(it), fmt.Sprintf("%s:%d", file, it.Line)})
		key = ""
	}
	return all
}

// explained is a request in a line, without its secrets: of its headers the names, and of
// its body the size.
func explained(it request.Item) string {
	url := request.RedactURL(it.URL)
	text := it.Verb() + " " + url
	if it.Name != text {
		text = it.Name + ": " + text
	}
	text += fmt.Sprintf(", weight %d", it.Weight)
	if len(it.Header) > 0 {
		var names []string
		for _, h := range it.Header {
			names = append(names, h.Name)
		}
		text += ", headers " + strings.Join(names, " ")
	}
	if len(it.Body) > 0 {
		text += fmt.Sprintf(", body %d bytes", len(it.Body))
	}
	return text
}
