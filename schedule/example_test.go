package schedule_test

import (
	"fmt"
	"time"

	"openload/schedule"
)

// Twelve arrivals a minute for half a minute, then a ramp down to nothing.
func Example() {
	shape, err := schedule.ParseShape("12/m@30s,0.2..0@30s", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := schedule.Spec{Shape: shape}
	if err := spec.Check(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec, "->", spec.Planned(nil), "arrivals in", spec.Length(nil))

	arrivals := spec.Open(nil)
	for a, ok := arrivals.Next(); ok; a, ok = arrivals.Next() {
		fmt.Println(a.Seq, a.At.Round(time.Millisecond))
	}
	// Output:
	// even 0.2@30s,0.2..0@30s -> 9 arrivals in 1m0s
	// 0 0s
	// 1 5s
	// 2 10s
	// 3 15s
	// 4 20s
	// 5 25s
	// 6 30s
	// 7 35.505s
	// 8 42.679s
}

// A mistake says what to write instead.
func ExampleSpec_Check() {
	rate, _ := schedule.ParseRate("0.1")
	fmt.Println(schedule.Spec{Shape: schedule.Constant(rate), Duration: 5 * time.Second}.Check())
	// Output:
	// 0.1/s for 5s schedules no arrival: one takes 10s; give a longer duration or a higher rate
}
