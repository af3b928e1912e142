package source

// A fault is what is wrong with a record: a field, its text, and why. Without a
// reason there is none.
type fault struct {
	field string
	text  []byte
	why   problem
}

var fine fault

// A reader reads one record into r, which is blank but for its Line. It returns
// false for a record that isn't wanted, a fault for one that can't be read.
type reader func(rec []byte, quoted bool, r *Row) (bool, fault)

// lines makes a format's rows of a reader of lines.
func (f *File) lines(read reader) func(yield func(*Row) bool) error {
	return func(yield func(*Row) bool) error {
		return f.each(yield, read, func() ([]byte, bool, bool) {
			line, ok := f.s.next()
			return line, false, ok
		})
	}
}

// records makes a format's rows of a reader of records, in which quoted fields
// may hold line breaks.
func (f *File) records(read reader) func(yield func(*Row) bool) error {
	return func(yield func(*Row) bool) error {
		return f.each(yield, read, f.s.record)
	}
}

func (f *File) each(yield func(*Row) bool, read reader, next func() ([]byte, bool, bool)) error {
	var r Row
	for {
		rec, quoted, ok := next()
		if !ok {
			return nil
		}
		if len(rec) == 0 {
			continue
		}
		r = blank
		r.Line = f.s.first
		use, wrong := read(rec, quoted, &r)
		if wrong.why != "" {
			if err := f.bad(wrong.field, wrong.text, wrong.why); err != nil {
				return err
			}
			continue
		}
		if use && !f.emit(&r, yield) {
			return errStop
		}
	}
}
