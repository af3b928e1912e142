package request

// Files of targets are vegeta's, in both of its formats, so that those that exist can be
// used and those written here can be used elsewhere. Names and weights stand where
// vegeta does not look: in a comment, and in properties of their own.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FileOptions are what a file of targets leaves to its reader.
type FileOptions struct {
	Format string // http or json; "": by content
	Header []Field
	Body   []byte // of those that have none
	Plain  bool   // URLs and the like are final: check them. Else they may be templates

	// Open reads the file that a body refers to with @NAME.
	Open func(name string) ([]byte, error)
}

// mostProblems is how many errors of one file are told.
const mostProblems = 10

// ReadTargets reads a file of targets. The http format is
//
//	# name=checkout weight=3
//	POST http://127.0.0.1:8080/checkout
//	Content-Type: application/json
//	@body.json
//
// with an empty line between two of them; the json format is an object a line with
// method, url, header (values by name, in the order in which they are sent), body in
// base64, name and weight. The errors name their lines.
func ReadTargets(r io.Reader, opt FileOptions) ([]Item, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	format := opt.Format
	if format == "" {
		format = sniff(in)
	}
	read := map[string]func(*fileReader){"http": (*fileReader).http, "json": (*fileReader).json}[format]
	if read == nil {
		return nil, fmt.Errorf("%q is no format of targets; write http or json", format)
	}
	f := &fileReader{FileOptions: opt, in: in, named: map[string]int{}}
	read(f)
	if len(f.items) == 0 && len(f.problems) == 0 {
		return nil, errors.New("no target in it; write 'GET http://127.0.0.1:8080/' on a line")
	}
	return f.items, f.err()
}

// sniff tells JSON by its first character.
func sniff(in *bufio.Reader) string {
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		if err != nil {
			return "http"
		}
		switch b[n-1] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return "json"
		default:
			return "http"
		}
	}
}

type fileReader struct {
	FileOptions
	in       *bufio.Reader
	line     int
	items    []Item
	named    map[string]int // where each name was given
	problems []problem
}

// A problem is what is wrong with a line.
type problem struct {
	line int
	err  error
}

// err is all that is wrong, in order of the lines.
func (f *fileReader) err() error {
	slices.SortStableFunc(f.problems, func(a, b problem) int { return a.line - b.line })
	var all []error
	for i, p := range f.problems {
		if i == mostProblems {
			all = append(all, fmt.Errorf("and %d more", len(f.problems)-mostProblems))
			break
		}
		for text := range strings.SplitSeq(p.err.Error(), "\n") {
			all = append(all, fmt.Errorf("line %d: %s", p.line, text))
		}
	}
	return errors.Join(all...)
}

// complain notes what is wrong, at the line given.
func (f *fileReader) complain(line int, err error) {
	if err != nil {
		f.problems = append(f.problems, problem{line, err})
	}
}

// next returns the next line without the space around it; ok is false at the end.
func (f *fileReader) next() (line string, ok bool) {
	raw, err := f.in.ReadString('\n')
	if err != nil && err != io.EOF {
		f.complain(f.line, err)
		return "", false
	}
	if raw == "" {
		return "", false
	}
	f.line++
	return strings.TrimSpace(raw), true
}

// add takes a target that began at the line given.
func (f *fileReader) add(it Item, line int) {
	it.Line = line
	if first, taken := f.named[it.Name]; taken {
		f.complain(line, NameTaken(it.Name, first))
	} else if it.Name != "" {
		f.named[it.Name] = line
	}
	if len(it.Body) == 0 {
		it.Body = f.Body
	}
	for _, h := range f.Header {
		if _, own := it.Get(h.Name); !own {
			it.Header = append(it.Header, h)
		}
	}
	if f.Plain {
		if err := it.Check(); err != nil {
			f.complain(line, err)
			return
		}
	}
	f.items = append(f.items, it)
	if len(f.items) > mostItems {
		f.complain(line, fmt.Errorf("more than %d targets", mostItems))
		f.in.Reset(strings.NewReader(""))
	}
}

// NameTaken is the error of a name that another request has, which begins in the line
// given: the report and rules would take the two for one, most likely by a slip.
func NameTaken(name string, line int) error {
	return fmt.Errorf("the name %q is taken by the request in line %d, and a report could not tell the two apart; give each its own name, or none", name, line)
}

var (
	methodLine = regexp.MustCompile(`^([A-Z]+)[ \t]+(\S.*)$`)
	nameWord   = regexp.MustCompile(`^#[ \t]*(name|weight)=`)
)

// http reads vegeta's http format.
func (f *fileReader) http() {
	var it Item
	began := 0 // the line of the target that is being read; 0: none
	var about Item
	end := func() {
		if began > 0 {
			f.add(it, began)
		}
		it, began = Item{}, 0
	}
	for {
		line, ok := f.next()
		if !ok {
			break
		}
		switch m := methodLine.FindStringSubmatch(line); {
		case line == "":
			end()
		case strings.HasPrefix(line, "#"):
			if nameWord.MatchString(line) {
				end()
				f.complain(f.line, about.describe(strings.TrimSpace(line[1:])))
			}
		case m != nil && strings.Contains(m[2], "://") || began == 0:
			end()
			began, it, about = f.line, about, Item{}
			if m == nil {
				f.complain(f.line, fmt.Errorf("%q is no target; write a method and a URL, as in 'GET http://127.0.0.1:8080/'", clip(line)))
				began = 0
				continue
			}
			it.Method, it.URL = m[1], m[2]
		case strings.HasPrefix(line, "@"):
			f.body(&it, line[1:])
			end()
		default:
			h, err := ParseField(line)
			if err != nil {
				f.complain(f.line, err)
				continue
			}
			it.Header = append(it.Header, h)
		}
	}
	end()
}

// clip is the first word of what may be anything, without what may be a secret.
func clip(s string) string {
	first, _, more := strings.Cut(s, " ")
	word := RedactURL(first)
	if !strings.Contains(first, "://") {
		word = firstToken(first)
		more = more || word != first
	}
	if len(word) > 40 {
		word, more = word[:40], true
	}
	if more {
		word += "..."
	}
	return word
}

// describe reads "name=a b weight=3".
func (it *Item) describe(text string) error {
	if i := strings.LastIndex(text, "weight="); i == 0 || i > 0 && text[i-1] == ' ' {
		n, err := strconv.Atoi(text[i+len("weight="):])
		if err != nil || n < 1 {
			return fmt.Errorf("weight=%s: write a whole number from 1 on", clip(text[i+len("weight="):]))
		}
		it.Weight = n
		text = strings.TrimSpace(text[:i])
	}
	if name, ok := strings.CutPrefix(text, "name="); ok {
		it.Name = name
	} else if text != "" {
		return fmt.Errorf("%q before weight=; write name=checkout weight=3", clip(text))
	}
	return nil
}

// body reads the file that a target's body is in.
func (f *fileReader) body(it *Item, name string) {
	if f.Open == nil {
		f.complain(f.line, fmt.Errorf("a body in a file (@%s) cannot be read here", name))
		return
	}
	var err error
	if it.Body, err = f.Open(name); err != nil {
		f.complain(f.line, fmt.Errorf("body @%s: %w", name, err))
	}
}
