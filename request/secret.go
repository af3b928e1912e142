package request

// Secret reports whether what goes by that name should not be shown: a header, a query
// parameter, a flag.
func Secret(name string) bool { return secret(name) }
