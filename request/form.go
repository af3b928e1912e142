package request

// Bodies of forms, written as curl writes them.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A Form is the body of a form and its media type.
type Form struct {
	Type string
	Body []byte
}

// Multipart makes multipart/form-data of fields as curl -F takes them:
//
//	name=text   name=@FILE   name=<FILE   with ;type=MIME and ;filename=NAME behind
//
// @FILE is a file that is uploaded, <FILE a text that stands in one. open reads them.
// The boundary must not occur in any field. Source: RFC 7578.
func Multipart(fields []string, boundary string, open func(string) ([]byte, error)) (Form, error) {
	var b strings.Builder
	var problems []error
	for _, text := range fields {
		f, err := parseFormField(text, open)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if strings.Contains(string(f.content), boundary) {
			problems = append(problems, fmt.Errorf("field %s contains the boundary between fields", f.name))
		}
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, escapeForm(f.name))
		if f.file != "" {
			fmt.Fprintf(&b, "; filename=\"%s\"", escapeForm(f.file))
		}
		if f.media != "" {
			b.WriteString("\r\nContent-Type: " + f.media)
		}
		b.WriteString("\r\n\r\n")
		b.Write(f.content)
		b.WriteString("\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return Form{"multipart/form-data; boundary=" + boundary, []byte(b.String())}, errors.Join(problems...)
}

// A formField is one part of multipart/form-data.
type formField struct {
	name, file, media string
	content           []byte
}

func parseFormField(text string, open func(string) ([]byte, error)) (f formField, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return f, errors.New("a field of a form is written name=text, name=@FILE or name=<FILE")
	}
	f.name = name
	value, f.media, f.file = formOptions(value)
	if strings.ContainsAny(f.media, "\r\n") {
		return f, fmt.Errorf("field %s: its type has more than one line", name)
	}
	switch {
	case strings.HasPrefix(value, "@"), strings.HasPrefix(value, "<"):
		upload := value[0] == '@'
		path := strings.Trim(value[1:], `"`)
		if f.content, err = open(path); err != nil {
			return f, fmt.Errorf("field %s: %w", name, err)
		}
		if !upload {
			break
		}
		if f.file == "" {
			f.file = filepath.Base(path)
		}
		if f.media == "" {
			f.media = mediaType(f.file)
		}
	default:
		f.content = []byte(value)
	}
	return f, nil
}

// formOptions takes ;type= and ;filename= off the end of a value.
func formOptions(value string) (rest, media, file string) {
	for {
		i := strings.LastIndexByte(value, ';')
		if i < 0 {
			return value, media, file
		}
		option := strings.TrimLeft(value[i+1:], " ")
		if v, ok := strings.CutPrefix(option, "type="); ok {
			media = v
		} else if v, ok := strings.CutPrefix(option, "filename="); ok {
			file = strings.Trim(v, `"`)
		} else {
			return value, media, file
		}
		value = value[:i]
	}
}

// escapeForm writes a name between quotes. Source: the HTML standard, section
// multipart/form-data.
func escapeForm(s string) string {
	return strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(s)
}

// mediaTypes are those that curl knows by a file's name.
var mediaTypes = map[string]string{
	".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml",
	".txt": "text/plain", ".htm": "text/html", ".html": "text/html", ".pdf": "application/pdf", ".xml": "application/xml",
}

func mediaType(name string) string {
	if m := mediaTypes[strings.ToLower(filepath.Ext(name))]; m != "" {
		return m
	}
	return "application/octet-stream"
}

// URLEncoded makes application/x-www-form-urlencoded of fields as curl --data-urlencode
// takes them: content, =content, name=content, @FILE, name@FILE. What stands behind the
// name is encoded.
func URLEncoded(fields []string, open func(string) ([]byte, error)) (Form, error) {
	var parts []string
	var problems []error
	for _, text := range fields {
		part, err := urlEncoded(text, open)
		if err != nil {
			problems = append(problems, err)
		}
		parts = append(parts, part)
	}
	return Form{urlencodedType, []byte(strings.Join(parts, "&"))}, errors.Join(problems...)
}

const urlencodedType = "application/x-www-form-urlencoded"

func urlEncoded(text string, open func(string) ([]byte, error)) (string, error) {
	i := strings.IndexAny(text, "=@")
	if i < 0 {
		return escapeURL(text), nil
	}
	name, value := text[:i], text[i+1:]
	if text[i] == '@' {
		content, err := open(value)
		if err != nil {
			return "", err
		}
		value = string(content)
	}
	if name == "" {
		return escapeURL(value), nil
	}
	return name + "=" + escapeURL(value), nil
}

// escapeURL encodes all but what RFC 3986, section 2.3, leaves as it is, and a space as
// forms have it.
func escapeURL(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; isAlnum(c) || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else if c == ' ' {
			b.WriteByte('+')
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
