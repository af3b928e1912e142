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
//	service=50ms limit=20 reject=429             twenty in the server, the others are turned away
//	errors=100% layers=3 attempts=3              three callers before it that each try three times
//	errors=100% layers=3 attempts=3 budget=20%   of what is asked of each, it repeats a fifth at most
//
// The model has two faces. The simulator calls Serve in virtual time; [Server]
// is the same model behind HTTP/1.1 on a real listener. Both keep a [Ledger] of who
// came, what was done, and what was done twice.
//
// Limits: time is in whole nanoseconds, of which a model counts 2⁶² (146
// years); an answer later than that comes at that instant, which stands for
// never. A Spec has one queue, first come, first served. Chance is used for
// errors=, close= and status= alone. Layers try again at once, whatever the
// answer asks; a budget has no reserve and forgets nothing, and what is asked pays in
// when it is answered. Of those that do so at one instant the real server takes any
// first, the simulated one that of the lowest number. A client that pipelines
// requests over one connection gets its answers in bunches.
package lab
