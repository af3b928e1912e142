package sink

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What Parse reads, String writes.
func TestParse(t *testing.T) {
	for spec, want := range map[string]string{
		"text": "text", "json": "json", "json=out.json": "json=out.json", "text=-": "text",
		"json=a=b.json": "json=a=b.json", "text=/tmp/x y": "text=/tmp/x y",
	} {
		o, err := Parse(spec)
		require.NoError(t, err)
		require.Equal(t, want, o.String())
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	const all = "text, json, csv, hlog, hgrm, hgrm-raw, html, markdown, junit, github, prom"
	for _, tt := range []struct {
		spec, want string
	}{
		{"jsn=out", `output "jsn=out": unknown kind "jsn", did you mean "json=out"; kinds are ` + all},
		{"TEXT", `output "TEXT": unknown kind "TEXT", did you mean "text"; kinds are ` + all},
		{"report.json", `output "report.json": unknown kind "report.json", did you mean "json=report.json"; kinds are ` + all},
		{"protobuf", `output "protobuf": unknown kind "protobuf"; kinds are ` + all},
		{"", `output "": unknown kind ""; kinds are ` + all},
		{"github=x", `output "github=x": github takes no file: it writes where the job's environment says`},
		{"json=", `output "json=": no file after the =; give json=FILE, or json for standard output`},
	} {
		_, err := Parse(tt.spec)
		require.EqualError(t, err, tt.want)
	}
}
