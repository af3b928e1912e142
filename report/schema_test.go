package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"openload/report"
)

// object is a JSON Schema, or a part of one.
type object = map[string]any

func parsed(t *testing.T) object {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(report.SchemaJSON))
	require.NoError(t, err)
	return schema.(object)
}

func compile(t *testing.T, schema object) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("report.json", schema))
	s, err := c.Compile("report.json")
	require.NoError(t, err)
	return s
}

// closed returns the schema with no room for properties that it does not name.
func closed(schema object) object {
	strict := maps.Clone(schema)
	if _, ok := strict["properties"]; ok {
		strict["additionalProperties"] = false
	}
	if defs, ok := strict["$defs"].(object); ok {
		defs = maps.Clone(defs)
		for name, def := range defs {
			defs[name] = closed(def.(object))
		}
		strict["$defs"] = defs
	}
	return strict
}

func validate(t *testing.T, s *jsonschema.Schema, document []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	require.NoError(t, err)
	return s.Validate(v)
}

func encode(t testing.TB, r *report.Report) []byte {
	t.Helper()
	b, err := json.Marshal(r)
	require.NoError(t, err)
	return b
}

// Every field of the types is a property of the schema and the other way round,
// with the same type, null where a pointer is, and a description that gives the unit.
func TestSchemaIsTheTypes(t *testing.T) {
	schema := parsed(t)
	defs := schema["$defs"].(object)
	used := map[string]bool{}

	var compare func(path string, s object, typ reflect.Type)
	compare = func(path string, s object, typ reflect.Type) {
		if variants, ok := s["anyOf"].([]any); ok {
			require.Equal(t, reflect.Pointer, typ.Kind(), "%s may be null", path)
			require.Len(t, variants, 2, path)
			require.Equal(t, object{"type": "null"}, variants[1], path)
			s, typ = variants[0].(object), typ.Elem()
		}
		if ref, ok := s["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			require.Contains(t, defs, name, path)
			used[name] = true
			s = defs[name].(object)
		}
		want := typeOf(typ)
		if kinds, ok := s["type"].([]any); ok {
			require.Equal(t, reflect.Pointer, typ.Kind(), "%s may be null", path)
			require.Equal(t, []any{typeOf(typ.Elem()), "null"}, kinds, path)
			return
		}
		require.Equal(t, want, s["type"], path)
		switch {
		case want == "array":
			compare(path+"[]", s["items"].(object), typ.Elem())
		case typ.Kind() == reflect.Map:
			require.Equal(t, typeOf(typ.Elem()), s["additionalProperties"].(object)["type"], path)
		case want == "object":
			properties := s["properties"].(object)
			var names, always []string
			for f := range fields(typ) {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				names = append(names, name)
				if options == "" {
					always = append(always, name)
				}
				require.Contains(t, properties, name, "%s.%s", path, f.Name)
				p := properties[name].(object)
				require.NotEmpty(t, p["description"], "%s.%s", path, name)
				if strings.HasSuffix(name, "_ns") {
					require.Contains(t, p["description"], "Nanoseconds", "%s.%s", path, name)
				}
				compare(path+"."+name, p, f.Type)
			}
			require.ElementsMatch(t, names, slices.Collect(maps.Keys(properties)), path)
			require.ElementsMatch(t, always, s["required"], path)
		}
	}
	compare("report", schema, reflect.TypeFor[report.Report]())
	for name := range defs {
		require.True(t, used[name], "nothing refers to %s", name)
	}
	require.Equal(t, report.Schema, schema["properties"].(object)["schema"].(object)["const"])
}

func fields(typ reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if !yield(typ.Field(i)) {
				return
			}
		}
	}
}

func typeOf(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Slice:
		return "array"
	}
	if typ == reflect.TypeFor[time.Time]() {
		return "string"
	}
	return "object"
}

// What we write has no property that the schema lacks, and keeps the rest of it;
// read and written again it is the same.
func TestReportsKeepTheSchema(t *testing.T) {
	strict := compile(t, closed(parsed(t)))
	for _, tt := range []struct {
		name string
		of   *report.Report
	}{
		{"the lab at one connection", lab()},
		{"mostly failures", failing()},
		{"nothing known", unknown()},
		{"a closed loop", closedLoop()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			document := encode(t, tt.of)
			require.NoError(t, validate(t, strict, document))
			again := new(report.Report)
			require.NoError(t, json.Unmarshal(document, again))
			require.Equal(t, tt.of, again)
			require.Equal(t, string(document), string(encode(t, again)))
		})
	}
}

// The schema lets later versions add, and nothing else.
func TestSchemaRefuses(t *testing.T) {
	open := compile(t, parsed(t))
	for _, tt := range []struct {
		name   string
		change func(document object)
		ok     bool
	}{
		{"nothing changed", func(d object) {}, true},
		{"a new property", func(d object) { d["heatmap"] = object{}; d["counts"].(object)["hedged"] = 3 }, true},
		{"a property less", func(d object) { delete(d["counts"].(object), "timed_out") }, false},
		{"another schema", func(d object) { d["schema"] = "openload/report/v2" }, false},
		{"an unknown verdict", func(d object) { d["verdict"] = "perhaps" }, false},
		{"a duration in words", func(d object) { d["run"].(object)["duration_ns"] = "16.4s" }, false},
		{"a fraction of a nanosecond", func(d object) { d["run"].(object)["duration_ns"] = 1.5 }, false},
		{"a negative count", func(d object) { d["counts"].(object)["ok"] = -1 }, false},
		{"null for a count", func(d object) { d["counts"].(object)["ok"] = nil }, false},
		{"null for a reading", func(d object) { d["latency"].(object)["raw"] = nil }, true},
		{"a status that is none", func(d object) { d["counts"].(object)["status"].(object)["ok"] = 1 }, false},
		{"a date that is none", func(d object) { d["run"].(object)["started"] = "yesterday" }, false},
		{"null for the list of rules", func(d object) { d["sla"] = nil }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var document object
			require.NoError(t, json.Unmarshal(encode(t, lab()), &document))
			tt.change(document)
			changed, err := json.Marshal(document)
			require.NoError(t, err)
			if err := validate(t, open, changed); tt.ok {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// dist is a reading of n values, all of them as long as its p99 but for the median.
func dist(n uint64, p50, p99 time.Duration) *report.Dist {
	return &report.Dist{N: n, Min: &p50, Mean: &p99, Max: &p99, P50: &p50, P90: &p99, P95: &p99, P99: &p99, P999: &p99}
}

// lab is the example of the design: one stall, met over one connection.
func lab() *report.Report {
	corrected, raw := dist(200, 50*time.Millisecond, 1940*time.Millisecond), dist(200, 50*time.Millisecond, 50*time.Millisecond)
	corrected.Histogram = "HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMAALiQJ1"
	return &report.Report{
		Schema: report.Schema,
		Tool:   report.Tool{Version: "v0.1.0"},
		Plan: report.Plan{
			Model: "open", Method: "GET", URL: "http://127.0.0.1:8080/", Connections: 1, ConnectionsLimit: 1,
			Timeout: 30 * time.Second, ConnectTimeout: 5 * time.Second, Drain: 30 * time.Second, Backlog: 1_000_000,
			Expect: "200-399", Confidence: 95, Command: "openload --rate 12.5 --n 200 -c 1 http://127.0.0.1:8080/",
		},
		Schedule: &report.Schedule{
			Law: "even", Description: "200 at 12.5/s", Seed: 18446744073709551615,
			SHA256: strings.Repeat("0123456789abcdef", 4), Length: 15920 * time.Millisecond,
		},
		Run:        report.Run{Started: time.Date(2026, 11, 30, 2, 41, 0, 5, time.UTC), Duration: 16420 * time.Millisecond, Engine: "portable"},
		Correction: report.Correction{Method: "intended", Source: "the schedule"},
		Counts: report.Counts{
			Planned: ptr(uint64(200)), Scheduled: 200, Fired: 200, Sent: 200, OK: 200, Attempts: 200, AttemptsSent: 200,
			Errors: map[string]uint64{}, Timeouts: map[string]uint64{}, Status: map[string]uint64{"200": 200},
			ConnectionsOpened: ptr(uint64(1)), MaxConnections: ptr(1), MaxBacklog: ptr(24), LateAnswers: ptr(uint64(10)),
		},
		Rate: &report.Rate{Asked: 12.5, Offered: 12.4998},
		Latency: report.Latency{
			Corrected: corrected, Raw: raw, ClosedLoop: raw, CorrectedOK: corrected, LessLag: corrected, Settled: corrected,
			Lag: dist(200, time.Microsecond, time.Millisecond), Wait: dist(200, 0, 1890*time.Millisecond),
		},
		Series: []report.Window{{At: 0, Width: 100 * time.Millisecond, Scheduled: 2, Sent: 2, OK: 2, CorrectedMax: ptr(50 * time.Millisecond), CorrectedP99: ptr(50 * time.Millisecond), RawP99: ptr(50 * time.Millisecond)}},
		SLA: []report.Rule{{
			Rule: "p99<500ms", ValueNS: ptr(1940 * time.Millisecond), Over: ptr(uint64(50)), Allowed: ptr(uint64(2)), Of: 200, Episodes: ptr(uint64(1)),
			RawValueNS: ptr(50 * time.Millisecond), RawPass: ptr(true), ClosedPass: ptr(true), ClosedNS: ptr(50 * time.Millisecond), Flipped: true, Outcome: "fail",
		}},
		Peaks:   peaks(),
		Flow:    &report.Flow{Width: 10 * time.Millisecond, Scheduled: []uint64{1, 0}, Sent: []uint64{1, 0}, Ended: []uint64{0, 1}, Lag: []time.Duration{1000, 0}, Late: []time.Duration{0, 0}},
		Heat:    &report.Heat{Width: 10 * time.Millisecond, Corrected: []string{""}, Raw: []string{"HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMAALiQJ1"}, Failed: []uint64{0}},
		Worst:   []report.Operation{{Seq: 149, Intended: ptr(11920 * time.Millisecond), Took: 2 * time.Second, Attempts: 1, Class: "ok", Status: 200, Phases: map[string]time.Duration{"first_byte": 2 * time.Second}}},
		Verdict: "fail",
		Reasons: []report.Reason{{Code: "rule_broken", Text: "p99<500ms is broken"}},
		Notes:   []report.Reason{},
	}
}

// failing is a run whose 99th percentile falls among its failures.
func failing() *report.Report {
	r := lab()
	r.Counts.OK, r.Counts.BadStatus, r.Counts.TimedOut, r.Counts.Unfinished = 150, 20, 20, 2
	r.Counts.Errors = map[string]uint64{"refused": 5, "stale_connection": 3}
	r.Counts.Timeouts = map[string]uint64{"timeout": 12, "connect_timeout": 1, "deadline": 7}
	r.Counts.Status = map[string]uint64{"200": 150, "503": 20}
	r.Latency.Corrected = &report.Dist{N: 200, Failed: 50, Min: ptr(time.Millisecond), P50: ptr(time.Second)}
	r.Latency.ClosedLoop = nil
	r.SLA[0].ValueNS, r.SLA[0].RawValueNS = nil, nil
	r.SLA = append(r.SLA, report.Rule{Rule: "errors<1%", Outcome: "fail", Value: ptr(0.25), Over: ptr(uint64(50)), Allowed: ptr(uint64(1)), Of: 200})
	r.Series[0].CorrectedMax, r.Series[0].CorrectedP99, r.Series[0].RawP99, r.Series[0].OK = nil, nil, nil, 0
	r.Notes = []report.Reason{{Code: "no_steady_state", Text: "no steady state"}}
	return r
}

// unknown is a file of which nothing is known.
func unknown() *report.Report {
	return &report.Report{
		Schema: report.Schema, Plan: report.Plan{Model: "file"}, Correction: report.Correction{Method: "none"}, Verdict: "none",
		Counts:  report.Counts{Errors: map[string]uint64{}, Timeouts: map[string]uint64{}, Status: map[string]uint64{}},
		Series:  []report.Window{},
		SLA:     []report.Rule{{Rule: "p99<1s", Outcome: "invalid"}},
		Reasons: []report.Reason{}, Notes: []report.Reason{},
	}
}

// closedLoop is a paced closed loop, with a pause after each answer.
func closedLoop() *report.Report {
	r := lab()
	r.Plan.Model, r.Plan.Closed = "closed", &report.Closed{Rate: "12.5/s", Think: time.Second, Skipped: 24}
	r.Schedule, r.Rate = nil, nil
	r.Correction = report.Correction{Method: "none", Source: "a closed loop has no intended times"}
	r.Latency = report.Latency{Raw: r.Latency.Raw, Lag: r.Latency.Lag, Wait: r.Latency.Wait}
	r.SLA[0] = report.Rule{Rule: "raw.p99<500ms", ValueNS: ptr(50 * time.Millisecond), Of: 200, Pass: true, Outcome: "pass"}
	r.Series, r.Verdict, r.Reasons = []report.Window{}, "pass", []report.Reason{}
	return r
}
