// Package stats says how much a sample can show: exact answers from the binomial
// distribution and from permutations, without approximations by the normal one.
//
// A percentile's limit is a claim about a share: "p99 is below 500 ms" says that at
// most 1 % of all operations take 500 ms or more. Of n operations, K did; K is
// binomial if they are independent of each other. [Proves] and [Disproves] test the
// claim, [Needed] says how many operations it takes, and [RankCI] turns the question
// round and bounds the percentile itself.
//
// Whether two sides differ is for [Permutation] to say, exactly, with runs as its unit.
//
// Limits: sound for n up to 1e9, where one answer takes a few milliseconds and a
// bound some tens of them. Independence is the caller's to doubt: fifty slow
// operations of one stall are one event, not fifty.
package stats
