package plan

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/request"
)

func requestsOf(t *testing.T, text string) ([]request.Item, error) {
	f, err := Read("p.yaml", []byte(text), Keys(nil))
	require.NoError(t, err)
	base := request.Request{Header: []request.Field{{Name: "A", Value: "plan"}, {Name: "B", Value: "plan"}}, Body: []byte("plan")}
	return f.Requests(base,
		func(name string) ([]byte, error) {
			if name == "order.json" {
				return []byte("{}"), nil
			}
			return nil, errors.New("open " + name + ": no such file")
		},
		func(url string) (string, error) {
			full, _, err := request.ParseURL(url)
			return full, err
		})
}

func TestRequests(t *testing.T) {
	items, err := requestsOf(t, `
requests:
  - {name: search, url: 'h:1/search', weight: 6}
  - name: checkout
    method: PUT
    url: http://h:1/pay
    headers: {a: own, C: [x, y]}
    body: '@order.json'
`)
	require.NoError(t, err)
	require.Equal(t, []request.Item{
		{Name: "search", Weight: 6, Line: 3, Request: request.Request{
			URL: "http://h:1/search", Header: []request.Field{{Name: "A", Value: "plan"}, {Name: "B", Value: "plan"}}, Body: []byte("plan"),
		}},
		{Name: "checkout", Line: 4, Request: request.Request{
			Method: "PUT", URL: "http://h:1/pay", Body: []byte("{}"),
			Header: []request.Field{{Name: "a", Value: "own"}, {Name: "C", Value: "x"}, {Name: "C", Value: "y"}, {Name: "B", Value: "plan"}},
		}},
	}, items)
	items, err = requestsOf(t, "description: none")
	require.NoError(t, err)
	require.Nil(t, items)
}

func TestWhatIsWrongWithRequests(t *testing.T) {
	for text, want := range map[string]string{
		"requests: [{name: a}]":                                           "p.yaml:1: requests 1: a request needs a url",
		"requests:\n- {url: 'h:1'}\n- {url: 'ftp://h'}":                   `p.yaml:3: requests 2 url: URL "ftp://h"`,
		"requests: [{url: h, wieght: 3}]":                                 "did you mean weight?",
		"requests: [{url: h, weight: 0}]":                                 `weight: "0" is not a whole number from 1 on`,
		"requests: [{url: h, body: '@x'}]":                                "open x: no such file",
		"requests: [{url: h, headers: {'A B': c}}]":                       "header name",
		"requests:\n- {url: h, name: a}\n- {url: h}\n- {url: i, name: a}": `p.yaml:4: requests 3: the name "a" is taken by the request in line 2, and a report could not tell the two apart; give each its own name, or none`,
		"requests: h": "where names and values belong",
	} {
		_, err := requestsOf(t, text)
		require.ErrorContains(t, err, want, text)
	}
}
