package lab

// distance returns how many letters have to be put in, left out or changed to
// make one word of the other (Levenshtein's distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a[:i] to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
