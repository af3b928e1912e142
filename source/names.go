package source

// A file may name a label or worker in every row. A row carries a number, and
// the table of names is bounded: ids in URLs make as many labels as rows.
const (
	maxNames   = 1 << 16
	maxNameLen = 256
)

// names numbers the distinct strings of a file, from 0.
type names struct {
	ids  map[string]int32
	list []string
	full bool // a name was left out
}

// id returns the number of name; NoName for an empty one and when the table is full.
func (n *names) id(name []byte) int32 {
	if len(name) == 0 {
		return NoName
	}
	if len(name) > maxNameLen {
		name = name[:maxNameLen]
	}
	if id, ok := n.ids[string(name)]; ok {
		return id
	}
	if len(n.list) >= maxNames {
		n.full = true
		return NoName
	}
	if n.ids == nil {
		n.ids = map[string]int32{}
	}
	s := string(name)
	id := int32(len(n.list))
	n.ids[s] = id
	n.list = append(n.list, s)
	return id
}
