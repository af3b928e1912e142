package plan

import (
	"strings"

	"openload/request"
)

// ShownRetry is the text of a retry policy without the secrets of the path that it asks.
func ShownRetry(policy string) string {
	fields := strings.Fields(policy)
	for i, field := range fields {
		if path, ok := strings.CutPrefix(field, "unknown=query:"); ok {
			fields[i] = "unknown=query:" + request.RedactURL(path)
		}
	}
	return strings.Join(fields, " ")
}
