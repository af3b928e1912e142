// Package schedule decides when: before the run it fixes the instant of every
// operation, so that no response can move one.
//
// Its noun is the [Arrival]: a place in the run's order and an offset from the
// run's epoch. A [Spec] describes a schedule and opens it; a [Schedule] yields
// it. Two independent choices make one:
//
//   - the [Shape] says how many arrivals per second are offered at each
//     instant: a constant [Rate], a ramp, or stages of both;
//   - the [Law] says how single arrivals fall within that: evenly, by chance,
//     or in bursts.
//
// A population needs no shape: its clients come back every period, together or
// each with a jitter of its own.
//
// A law places arrivals on a line on which one is expected per unit of length;
// the inverse of the shape's integral turns places into instants. So any law
// goes with any shape.
//
// At a constant rate arrival k is at k/rate in exact arithmetic, rounded once
// to the nearest nanosecond; with a duration there are floor(rate × duration)
// of them. A [Recording] is a schedule read back from a file, and a [Shard] is a
// loop's or machine's part of one.
//
// Limits: instants are whole nanoseconds and reach 292 years; rates lie between
// 1e-9 and 1e9 per second; a shape has at most 1,000 stages. Nothing here looks
// at a clock, and chance comes in as a generator.
package schedule
