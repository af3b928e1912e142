// Package plan holds everything that is decided before a run: what is sent, when,
// within which limits, and how the outcome is judged. A [Plan] is plain data; Check
// names everything that is wrong with it at once.
package plan
