package source

import "bytes"

// maxColumns bounds the columns that are looked at. JMeter has 22 and then one a
// user variable.
const maxColumns = 512

// split cuts a record at delim into dst, unquoting in place where quotes stand,
// and returns the fields. More than cap(dst) are left out, so that what isn't
// needed isn't looked at.
func split(rec []byte, delim byte, quoted bool, dst [][]byte) [][]byte {
	dst = dst[:0]
	if !quoted {
		for len(dst) < cap(dst) {
			i := bytes.IndexByte(rec, delim)
			if i < 0 {
				return append(dst, trim(rec))
			}
			dst = append(dst, trim(rec[:i]))
			rec = rec[i+1:]
		}
		return dst
	}
	for len(dst) < cap(dst) {
		rec = trimLeft(rec)
		if len(rec) > 0 && rec[0] == '"' {
			field, rest := unquote(rec)
			dst = append(dst, field)
			i := bytes.IndexByte(rest, delim)
			if i < 0 {
				return dst
			}
			rec = rest[i+1:]
			continue
		}
		i := bytes.IndexByte(rec, delim)
		if i < 0 {
			return append(dst, trim(rec))
		}
		dst = append(dst, trim(rec[:i]))
		rec = rec[i+1:]
	}
	return dst
}

// unquote reads the quoted field at the beginning of b, writing over b where
// quotes are doubled, and returns it with what follows it.
func unquote(b []byte) (field, rest []byte) {
	w := 1
	for r := 1; r < len(b); r++ {
		if b[r] == '"' {
			if r+1 == len(b) || b[r+1] != '"' {
				return b[1:w], b[r+1:]
			}
			r++
		}
		b[w] = b[r]
		w++
	}
	return b[1:w], nil
}

// trim drops spaces around a field, which people add by hand.
func trim(b []byte) []byte {
	b = trimLeft(b)
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

func trimLeft(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	return b
}

// A table is a delimited file whose columns have names.
type table struct {
	delim  byte
	names  []string
	header []byte   // as it stands in the file: it comes again where outputs were joined
	fields [][]byte // of the record at hand
}

// columns reads the names from a header record.
func columns(rec []byte, quoted bool, delim byte) *table {
	t := &table{delim: delim, header: bytes.Clone(rec)}
	for _, name := range split(bytes.Clone(rec), delim, quoted, make([][]byte, 0, maxColumns)) {
		t.names = append(t.names, string(name))
	}
	t.fields = make([][]byte, 0, len(t.names)+1)
	return t
}

// find returns the place of the column, -1 if there is none.
func (t *table) find(name string) int {
	for i, n := range t.names {
		if n == name {
			return i
		}
	}
	return -1
}

// read cuts a record into t.fields, and reports whether it is as wide as the header.
func (t *table) read(rec []byte, quoted bool) bool {
	t.fields = split(rec, t.delim, quoted, t.fields)
	return len(t.fields) == len(t.names)
}

// at returns the field in column i, nothing if there is no such column.
func (t *table) at(i int) []byte {
	if i < 0 || i >= len(t.fields) {
		return nil
	}
	return t.fields[i]
}

// delimiter returns the one of the usual delimiters that splits line into a field
// of the given name; 0 if none does.
func delimiter(line []byte, name string) byte {
	quoted := bytes.IndexByte(line, '"') >= 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		if bytes.IndexByte(line, d) < 0 {
			continue
		}
		for _, f := range split(bytes.Clone(line), d, quoted, make([][]byte, 0, maxColumns)) {
			if string(f) == name {
				return d
			}
		}
	}
	return 0
}
