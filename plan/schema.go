package plan

import (
	"bytes"
	"encoding/json"
	"strings"
)

type object = map[string]any

// Schema is the JSON Schema of a plan file with these keys, for editors.
func Schema(keys []Key) []byte {
	properties := object{"$schema": object{"type": "string", "description": "Where this schema is."}}
	for _, k := range keys {
		s := k.schema()
		s["description"] = k.describe()
		properties[k.Name] = s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	// Maps of strings, numbers and lists always encode.
	_ = e.Encode(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "openload plan",
		"type": "object", "additionalProperties": false, "properties": properties,
	})
	return b.Bytes()
}

// describe is what the key means, and the other ways to say it.
func (k Key) describe() string {
	text := strings.ReplaceAll(strings.ReplaceAll(k.Doc, "%%", "%"), "Repeatable", "A list")
	if k.Default != "" && k.Default != "0" && k.Form != Switch {
		text += " Default: " + k.Default + "."
	}
	if k.Flag != "" && k.Form != Sections {
		text += " Also: --" + k.Flag + ", " + k.Env() + "."
	}
	return text
}

// A word is what one value may be: rate: 50 is a number to YAML.
func wordSchema() object { return object{"type": []string{"string", "number"}} }

// timeSchema is a duration as time.ParseDuration reads it.
func timeSchema() object {
	return object{"type": "string", "pattern": `^\+?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)$`}
}

func anyOf(of ...object) object { return object{"anyOf": of} }

func listOf(item object) object { return object{"type": "array", "items": item} }

func (k Key) schema() object {
	if len(k.Enum) > 0 {
		return object{"enum": k.Enum}
	}
	switch k.Form {
	case Integer:
		return object{"type": "integer", "minimum": 0}
	case Number:
		return object{"type": "number"}
	case Switch:
		return object{"type": "boolean"}
	case Time:
		s := timeSchema()
		s["examples"] = []string{"500ms", "30s", "2m"}
		return s
	case List:
		return anyOf(wordSchema(), listOf(wordSchema()))
	case Pairs:
		value := object{"type": []string{"string", "number", "boolean"}}
		return anyOf(wordSchema(), object{"type": "object", "additionalProperties": anyOf(value, listOf(value))})
	case Headers:
		named := object{"type": "object", "additionalProperties": anyOf(wordSchema(), listOf(wordSchema()))}
		return anyOf(named, object{"type": "string"}, listOf(anyOf(object{"type": "string"}, named)))
	case Phases:
		one := anyOf(object{"type": "string"}, phaseSchema())
		return anyOf(one, listOf(one))
	case Sections:
		return k.Of
	}
	return wordSchema()
}

func phaseSchema() object {
	return object{
		"type": "object", "additionalProperties": false,
		"anyOf": []object{{"required": []string{"rate", "duration"}}, {"required": []string{"pause"}}},
		"properties": object{
			"name":     object{"type": []string{"string", "number"}, "description": "What the report calls it.", "pattern": "^[^:]*$"},
			"rate":     object{"type": []string{"string", "number"}, "description": "Requests per second: 50, or a ramp 10..200."},
			"duration": described(timeSchema(), "How long it is."),
			"pause":    described(timeSchema(), "How long nothing is sent, in place of rate and duration."),
			"warmup":   object{"type": "boolean", "description": "Whether it is kept out of what is judged."},
		},
	}
}

func described(s object, text string) object {
	s["description"] = text
	return s
}
