// Package experiment compares variants of a plan: each is run several times, in turn
// with the others, and what differs is told from what chance does to single runs.
//
// A [Spec] is the experiment section of a plan file: variants that say some keys of the
// plan anew, repeats, hooks, and what is measured. [Run] makes the runs and yields a
// [Result]: per-run values, medians, and for every pair of variants the exact p-value of
// a permutation test whose unit is the run.
//
// A run counts only if there is reason to believe it: the target saw traffic, the outcome
// that the experiment is about came at least once, as many requests arrived as were
// written, and the sends were punctual enough for the width at which peaks are counted.
// A variant with a run that does not count is INVALID and has no numbers.
//
// Round r begins with variant r and goes on in order, so that no variant always comes
// first. All variants of a round have the same seed, one more than the round before.
package experiment
