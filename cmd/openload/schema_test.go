package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"openload/plan"
)

func planKeys() []plan.Key {
	var g grammar
	return flagKeys(newParser(&g, &layers{}, streams{out: io.Discard, err: io.Discard}).Model)
}

func planSchema(t *testing.T) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plan.Schema(planKeys())))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("plan.json", doc))
	s, err := c.Compile("plan.json")
	require.NoError(t, err)
	return s
}

// asJSON is a YAML text as a validator of JSON takes it.
func asJSON(t *testing.T, text []byte) any {
	var v any
	require.NoError(t, yaml.Load(text, &v))
	b, err := json.Marshal(v)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return doc
}

// Every plan in the repository keeps the schema, and can be read.
func TestPlansKeepTheSchema(t *testing.T) {
	files, err := filepath.Glob("../../plans/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range append(files, "init.yaml") {
		keepsPlanSchema(t, name)
	}
}

func keepsPlanSchema(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, planSchema(t).Validate(asJSON(t, text)), name)
	_, err = plan.Read(name, text, planKeys())
	require.NoError(t, err)
}

// The schema in the repository is the one that the program prints.
func TestTheSchemaOfTheRepository(t *testing.T) {
	const name = "../../plans/openload.schema.json"
	want := plan.Schema(planKeys())
	if *update {
		require.NoError(t, os.WriteFile(name, want, 0o666))
	}
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "a flag is new or has other words: go test ./cmd/openload -run Schema -update")
}

// What an editor accepts is what the program accepts.
func TestTheSchemaAgreesWithTheReader(t *testing.T) {
	s := planSchema(t)
	for text, good := range map[string]bool{
		"rate: 50": true, "rate: 300/m": true, "n: 5": true, "timeout: 1m30s": true, "closed: true": true,
		"sla: p99<1s": true, "sla: [p99<1s, errors<1%]": true, "headers: {A: b, C: [d, 1]}": true, "headers: ['A: b']": true,
		"retry: attempts=3": true, "retry: {attempts: 3, jitter: full}": true, "engine: portable": true, "$schema: x": true,
		"arrival: {population: 30, period: 3s}": true, "reason: because": true,
		"phases: [{rate: 5, duration: 1s}, {pause: 1s}, 'a: 5@1s']": true, "server: {service: 5ms, stall: ['3:2s', '9:1s']}": true,
		"requests: [{url: h, weight: 2}, {url: h, headers: {A: b}}]": true,
		"experiment: {variants: [{name: a, rate: 5}, {name: b}]}":    true,
		"raet: 50": false, "rate: [50]": false, "n: -5": false, "n: many": false, "n: 1.5": false, "timeout: 20": false, "timeout: fast": false, "timeout: -1s": false,
		"closed: maybe": false, "sla: {a: b}": false, "engine: fast": false, "confidence: high": false,
		"phases: [{rate: 5}]": false, "phases: [{rate: 5, duration: 1s, warm: true}]": false, "phases: [{pause: 5}]": false,
	} {
		_, err := plan.Read("p.yaml", []byte(text), planKeys())
		require.Equal(t, good, err == nil, "the reader and %q: %v", text, err)
		err = s.Validate(asJSON(t, []byte(text)))
		require.Equal(t, good, err == nil, "the schema and %q: %v", text, err)
	}
}

// Lists of requests and experiments are read by others than plan.Read.
func TestTheSchemaOfSections(t *testing.T) {
	s := planSchema(t)
	for _, text := range []string{
		"requests: [{name: a}]", "requests: [{url: h, x: 1}]", "requests: [{url: h, weight: 0}]",
		"experiment: {variants: [{name: a}]}", "experiment: {repeats: 3}", "experiment: {repeat: 3, variants: [{name: a}, {name: b}]}",
	} {
		require.Error(t, s.Validate(asJSON(t, []byte(text))), text)
	}
}

// One table: a key is a flag and a variable, and says so.
func TestKeysAreFlags(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range planKeys() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		require.NotEmpty(t, k.Doc, k.Name)
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, k.Name)
		require.Regexp(t, `^OPENLOAD_[A-Z0-9_]+$`, k.Env())
	}
	for _, name := range []string{"url", "rate", "n", "duration", "arrival", "seed", "connections", "timeout", "connect_timeout", "deadline", "drain", "retry", "sla", "expect_status", "headers", "body", "method", "outputs", "phases", "warmup", "server", "closed", "reason"} {
		require.True(t, seen[name], name)
	}
}
