// Package lab is a server that misbehaves on purpose: it stalls, freezes,
// fails, hangs up or slows down at a moment that is known beforehand, so that
// what a load generator reports about it can be checked to the nanosecond.
//
// It makes one noun, the [Model]: requests in, in order of arrival, answers
// out. A [Spec] describes one in a line of text:
//
//	service=50ms stall=150:2s                    one queue, the 150th request takes 2 s in total
//	service=50ms workers=4 freeze=11920ms:2s     four workers, nobody works for 2 s
//	capacity=60/s until=120s then=100/s          a server that recovers
//
// The model has two faces. The simulator calls Serve in virtual time; [Server]
// is the same model behind HTTP/1.1 on a real listener.
//
// Limits: time is in whole nanoseconds, of which a model counts 2⁶² (146
// years); an answer later than that comes at that instant, which stands for
// never. A Spec has one queue, first come, first served. Chance is used for
// errors= and close= alone. A client that pipelines requests over one
// connection gets its answers in bunches.
package lab
