// Package nearest guesses what was meant by a mistyped word.
package nearest

import "strings"

// Of is the word that differs from typed, capitals aside, by the fewest letters
// inserted, deleted, replaced or swapped with their neighbour; "" if even that differs
// by more than two, or by more than about a third of the longer, or shares nothing with
// it: then it is no typing error.
func Of(typed string, words []string) string {
	best, least := "", 3
	for _, w := range words {
		a, b := []rune(strings.ToLower(typed)), []rune(strings.ToLower(w))
		if d := distance(a, b); d < least && d < len(b) && d <= (max(len(a), len(b))+1)/3 {
			best, least = w, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap to make b
// from a. Source: the optimal string alignment distance, Damerau (1964).
func distance(a, b []rune) int {
	var before []int
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
