package sink_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/sink"
)

// Of very many hosts a page and a label name a few.
func TestVeryManyHosts(t *testing.T) {
	r := twoHosts()
	r.Plan.Hosts = strings.Fields("http://a http://b http://c http://d http://e http://f")
	r.Plan.URL = strings.Join(r.Plan.Hosts, " ")
	for i := range 20 {
		h := r.Network.Hosts[0]
		h.URL = strings.Repeat("x", i+1)
		r.Network.Hosts = append(r.Network.Hosts, h)
	}
	page := text(t, r, sink.TextOptions{})
	require.Contains(t, page, " 6 hosts: http://a http://b http://c and 3 more\n")
	require.Contains(t, page, "and 15 more hosts in the JSON report")
	out, err := sink.Parse("prom")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, out.Kind.Write(&b, r, sink.TextOptions{}))
	require.Contains(t, b.String(), `url="6 hosts: http://a http://b http://c and 3 more"`)
}
