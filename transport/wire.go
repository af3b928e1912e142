package transport

import (
	"github.com/valyala/fasthttp"

	"openload/request"
)

// serialise returns what goes over the connection for r, in one write: a
// fasthttp.Request with nothing added, renamed or put into another order, so that
// these are the bytes that [request.Request.Bytes] promises. Its Write is not asked,
// since that adds "Content-Length: 0" to a DELETE.
func serialise(r request.Request, agent string, keepAlive bool) ([]byte, error) {
	head, err := r.Head(agent, keepAlive)
	if err != nil {
		return nil, err
	}
	var q fasthttp.Request
	q.Header.DisableNormalizing()
	q.Header.DisableSpecialHeader()
	q.Header.SetMethod(head.Method)
	q.Header.SetRequestURI(head.Path)
	for _, f := range head.Header {
		q.Header.Add(f.Name, f.Value)
	}
	q.SetBodyRaw(r.Body)
	return append(q.Header.Header(), q.Body()...), nil
}
