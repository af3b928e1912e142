package sink_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/internal/golden"
	"openload/report"
	"openload/sink"
)

var pages = []struct {
	name string
	opt  sink.TextOptions
	of   func() *report.Report
}{
	{"lab", sink.TextOptions{}, lab},
	{"lab_colour", sink.TextOptions{Color: true}, lab},
	{"lab_ascii", sink.TextOptions{ASCII: true}, lab},
	{"lab_unit_us", sink.TextOptions{ASCII: true, Unit: "us"}, lab},
	{"lab_quiet", sink.TextOptions{Quiet: true}, lab},
	{"uncapped", sink.TextOptions{}, uncapped},
	{"calm", sink.TextOptions{}, calm},
	{"starved", sink.TextOptions{}, starved},
	{"refused", sink.TextOptions{}, refused},
	{"lab_unit_us_wide", sink.TextOptions{Unit: "us"}, slow},
	{"interrupted", sink.TextOptions{}, interrupted},
	{"inconclusive", sink.TextOptions{}, inconclusive},
	{"closed", sink.TextOptions{}, closed},
	{"backfilled", sink.TextOptions{}, backfilled},
	{"done", sink.TextOptions{}, done},
	{"rules", sink.TextOptions{}, rules},
	{"failing", sink.TextOptions{}, failing},
	{"stampede", sink.TextOptions{}, stampede},
	{"targets", sink.TextOptions{}, targets},
	{"stages", sink.TextOptions{}, staged},
	{"coded", sink.TextOptions{}, coded},
	{"hosts", sink.TextOptions{}, twoHosts},
}

func text(t *testing.T, r *report.Report, opt sink.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, sink.Text(&b, r, opt))
	return b.String()
}

// What a user sees.
func TestPages(t *testing.T) {
	for _, tt := range pages {
		t.Run(tt.name, func(t *testing.T) {
			golden.Check(t, tt.name+".txt", []byte(text(t, tt.of(), tt.opt)))
		})
	}
}

// Colour adds nothing but colour: without its codes the page is the plain one.
func TestColourAddsNothing(t *testing.T) {
	for _, tt := range pages {
		opt := tt.opt
		opt.Color = true
		coloured := text(t, tt.of(), opt)
		opt.Color = false
		require.Contains(t, coloured, "\x1b[")
		require.Equal(t, text(t, tt.of(), opt), ansi.ReplaceAllString(coloured, ""))
	}
}

// The first line of a page is all of the quiet one.
func TestQuietIsTheFirstLine(t *testing.T) {
	for _, tt := range pages {
		first, _, _ := strings.Cut(text(t, tt.of(), sink.TextOptions{}), "\n")
		require.Equal(t, first+"\n", text(t, tt.of(), sink.TextOptions{Quiet: true}), tt.name)
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9]+m")
