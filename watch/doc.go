// Package watch shows how a run stands while it goes on: percentiles in which operations
// that still wait are counted with the time that they have waited so far, the budget of
// each rule, and our own lag. A live view of finished operations alone would leave out
// just those that matter while a server stands still.
package watch
