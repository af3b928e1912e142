package sink_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"openload/internal/golden"
	"openload/report"
	"openload/sink"
)

func document(t require.TestingT, r *report.Report) []byte {
	var b bytes.Buffer
	require.NoError(t, sink.JSON(&b, r))
	return b.Bytes()
}

// read is strict: a property that the types lack is an error.
func read(document []byte) (*report.Report, error) {
	r := new(report.Report)
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	return r, d.Decode(r)
}

func TestDocument(t *testing.T) {
	r := failing()
	r.Series = r.Series[:2]
	golden.Check(t, "failing.json", document(t, r))
}

func TestDocumentsKeepTheSchema(t *testing.T) {
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(report.SchemaJSON))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("report.json", schema))
	compiled, err := c.Compile("report.json")
	require.NoError(t, err)
	for _, tt := range pages {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document(t, tt.of())))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(doc), tt.name)
	}
}

// What is unknown is null, a list without entries is empty, and JSON always has a
// way to write it.
func TestDocumentOfUnknowns(t *testing.T) {
	r := &report.Report{
		Plan: report.Plan{Confidence: math.NaN()},
		Rate: &report.Rate{Asked: 12.5, Offered: math.NaN()},
		SLA:  []report.Rule{{Rule: "rate>99%", Value: ptr(math.Inf(1))}},
	}
	got := string(document(t, r))
	require.True(t, strings.HasSuffix(got, "}\n"))
	for _, want := range []string{`"rate": null`, `"value": null`, `"confidence": 0`, `"errors": {}`, `"timeouts": {}`, `"status": {}`, `"series": []`, `"reasons": []`, `"notes": []`, `"rule": "rate>99%"`} {
		require.Contains(t, got, want)
	}
	require.True(t, math.IsInf(*r.SLA[0].Value, 1), "the report itself is left alone")
}
