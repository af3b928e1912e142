package lab

// A line is a queue in memory: values go in at its end and come out at its front. It
// takes up to twice what is in it, and nothing for what has left.
type line[T any] struct {
	values []T
	first  int // those before it have left
}

func (l *line[T]) len() int { return len(l.values) - l.first }
func (l *line[T]) front() T { return l.values[l.first] }
func (l *line[T]) back() T  { return l.values[len(l.values)-1] }

func (l *line[T]) push(v T) {
	if len(l.values) == cap(l.values) && l.first > len(l.values)/2 {
		l.values = l.values[:copy(l.values, l.values[l.first:])]
		l.first = 0
	}
	l.values = append(l.values, v)
}

func (l *line[T]) pop() {
	if l.first++; l.first == len(l.values) {
		l.values, l.first = l.values[:0], 0
	}
}
