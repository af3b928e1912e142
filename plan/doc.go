// Package plan holds everything that is decided before a run: what is sent, when,
// within which limits, and how the outcome is judged. A [Plan] is plain data; Check
// names everything that is wrong with it at once.
//
// A plan file, YAML or JSON, says what flags say. [Read] turns it into a [File]: for each
// flag the words that it would be given, with their places, so that a mistake is shown
// with its line. There is no second list of keys: a [Key] is made of a flag by [KeyOf],
// and is its variable (OPENLOAD_RATE) and its line of the JSON Schema as well.
//
//	url: http://127.0.0.1:8080/
//	phases:
//	  - {name: warm-up, rate: 10..50, duration: 10s, warmup: true}
//	  - {name: steady, rate: 50, duration: 1m}
//	  - {pause: 5s}
//	timeout: 2s
//	headers: {Authorization: Bearer ...}
//	retry: {attempts: 3, backoff: exponential, base: 500ms}
//	sla: [p99<500ms, errors<0.1%]
//	outputs: [text, json=report.json]
//
// Files that a plan names are sought where the program runs, as those of flags are.
// [Lint] judges a plan by the rules of sound test design.
package plan
