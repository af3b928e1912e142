package request

import (
	"errors"
	"strings"
)

// A curlFlag is an option of curl.
type curlFlag struct {
	short byte
	long  string
	value bool
	do    func(c *curl, value string) error
}

func note(text string) func(*curl, string) error {
	return func(c *curl, value string) error {
		c.notes = append(c.notes, strings.ReplaceAll(text, "VALUE", value))
		return nil
	}
}

func nothing(*curl, string) error { return nil }

// curlFlags is every option that is understood, or that changes nothing of the request.
var curlFlags = []curlFlag{
	{'H', "header", true, func(c *curl, v string) error {
		if strings.HasPrefix(v, "@") {
			return errors.New("headers from a file: write each as -H 'Name: value'")
		}
		c.header = append(c.header, v)
		return nil
	}},
	{'X', "request", true, func(c *curl, v string) error { c.method = v; return nil }},
	{0, "url", true, func(c *curl, v string) error { c.urls = append(c.urls, v); return nil }},
	{'d', "data", true, (*curl).addData},
	{0, "data-ascii", true, (*curl).addData},
	{0, "data-raw", true, func(c *curl, v string) error { return c.addText(v) }},
	{0, "data-binary", true, (*curl).addBinary},
	{0, "data-urlencode", true, func(c *curl, v string) error {
		part, err := urlEncoded(v, c.open)
		return errors.Join(err, c.addText(part))
	}},
	{0, "json", true, func(c *curl, v string) error { c.json = true; return c.addBinary(v) }},
	{'F', "form", true, func(c *curl, v string) error { c.form = append(c.form, v); return nil }},
	{'b', "cookie", true, (*curl).setCookie},
	{'u', "user", true, func(c *curl, v string) error { c.user = v; return nil }},
	{'A', "user-agent", true, func(c *curl, v string) error { c.agent = v; return nil }},
	{'e', "referer", true, func(c *curl, v string) error { c.referer = v; return nil }},
	{0, "compressed", false, func(c *curl, _ string) error {
		c.encoding = "deflate, gzip, br, zstd"
		return note("--compressed: add --compressed to the run, and what bodies decode to is counted")(c, "")
	}},
	{'G', "get", false, func(c *curl, _ string) error { c.get = true; return nil }},
	{'I', "head", false, func(c *curl, _ string) error { c.head = true; return nil }},
	{'g', "globoff", false, func(c *curl, _ string) error { c.glob = true; return nil }},
	{0, "path-as-is", false, func(c *curl, _ string) error { c.asIs = true; return nil }},

	{'k', "insecure", false, note("-k: add --insecure to the run")},
	{'L', "location", false, note("-L: redirects are an answer; to follow them, say so to the run")},
	{'m', "max-time", true, note("--max-time: add --timeout VALUEs to the run")},
	{0, "connect-timeout", true, note("--connect-timeout: add --connect-timeout VALUEs to the run")},
	{0, "http2", false, note("--http2: which protocol is spoken is for the run to say")},

	{0, "http1.1", false, nothing},
	{0, "basic", false, nothing},
	{'s', "silent", false, nothing},
	{'S', "show-error", false, nothing},
	{'v', "verbose", false, nothing},
	{'i', "include", false, nothing},
	{'f', "fail", false, nothing},
	{0, "fail-with-body", false, nothing},
	{'N', "no-buffer", false, nothing},
	{'#', "progress-bar", false, nothing},
	{0, "no-progress-meter", false, nothing},
	{'o', "output", true, nothing},
	{'O', "remote-name", false, nothing},
	{'w', "write-out", true, nothing},
}

func (c *curl) addText(v string) error {
	c.data, c.hasData = append(c.data, v), true
	return nil
}

// addData takes a text, or a file of which the ends of lines are left out.
func (c *curl) addData(v string) error {
	if strings.HasPrefix(v, "@") {
		content, err := c.open(v[1:])
		if err != nil {
			return err
		}
		v = strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(string(content))
	}
	return c.addText(v)
}

func (c *curl) addBinary(v string) error {
	if strings.HasPrefix(v, "@") {
		content, err := c.open(v[1:])
		if err != nil {
			return err
		}
		v = string(content)
	}
	return c.addText(v)
}

func (c *curl) setCookie(v string) error {
	if !strings.Contains(v, "=") {
		return errors.New("cookies from a file: write them as -b 'name=value; other=value'")
	}
	if c.cookie != "" {
		c.cookie += ";"
	}
	c.cookie += v
	return nil
}
