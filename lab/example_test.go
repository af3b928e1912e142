package lab_test

import (
	"fmt"
	"time"

	"openload/lab"
)

// One request takes 2 s; those that come every 80 ms behind it wait as well.
func ExampleParse() {
	spec, err := lab.Parse("service=50ms stall=3:2s")
	if err != nil {
		panic(err)
	}
	server := spec.Model(nil)
	for i := range 6 {
		at := time.Duration(i) * 80 * time.Millisecond
		fmt.Println(server.Serve(at).At - at)
	}
	// Output:
	// 50ms
	// 50ms
	// 2s
	// 1.97s
	// 1.94s
	// 1.91s
}
