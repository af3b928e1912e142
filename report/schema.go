package report

import _ "embed"

// SchemaJSON is the JSON Schema (2020-12) of the document that a [Report] is, for
// those who read it elsewhere. It allows properties that it does not name, because
// version 1 may still grow; what we write today has none.
//
//go:embed schema.json
var SchemaJSON string
