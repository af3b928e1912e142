package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
)

// authFlags say who the user is.
type authFlags struct {
	User       string `short:"u" aliases:"basic" group:"request" placeholder:"USER:PASSWORD" help:"Basic authorisation. Redacted in every output."`
	BearerEnv  string `group:"request" placeholder:"NAME" help:"Bearer token from this environment variable."`
	BearerFile string `group:"request" placeholder:"FILE" help:"Bearer token from this file."`
}

// authorization is the header that the flags ask for; "" without any.
func (f *authFlags) authorization(header []string) (line string, err error) {
	var given, values []string
	var wrong []error
	token := func(flag, from, text string, err error) {
		text = strings.TrimSpace(text)
		if err == nil && text == "" {
			err = fmt.Errorf("%s holds no token", from)
		}
		if err == nil && strings.ContainsAny(text, " \t\r\n") {
			err = fmt.Errorf("%s holds more than a token", from)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
		}
		given, values = append(given, "--"+flag), append(values, "Bearer "+text)
	}
	if f.User != "" {
		if !strings.Contains(f.User, ":") {
			wrong = append(wrong, errors.New("--user: no password in it; write USER:PASSWORD, or USER: for an empty one"))
		}
		given, values = append(given, "--user"), append(values, "Basic "+base64.StdEncoding.EncodeToString([]byte(f.User)))
	}
	if f.BearerEnv != "" {
		text, ok := os.LookupEnv(f.BearerEnv)
		if !ok {
			err = fmt.Errorf("the environment has no %s", f.BearerEnv)
		}
		token("bearer-env", f.BearerEnv, text, err)
	}
	if f.BearerFile != "" {
		b, err := os.ReadFile(f.BearerFile)
		token("bearer-file", f.BearerFile, string(b), err)
	}
	for _, h := range header {
		if name, _, _ := strings.Cut(h, ":"); len(given) > 0 && strings.EqualFold(strings.TrimSpace(name), "Authorization") {
			given = append(given, "--header Authorization")
		}
	}
	if len(given) > 1 {
		wrong = append(wrong, fmt.Errorf("%s: a request has one Authorization; leave out all but one", strings.Join(given, " and ")))
	}
	if len(values) > 0 && len(wrong) == 0 { // else the header would be a second mistake
		line = "Authorization: " + values[0]
	}
	return line, usage(errors.Join(wrong...))
}

// again are the flags that ask for the same, secrets redacted.
func (f *authFlags) again() (flags []string) {
	if f.User != "" {
		name, _, _ := strings.Cut(f.User, ":")
		flags = append(flags, "--user "+quote(name+":***"))
	}
	if f.BearerEnv != "" {
		flags = append(flags, "--bearer-env "+quote(f.BearerEnv))
	}
	if f.BearerFile != "" {
		flags = append(flags, "--bearer-file "+quote(f.BearerFile))
	}
	return flags
}
