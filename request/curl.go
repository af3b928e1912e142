package request

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"openload/internal/nearest"
)

// ImportCurl reads curl commands as a browser copies them for bash, several as well. The
// requests have curl's headers in curl's order, except for User-Agent where none is
// given. Notes say what belongs on the command line of a run. An option that would be
// lost is an error that names it. open reads the files that bodies come from.
func ImportCurl(command string, boundary string, open func(string) ([]byte, error)) (items []Item, notes []string, err error) {
	commands, err := shellWords(command)
	if err != nil {
		return nil, nil, err
	}
	var problems []error
	for i, words := range commands {
		c := curl{boundary: boundary, open: open}
		if err := c.read(words); err != nil {
			if len(commands) > 1 {
				err = fmt.Errorf("command %d: %w", i+1, err)
			}
			problems = append(problems, err)
			continue
		}
		items = append(items, c.items...)
		for _, n := range c.notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return items, notes, errors.Join(problems...)
}

// ofCmd is how browsers copy a command for cmd.exe.
var ofCmd = regexp.MustCompile(`^\s*curl(\.exe)?\s+\^["h]|\s\^\r?\n\s*-`)

// command is a name that a command can have, and no option, header or URL.
var command = regexp.MustCompile(`^[A-Za-z][\w.-]{0,19}$`)

// notCurl says what is called in place of curl. The words behind it may be secrets.
func notCurl(words []string) error {
	switch {
	case len(words) == 0 || !command.MatchString(words[0]):
		return errors.New("the command does not begin with curl; is a line before it without its \\ at the end?")
	case slices.Contains(words, "curl"):
		return fmt.Errorf("the command is %s and not curl; begin with curl", words[0])
	}
	return fmt.Errorf("the command is %s and not curl", words[0])
}

// shellWords splits commands of bash. What would run something else, or depends on the
// shell it is typed into, is refused.
func shellWords(text string) (commands [][]string, err error) {
	if ofCmd.MatchString(text) {
		return nil, errors.New("this is the form for the command prompt of Windows, with its ^; take that for bash, in the browser's menu: Copy as cURL (bash)")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		if e, ok := errors.AsType[syntax.ParseError](err); ok {
			why := e.Text
			if strings.Contains(why, "`") || strings.Contains(why, `"`) {
				why = "its quotes or brackets do not match" // it quotes what may be a secret
			}
			return nil, fmt.Errorf("this is no command of bash (%s); put it between single quotes as a whole, or give - and write it on standard input", why)
		}
		return nil, fmt.Errorf("this is no command of bash: %w", err)
	}
	var problem error
	refuse := func(what string) {
		problem = errors.Join(problem, fmt.Errorf("%s: write the command with what it stands for", what))
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp:
			refuse("a variable of the shell ($...)")
		case *syntax.CmdSubst, *syntax.ProcSubst:
			refuse("the output of another command ($(...))")
		case *syntax.ArithmExp:
			refuse("arithmetic ($((...)))")
		case *syntax.ExtGlob:
			refuse("a pattern of file names")
		case *syntax.Redirect:
			refuse("a redirection (<, >)")
		}
		return problem == nil
	})
	if problem != nil {
		return nil, problem
	}
	for _, s := range file.Stmts {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Assigns) > 0 {
			return nil, errors.New("this is more than one call of curl; give one command, or several with ; between them")
		}
		words, err := expand.Fields(&expand.Config{}, call.Args...)
		if err != nil {
			return nil, fmt.Errorf("split the command: %w", err)
		}
		if len(words) == 0 || words[0] != "curl" {
			return nil, notCurl(words)
		}
		commands = append(commands, words[1:])
	}
	if len(commands) == 0 {
		return nil, errors.New("there is no curl command in it")
	}
	return commands, nil
}

// A curl is a curl command being read.
type curl struct {
	boundary string
	open     func(string) ([]byte, error)

	urls   []string
	method string
	head   bool
	get    bool
	json   bool

	user, agent, referer, cookie, encoding string
	header                                 []string
	data                                   []string
	hasData                                bool
	form                                   []string
	glob, asIs                             bool

	items []Item
	notes []string
}

// read takes curl's words apart and makes the items.
func (c *curl) read(words []string) error {
	var problems []error
	plain := false // after --
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case plain || word == "-" || !strings.HasPrefix(word, "-"):
			c.urls = append(c.urls, word)
			continue
		case word == "--":
			plain = true
			continue
		}
		next := func() (string, bool) {
			if i+1 == len(words) {
				return "", false
			}
			i++
			return words[i], true
		}
		problems = append(problems, c.option(word, next))
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	return c.make()
}

// option takes a word that begins with a dash: a long option or some short ones.
func (c *curl) option(word string, next func() (string, bool)) error {
	if strings.HasPrefix(word, "--") {
		name := word[2:]
		for _, f := range curlFlags {
			if f.long == name {
				return c.take(f, word, next)
			}
		}
		var names []string
		for _, f := range curlFlags {
			names = append(names, f.long)
		}
		hint := ""
		if near := nearest.Of(name, names); near != "" {
			hint = ", did you mean --" + near + "?"
		}
		if name, _, joined := strings.Cut(word, "="); joined {
			return fmt.Errorf("curl's %s= cannot be imported; write its value as the next word", name)
		}
		return fmt.Errorf("curl's %s cannot be imported%s", firstToken(word), hint)
	}
	for i := 1; i < len(word); i++ {
		n := slices.IndexFunc(curlFlags, func(f curlFlag) bool { return f.short == word[i] })
		if n < 0 {
			return fmt.Errorf("curl's -%c cannot be imported", word[i])
		}
		f := curlFlags[n]
		if !f.value {
			if err := f.do(c, ""); err != nil {
				return err
			}
			continue
		}
		if rest := word[i+1:]; rest != "" {
			return c.give(f, "-"+word[i:i+1], rest)
		}
		return c.take(f, "-"+word[i:i+1], next)
	}
	return nil
}

func (c *curl) take(f curlFlag, name string, next func() (string, bool)) error {
	if !f.value {
		return c.give(f, name, "")
	}
	value, ok := next()
	if !ok {
		return fmt.Errorf("curl's %s has no value", name)
	}
	return c.give(f, name, value)
}

func (c *curl) give(f curlFlag, name, value string) error {
	if err := f.do(c, value); err != nil {
		return fmt.Errorf("curl's %s: %w", name, err)
	}
	return nil
}

// make puts the request together for every URL.
func (c *curl) make() error {
	if len(c.urls) == 0 {
		return errors.New("there is no URL in the command")
	}
	if c.hasData && len(c.form) > 0 {
		return errors.New("curl takes either --data or --form")
	}
	var body, media string
	joiner := "&"
	if c.json {
		joiner, media = "", "application/json"
	} else if c.hasData {
		media = urlencodedType
	}
	body = strings.Join(c.data, joiner)
	if len(c.form) > 0 {
		form, err := Multipart(c.form, c.boundary, c.open)
		if err != nil {
			return err
		}
		body, media = string(form.Body), form.Type
	}
	var problems []error
	for _, url := range c.urls {
		complete, _, err := ParseURL(url)
		switch {
		case err != nil && !strings.ContainsAny(url, "{}[] "):
			problems = append(problems, err)
			continue
		case !c.glob && strings.ContainsAny(strings.Replace(complete, "://[", "", 1), "{}[") || err != nil:
			problems = append(problems, fmt.Errorf("URL %q: curl takes { } and [ ] for a series of URLs; with -g they are themselves, and a space is written %%20", RedactURL(url)))
			continue
		}
		r := Request{URL: complete}
		if !c.asIs {
			r.URL = withoutDots(r.URL)
		}
		sent := body
		if c.get {
			if body != "" {
				joiner := "?"
				if strings.Contains(r.URL, "?") {
					joiner = "&"
				}
				r.URL += joiner + body
			}
			sent = ""
		}
		hasBody := !c.get && (c.hasData || len(c.form) > 0)
		r.Method = c.verb(hasBody)
		r.Body = []byte(sent)
		kind := ""
		if hasBody {
			kind = media
		}
		if r.Header, err = c.fields(kind); err != nil {
			problems = append(problems, err)
			continue
		}
		if err := r.Check(); err != nil {
			problems = append(problems, err)
			continue
		}
		c.items = append(c.items, Item{Request: r})
	}
	return errors.Join(problems...)
}

func (c *curl) verb(hasBody bool) string {
	switch {
	case c.method != "":
		return c.method
	case c.head:
		return "HEAD"
	case hasBody:
		return "POST"
	}
	return "GET"
}

// fields are the headers in curl's order: its own, the cookies, those of -H, the media
// type. One of -H takes the place of curl's own, and without a value it removes it.
func (c *curl) fields(media string) (all []Field, err error) {
	var own []Field
	removed := map[string]bool{}
	for _, text := range c.header {
		if name, empty := strings.CutSuffix(strings.TrimSpace(text), ";"); empty && !strings.Contains(name, ":") {
			own = append(own, Field{name, ""})
			removed[strings.ToLower(name)] = true
			continue
		}
		f, err := ParseField(text)
		if err != nil {
			return nil, fmt.Errorf("curl's -H: %w", err)
		}
		removed[strings.ToLower(f.Name)] = true
		if f.Value != "" {
			own = append(own, f)
		}
	}
	add := func(name, value string) {
		if value != "" && !removed[strings.ToLower(name)] {
			all = append(all, Field{name, value})
		}
	}
	if c.user != "" {
		user := c.user
		if !strings.Contains(user, ":") {
			user += ":"
		}
		add("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user)))
	}
	add("User-Agent", c.agent)
	if !c.json {
		add("Accept", "*/*")
	}
	add("Accept-Encoding", c.encoding)
	add("Referer", c.referer)
	add("Cookie", c.cookie)
	all = append(all, own...)
	add("Content-Type", media)
	if c.json {
		add("Accept", "application/json")
	}
	return all, nil
}
