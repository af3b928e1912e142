package source_test

import (
	"errors"
	"fmt"
	"strings"

	"openload/source"
)

func ExampleOpen() {
	const heyCSV = `response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
0.0503,0.0021,0.0000,0.0001,0.0480,0.0001,200,0.0027
2.0004,0.0000,0.0000,0.0001,2.0001,0.0001,200,0.0831
0.0501,0.0000,0.0000,0.0001,0.0499,0.0001,503,2.0836
`
	f, err := source.Open(strings.NewReader(heyCSV), source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Format, f.Facts.Pacing)
	for r := range f.Rows() {
		fmt.Println(r.Start, r.Latency, r.Status, r.Class)
	}
	fmt.Println(f.Err())
	// Output:
	// hey CSV skips
	// 0s 50.3ms 200 ok
	// 80.4ms 2.0004s 200 ok
	// 2.0809s 50.1ms 503 bad_status
	// <nil>
}

// A summary is answered with the file that would do.
func ExampleRefusal() {
	_, err := source.Open(strings.NewReader("Percentage served,Time in ms\n0,2.304\n"), source.Options{})
	var no *source.Refusal
	fmt.Println(errors.As(err, &no))
	fmt.Println(err)
	// Output:
	// true
	// ab -e percentiles: a hundred points of a distribution, without counts; use the file of ab -g
}
