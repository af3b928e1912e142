package sink_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"openload/correct"
	"openload/plan"
	"openload/report"
	"openload/sink"
	"openload/sla"
)

// pictured is a long run of which everything was recorded.
func pictured() *report.Report {
	r := rules()
	rec, pic := correct.NewRecorder(correct.Options{}), correct.NewPicture(false)
	for i := range 20000 {
		at := time.Duration(i) * 30 * time.Millisecond
		took := time.Duration(1+i%97) * time.Millisecond << (i % 7)
		x := correct.Sample{Seq: uint64(i), Attempt: 1, Intended: at, Due: at, Dispatched: at + time.Duration(i%50)*time.Microsecond, Fired: true, Written: true, Final: true, Status: 200}
		x.Sent = x.Dispatched + took/2
		x.Done = x.Sent + took
		if i%500 == 0 {
			x.Class, x.Status = correct.BadStatus, 503
		}
		rec.Arrive(x.Seq, at, x.Dispatched, 0, 0)
		rec.Record(x)
		pic.Record(&x)
	}
	s := rec.Snapshot()
	full := report.New(&plan.Plan{}, s, &sla.Verdict{}, report.Meta{Picture: pic, Engine: "portable"})
	r.Latency, r.Series, r.Flow, r.Heat, r.Worst, r.Peaks, r.Phases = full.Latency, full.Series, full.Flow, full.Heat, full.Worst, full.Peaks, full.Phases
	r.Targets = []report.Target{{Name: "cart", Counts: r.Counts, Latency: full.Latency}}
	r.Stages = []report.Stage{{Name: "warm", Length: time.Minute, Rate: "10", Warmup: true, Counts: r.Counts, Latency: full.Latency}, {Name: "base", At: time.Minute, Length: time.Minute, Rate: "50"}}
	return r
}

func TestThePageHasAllFigures(t *testing.T) {
	page := as(t, "html", pictured())
	for _, id := range []string{"spectrum", "time", "heat", "heatraw", "flow", "peaks", "lag"} {
		require.Contains(t, page, `<div class="plot" id="`+id+`" role="img"`, id)
	}
	require.Equal(t, 7, strings.Count(page, "<summary>The numbers of this figure</summary>"))
	require.Equal(t, 20, strings.Count(page, "where the time went\"></")+strings.Count(page, `<td><svg viewBox`))
	for _, text := range []string{"Targets", "Phases of the plan", "<td>cart</td>", "warm (warm-up, not judged)", "Where did the corrected time go?", "Run it again:"} {
		require.Contains(t, page, text)
	}
	require.True(t, strings.Contains(page, `<h1><span class="badge fail">FAIL</span>`), "the verdict comes first, in words")
}

// However long the run, the page stays small: what is drawn is bounded.
func TestThePageIsBounded(t *testing.T) {
	r := pictured()
	require.Len(t, r.Series, 750)
	require.Greater(t, len(r.Flow.Ended), 300)
	page := as(t, "html", r)
	require.Less(t, len(page), 400_000)
	var d struct {
		Spectrum, Time, Flow, Lag struct{ X []float64 }
		Heat                      struct{ Cells map[string][][3]int }
	}
	require.NoError(t, json.Unmarshal([]byte(dataOf(t, page)), &d))
	for _, x := range [][]float64{d.Spectrum.X, d.Time.X, d.Flow.X, d.Lag.X} {
		require.NotEmpty(t, x)
		require.LessOrEqual(t, len(x), 400)
	}
	for _, cells := range d.Heat.Cells {
		require.LessOrEqual(t, len(cells), 2400)
	}
}

var (
	dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	script    = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	style     = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	policy    = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
)

func dataOf(t require.TestingT, page string) string {
	m := dataBlock.FindStringSubmatch(page)
	require.NotNil(t, m)
	return m[1]
}

// The policy lets in what the page holds, and nothing else: no address is named in it.
func TestThePolicyAdmitsThePageAlone(t *testing.T) {
	page := as(t, "html", pictured())
	m := policy.FindStringSubmatch(page)
	require.NotNil(t, m)
	want := html.UnescapeString(m[1])
	require.True(t, strings.HasPrefix(want, "default-src 'none'; "), want)
	require.NotContains(t, want, "unsafe")
	require.NotContains(t, want, "http")
	n := 0
	for _, block := range append(script.FindAllStringSubmatch(page, -1), style.FindAllStringSubmatch(page, -1)...) {
		sum := sha256.Sum256([]byte(block[1]))
		require.Contains(t, want, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		n++
	}
	require.Equal(t, 3, n)
	require.NotRegexp(t, `<[a-z][^>]* (style|on[a-z]+|src)=`, page)
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, []string{"data:,", "#numbers"}, m[1])
	}
}

// The library is the published one, byte for byte.
func TestTheLibraryIsAsItWasPublished(t *testing.T) {
	for file, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"uPlot.LICENSE":     "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		b, err := os.ReadFile("html/" + file)
		require.NoError(t, err)
		sum := sha256.Sum256(b)
		require.Equal(t, want, hex.EncodeToString(sum[:]), file)
	}
}

// elements are the page's tags, by name.
func elements(page string) map[string]int {
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`<([a-z][a-z0-9]*)`).FindAllStringSubmatch(script.ReplaceAllString(page, ""), -1) {
		found[m[1]]++
	}
	return found
}

// What comes from outside stays text, whatever it looks like.
func TestHostileTextsStayText(t *testing.T) {
	r := hostile()
	tame := rules()
	tame.Reasons = append(tame.Reasons, reason("odd", "x"))
	tame.Notes = append(tame.Notes, reason("odd", "x"))
	tame.Counts.Errors = map[string]uint64{"x": 1}
	got, want := as(t, "html", r), as(t, "html", tame)
	require.Equal(t, elements(want), elements(got))
	require.NotContains(t, dataOf(t, got), "<")
	require.Contains(t, got, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;")
	require.NotContains(t, got, "\x1b")
	require.NotContains(t, got, "\u202e")
}

// Any report becomes a page, or says which histogram it is that can't be read.
func TestAnyReportBecomesAPage(t *testing.T) {
	o, err := sink.Parse("html")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := o.Write(&b, reports().Draw(t, "report"), sink.TextOptions{}); err != nil {
			require.Regexp(t, `^write html to standard output: (histogram|heat map) of `, err.Error())
			return
		}
		require.True(t, json.Valid([]byte(dataOf(t, b.String()))), dataOf(t, b.String()))
		require.Equal(t, 2, elements(b.String())["style"]+elements(b.String())["main"])
	})
}

// Text and figures can be told from the ground in both modes: at least 4.5 to 1, as
// WCAG 2 asks of text.
func TestContrast(t *testing.T) {
	b, err := os.ReadFile("html/report.css")
	require.NoError(t, err)
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(b), -1)
	require.Len(t, roots, 3, "light, dark, print")
	for _, root := range roots {
		of := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(root[1], -1) {
			of[m[1]] = m[2]
		}
		for _, pair := range [][2]string{
			{"text", "ground"}, {"muted", "ground"}, {"corrected", "ground"}, {"raw", "ground"}, {"limit", "ground"}, {"text", "soft"},
			{"badge", "pass"}, {"badge", "fail"}, {"badge", "unsure"}, {"badge", "muted"},
		} {
			require.GreaterOrEqual(t, contrast(of[pair[0]], of[pair[1]]), 4.5, "%v", pair)
		}
	}
}

// contrast is the ratio of two colours' luminances.
// Source: W3C, Web Content Accessibility Guidelines 2.1, relative luminance.
func contrast(a, b string) float64 {
	luminance := func(c string) (l float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v, _ := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
			x := float64(v) / 255
			if x <= 0.03928 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			l += weight * x
		}
		return l
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
