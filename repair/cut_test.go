package repair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"openload/repair"
	"openload/source"
)

// Half of a file must not pass for the whole: it is refused, or judged on request and
// said to be half.
func TestCutFileIsNoWholeOne(t *testing.T) {
	var whole strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&whole, "7.%06dms\n", i*7919*7919%1_000_003)
	}
	whole.WriteString("9s\n")
	opt := func() repair.Options { return repair.Options{Interval: 80 * ms, Rules: rules(t, "max<1s")} }
	require.Equal(t, "fail", mustRead(t, whole.String(), opt()).Verdict)

	half := cutGzip(whole.String())
	_, err := read(t, half, source.Options{}, opt())
	var cut *source.Cut
	require.ErrorAs(t, err, &cut)
	require.NotZero(t, cut.Rows)

	r, err := read(t, half, source.Options{Lenient: true}, opt())
	require.NoError(t, err)
	require.Equal(t, "pass", r.Verdict)
	require.Equal(t, "cut", r.Reasons[len(r.Reasons)-1].Code)
	require.Contains(t, r.Reasons[len(r.Reasons)-1].Text, "may be the slow ones")
}
