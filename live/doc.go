// Package live is the portable World: real connections and the machine's clock. A
// goroutine owns each connection and makes one exchange at a time on it; a single
// loop, the engine's, hands out the shots and takes the answers.
//
// Connections are opened by need and within bounds, and closed when they cannot be
// used again, or at the end. At most [MaxDials] dials are under way to a host, each for
// a shot that was fired and found no idle connection; and at most as many beside the shots,
// so that all addresses of a name have their share: see [Places]. Where there are several hosts each
// has a pool of its own, and what one of them does is nothing to the others.
//
// No shot is tied to its dial: it takes what comes first, that connection, another, or
// one that becomes free; a dial that fails fails the shot that has waited longest. All
// other shots wait in the engine's backlog.
//
// Nothing here knows HTTP, and nothing allocates once the connections are open. One
// World makes one run, with at most as many attempts out as it has connections.
package live
