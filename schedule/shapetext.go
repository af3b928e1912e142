package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ParseShape reads the text form of a shape:
//
//	12.5                          constant, any form of Rate
//	10..200                       a ramp over the run's duration
//	10@30s,10..200@1m,0@10s,5@1m  stages, each with its own length; 0 is a pause
//
// over is the run's duration, 0 if it has none. The error names the stage and
// says what to write.
func ParseShape(text string, over time.Duration) (Shape, error) {
	parts := strings.SplitN(text, ",", maxStages+1)
	if len(parts) > maxStages {
		return nil, fmt.Errorf("rate: more than %d stages; write fewer", maxStages)
	}
	var s Shape
	for i, part := range parts {
		g, err := parseStage(part)
		if err != nil && len(parts) > 1 {
			err = fmt.Errorf("stage %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		s = append(s, g)
	}
	if lone := &s[0]; len(s) == 1 && lone.For == 0 && lone.From != lone.To {
		if over <= 0 {
			return nil, fmt.Errorf("rate %s: a ramp needs the time that it takes; give the run a duration, or write %s@1m", quote(text), lone)
		}
		lone.For = over
	}
	return s, errors.Join(s.check()...)
}

func parseStage(text string) (g Stage, err error) {
	rates, length, hasLength := strings.Cut(text, "@")
	from, to, isRamp := strings.Cut(rates, "..")
	if hasLength {
		g.For, err = time.ParseDuration(strings.TrimSpace(length))
		if err != nil || g.For <= 0 {
			return Stage{}, fmt.Errorf("rate %s: %s is no length for a stage; write a duration above 0 such as 30s", quote(text), quote(length))
		}
	}
	switch {
	case isRamp:
		g.From, err = parseRateOrZero(from)
		if err == nil {
			g.To, err = parseRateOrZero(to)
		}
		if err == nil && g.From.IsZero() && g.To.IsZero() {
			err = fmt.Errorf("rate %s: a ramp from 0 to 0 is a pause; write it as 0@10s", quote(text))
		}
	case hasLength:
		g.From, err = parseRateOrZero(rates)
		g.To = g.From
	default:
		g.From, err = ParseRate(rates)
		g.To = g.From
	}
	return g, err
}

// String is the form that ParseShape reads back, ramps with their length.
func (s Shape) String() string {
	if len(s) == 1 && s[0].For == 0 && s[0].From == s[0].To {
		return s[0].From.String()
	}
	var b strings.Builder
	for i, g := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(g.String())
	}
	return b.String()
}

// String is the stage as ParseShape reads it: 10@30s or 10..200@1m.
func (g Stage) String() string {
	text := strings.TrimSuffix(g.From.String(), "/s")
	if g.To != g.From {
		text += ".." + strings.TrimSuffix(g.To.String(), "/s")
	}
	if g.For != 0 {
		text += "@" + durationText(g.For)
	}
	return text
}

// MarshalText is String.
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is ParseShape for a run without a duration.
func (s *Shape) UnmarshalText(text []byte) (err error) {
	*s, err = ParseShape(string(text), 0)
	return err
}
