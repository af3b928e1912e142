// Package relay takes the recording of a run off the threads that send: what a loop tells
// it writes down in memory of its own, and a goroutine beside it hands it on to whoever
// keeps it, draws it or writes it to a disk. A terminal that is stopped and a disk that is
// full hold up that goroutine, and no request.
//
// Several loops that make one run together have a [Line] each. What they tell is handed
// on merged, as one loop would have told it: in order of time, and arrivals in order of
// the schedule.
package relay
