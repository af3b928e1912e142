package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// read turns a value into the words of the key's flag.
func (k Key) read(v Value) (words []Word, err error) {
	switch k.Form {
	case List:
		return each(v, Value.word)
	case Headers:
		return headers(v)
	case Pairs:
		if v.isMapping() {
			text, err := v.pairs()
			return []Word{{text, v.Place()}}, err
		}
	case Phases:
		return each(v, phase)
	}
	words, err = v.word()
	if err != nil {
		return nil, err
	}
	if wrong := k.fits(words[0].Text); wrong != "" {
		return nil, v.Problem("%s", wrong)
	}
	return words, nil
}

// whole is a whole number that is not negative.
var whole = regexp.MustCompile(`^\+?[0-9]+$`)

// fits says what is wrong with a text for the key's form; "" if nothing is.
func (k Key) fits(text string) string {
	switch {
	case len(k.Enum) > 0 && !slices.Contains(k.Enum, text):
		return fmt.Sprintf("%q is not one of %s", text, strings.Join(k.Enum, ", "))
	case k.Form == Integer && !whole.MatchString(text):
		return fmt.Sprintf("%q is not a whole number", text)
	case k.Form == Switch && text != "true" && text != "false":
		return fmt.Sprintf("%q is neither true nor false", text)
	case k.Form == Number:
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return fmt.Sprintf("%q is not a number", text)
		}
	case k.Form == Time:
		if d, err := time.ParseDuration(text); err != nil || d < 0 {
			if _, err := strconv.ParseFloat(text, 64); err == nil && !strings.HasPrefix(text, "-") {
				return fmt.Sprintf("%q has no unit; write %ss for seconds, or ms, m, h", text, text)
			}
			return fmt.Sprintf("%q is not a duration; write one such as 500ms, 30s or 2m", text)
		}
	}
	return ""
}

// each reads the members of a list, and names everything wrong with them.
func each(v Value, read func(Value) ([]Word, error)) (words []Word, err error) {
	var wrong []error
	for _, item := range v.Items() {
		some, err := read(item)
		words, wrong = append(words, some...), append(wrong, err)
	}
	return words, errors.Join(wrong...)
}

// headers reads a mapping of names, or a list of 'Name: value'.
func headers(v Value) (words []Word, err error) {
	if !v.isMapping() {
		return each(v, func(item Value) ([]Word, error) {
			if item.isMapping() { // - Name: value, without quotes, is a mapping of one
				return headers(item)
			}
			return item.word()
		})
	}
	fields, err := v.fields()
	wrong := []error{err}
	for _, x := range fields {
		for _, item := range x.Items() {
			text, err := item.Text()
			words, wrong = append(words, Word{x.key + ": " + text, item.Place()}), append(wrong, err)
		}
	}
	return words, errors.Join(wrong...)
}
