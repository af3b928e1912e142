// Package sla reads rules and judges a run by them: [Parse] makes a [Rule], [Judge]
// makes a [Verdict].
//
// The verdict is about the server, so it must not hang on the generator. A rule
// passes if it holds with our own lateness counted in, and fails if it is broken with
// our lateness taken out; in between the generator decided, and the run is invalid.
// Limits are compared with exact counts of operations, not with rounded percentiles:
// p99 of 200 operations is below the limit if at most 2 of them are not.
//
// Limits: operations are taken one by one. Where many of them are slow for one cause,
// they are one event, and a confidence says more than it knows; the verdict notes it.
package sla
