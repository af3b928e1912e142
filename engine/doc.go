// Package engine fires a schedule into a [World] and hands every answer on.
//
// It is one short loop without a clock, a socket or a goroutine: wait for an answer
// until the next thing is due; if one came, record it and ask the retry policy;
// otherwise fire what is due. The in-flight cap, the backlog and its shedding,
// deadlines and retries live here, so a simulated run has them just as a live one.
// Responses never move a due time, and never delay a send.
//
// Several loops may make one run together: each has its share of the schedule and of the
// [Limits], and a World of its own; [Common] is all that they know of each other.
//
// [RunClosed] is the other loop, the one that load tests usually run: each worker
// waits for its answer before it sends again. It is there to show what that hides.
package engine
