package main

import (
	"os"
	"strings"
)

// utf8Locale reports whether the environment asks for UTF-8. With nothing set at
// all, as in most CI jobs, it does: their logs are UTF-8.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
