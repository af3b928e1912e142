package lab

import (
	"strconv"
	"strings"
	"time"
)

// Limits of a journal: 100,000 arrivals take 20 MB at the very most.
const (
	mostArrivals = 100_000
	mostName     = 64 // bytes of an operation or key that are kept
)

// A journal is the list of who came, in order of arrival and up to the limit.
type journal []arrival

// An arrival is a request as it came in.
type arrival struct {
	at             time.Duration // since the start or reset
	operation, key string        // as the client gave them, "" if it did not
	attempt        int           // 0 if it gave none
}

func (j *journal) add(at time.Duration, operation, key []byte, attempt int) {
	if len(*j) < mostArrivals {
		*j = append(*j, arrival{at, kept(operation), kept(key), attempt})
	}
}

func kept(name []byte) string { return string(name[:min(len(name), mostName)]) }

// csv is the journal as text, a line for each arrival.
func (j journal) csv() []byte {
	text := []byte("at_ns,operation,attempt,key\n")
	for _, a := range j {
		attempt := ""
		if a.attempt > 0 {
			attempt = strconv.Itoa(a.attempt)
		}
		line := []string{strconv.FormatInt(int64(a.at), 10), quoted(a.operation), attempt, quoted(a.key)}
		text = append(append(text, strings.Join(line, ",")...), '\n')
	}
	return text
}

// quoted is a field of CSV, in quotes where it needs them.
func quoted(field string) string {
	if !strings.ContainsAny(field, ",\"\r\n") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}
