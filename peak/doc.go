// Package peak tells how many arrivals came at once, for every idea of "at once".
//
// Its noun is the [Curve]: the greatest number of arrivals within a width, against
// the width, from 1 ms to 10 s. One width alone misleads. A wave that is spread over
// half a second shows a quarter of its height in bins of 100 ms and all of it in bins
// of a second, so "3.7 times lower" is a property of the bin as much as of the wave.
// [Effect] says which width is fit to show a spread, and [Curve.Wave] finds the
// wave itself.
//
// Two readings stand beside each other. A sliding window may begin anywhere: it is
// for judging. Aligned bins begin at multiples of their width from the launch: they
// are for plots, and a wave that falls across two of them loses up to half of its
// height.
//
// [Of] is exact for instants in a slice. A [Stream] takes instants as they come, in
// tenths of a millisecond and bounded memory.
//
// Limits: instants are offsets from the launch. A Stream takes those before it for at
// it, and leaves out arrivals that it is told of when there were others [Reach] later;
// it counts them.
package peak
