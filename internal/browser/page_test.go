package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// chromium is the browser. Where there is none the test fails: a page that nobody has
// looked at is not tested.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found; install one, such as Debian's chromium")
	return ""
}

// openload builds the program.
func openload(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "openload")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/openload")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// A tab is a page that was opened, with all that it asked for and complained of.
type tab struct {
	context.Context
	t *testing.T

	mu         sync.Mutex
	requests   []string
	complaints []string
}

func open(t *testing.T, file string) *tab {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox) // CI is root
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(endAlloc)
	ctx, end := context.WithTimeout(alloc, 3*time.Minute)
	t.Cleanup(end)
	x := &tab{t: t}
	ctx, endTab := chromedp.NewContext(ctx, chromedp.WithListener(x.hear))
	t.Cleanup(endTab)
	x.Context = ctx
	require.NoError(t, chromedp.Do(ctx,
		command(network.Enable, network.EnableParams{}),
		command(cdplog.Enable, cdp.Empty{}),
		chromedp.EmulateViewport(1100, 900),
		chromedp.Navigate("file://"+file),
	))
	return x
}

// command is a step that sends one command of the browser's protocol.
func command[P any](c cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (x *tab) hear(ev any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
			x.requests = append(x.requests, u)
		}
	case *runtime.EventExceptionThrown:
		x.complaints = append(x.complaints, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		x.complaints = append(x.complaints, fmt.Sprint("console: ", e.Type))
	case *cdplog.EventEntryAdded:
		x.complaints = append(x.complaints, "log: "+e.Entry.Text)
	}
}

func eval[T any](x *tab, expression string) T {
	v, err := chromedp.Run(x, chromedp.Evaluate[T](expression))
	require.NoError(x.t, err, expression)
	return v
}

// quiet holds the page to asking for nothing and complaining of nothing.
func (x *tab) quiet() {
	x.mu.Lock()
	defer x.mu.Unlock()
	require.Empty(x.t, x.requests)
	require.Empty(x.t, x.complaints)
}

// drawn waits until all figures are there, and looks at their pixels.
func (x *tab) drawn(want int) {
	require.Eventually(x.t, func() bool {
		return eval[string](x, `document.documentElement.dataset.ready || ""`) == strconv.Itoa(want)
	}, time.Minute, 50*time.Millisecond)
	require.Equal(x.t, want, eval[int](x, `document.querySelectorAll(".plot").length`))
	inked := eval[[]int](x, `[...document.querySelectorAll(".plot canvas")].map(c => {
		const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 3; i < p.length; i += 4) if (p[i] > 0) n++;
		return n;
	})`)
	require.Len(x.t, inked, want)
	for _, n := range inked {
		require.Greater(x.t, n, 2000, "a figure with hardly anything in it")
	}
}

// shot keeps a picture, for people, where OPENLOAD_SHOTS names a directory.
func (x *tab) shot(name string) {
	if dir := os.Getenv("OPENLOAD_SHOTS"); dir != "" {
		b, err := chromedp.Run(x, chromedp.FullScreenshot(100))
		require.NoError(x.t, err)
		require.NoError(x.t, os.WriteFile(filepath.Join(dir, name), b, 0o666))
	}
}

// emulate sets a medium's feature to a value that it does not have, and waits until the
// figures were drawn anew: what is pressed before that is pressed on figures that go.
func emulate(x *tab, feature, value string) {
	const draws = `document.documentElement.dataset.draws`
	before := eval[string](x, draws)
	require.NoError(x.t, chromedp.Do(x, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})))
	require.Eventually(x.t, func() bool { return eval[string](x, draws) != before }, time.Minute, 20*time.Millisecond, "drawn anew")
}

// prints holds what goes on paper to having the numbers of all figures, in the width of a
// page, without what can only be clicked; and the screen to being as before.
func (x *tab) prints(figures int) {
	open := func() int { return eval[int](x, `document.querySelectorAll("details[open]").length`) }
	eval[int](x, `window.printed = 0; addEventListener("beforeprint", () => { window.printed = document.querySelectorAll("details[open]").length }); 0`)
	var paper page.PrintToPDFResult
	require.NoError(x.t, chromedp.Do(x, chromedp.Func(func(ctx context.Context, t *chromedp.Target) (err error) {
		paper, err = cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69})
		return err
	})))
	require.Equal(x.t, figures, eval[int](x, `window.printed`))
	require.Zero(x.t, open())
	if dir := os.Getenv("OPENLOAD_SHOTS"); dir != "" {
		require.NoError(x.t, os.WriteFile(filepath.Join(dir, "paper.pdf"), paper.Data, 0o666))
	}
	// A browser that tells no script that it prints shows them as well.
	const a4 = 717 // pixels between the margins
	require.NoError(x.t, chromedp.Do(x, chromedp.EmulateViewport(a4, 1000), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})))
	require.Eventually(x.t, func() bool {
		return eval[bool](x, `document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll("canvas")].every(c => c.getBoundingClientRect().right <= innerWidth)`)
	}, time.Minute, 50*time.Millisecond, "nothing sticks out of a page")
	require.Zero(x.t, open())
	require.Equal(x.t, figures, eval[int](x, `[...document.querySelectorAll("details table")].filter(t => t.getBoundingClientRect().height > 10).length`))
	require.True(x.t, eval[bool](x, `[...document.querySelectorAll("table")].every(t => [...t.getClientRects()].every(r => r.right <= innerWidth + 1))`), "no table is cut off")
	require.Zero(x.t, eval[int](x, `[...document.querySelectorAll("summary, .help, .u-legend .u-value")].filter(e => e.getClientRects().length > 0).length`))
	x.shot("print.png")
	require.NoError(x.t, chromedp.Do(x, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})))
}

// A document is what the test needs of the JSON report.
type document struct {
	Verdict string `json:"verdict"`
	Latency map[string]struct {
		N   uint64 `json:"n"`
		P50 *int64 `json:"p50_ns"`
		P90 *int64 `json:"p90_ns"`
		P95 *int64 `json:"p95_ns"`
		P99 *int64 `json:"p99_ns"`
		Max *int64 `json:"max_ns"`
	} `json:"latency"`
	Flow struct {
		Scheduled, Sent, Ended []uint64
	} `json:"flow"`
	Worst []struct {
		Seq  uint64 `json:"seq"`
		Took int64  `json:"took_ns"`
	} `json:"worst"`
}

func readDocument(t *testing.T, file string) (d document) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &d))
	return d
}

// nanoseconds reads a duration as the page writes it.
func nanoseconds(t *testing.T, text string) float64 {
	number, unit, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	require.NoError(t, err, text)
	return x * map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10, "h": 3.6e12}[unit]
}

// agrees holds the page's numbers against the document's.
func (x *tab) agrees(d document) {
	rows := eval[[][]string](x, `[...document.querySelectorAll("[aria-label=latency] tbody tr")].map(r => [...r.cells].map(c => c.textContent))`)
	require.NotEmpty(x.t, rows)
	for _, row := range rows {
		of, ok := d.Latency[row[0]]
		if !ok {
			continue // named otherwise, as successes are
		}
		require.Equal(x.t, strconv.FormatUint(of.N, 10), row[8])
		for i, want := range map[int]*int64{1: of.P50, 2: of.P90, 3: of.P95, 4: of.P99, 6: of.Max} {
			if want == nil {
				require.Equal(x.t, "failed", row[i])
				continue
			}
			require.InEpsilon(x.t, float64(*want), nanoseconds(x.t, row[i]), 0.006, row)
		}
	}
	sum := func(all []uint64) (n uint64) {
		for _, v := range all {
			n += v
		}
		return n
	}
	drawn := func(name string) uint64 {
		return eval[uint64](x, `JSON.parse(document.getElementById("data").textContent).flow.`+name+`.reduce((a, b) => a + b, 0)`)
	}
	require.Equal(x.t, sum(d.Flow.Scheduled), drawn("scheduled"))
	require.Equal(x.t, sum(d.Flow.Sent), drawn("sent"))
	require.Equal(x.t, sum(d.Flow.Ended), drawn("ended"))
	last := eval[float64](x, `JSON.parse(document.getElementById("data").textContent).spectrum.lines[0].y.filter(v => v !== null).pop()`)
	if most := d.Latency["corrected"].Max; most != nil {
		require.EqualValues(x.t, *most, last)
	}
	worst := eval[[]string](x, `[...document.querySelectorAll("svg[role=img]")].map(s => s.closest("tr").cells[0].textContent + " " + s.closest("tr").cells[2].textContent)`)
	require.Len(x.t, worst, len(d.Worst))
	for i, row := range worst {
		seq, took, _ := strings.Cut(row, " ")
		require.Equal(x.t, strconv.FormatUint(d.Worst[i].Seq, 10), seq)
		require.InEpsilon(x.t, math.Max(1, float64(d.Worst[i].Took)), math.Max(1, nanoseconds(x.t, took)), 0.006)
	}
}

// The stall of the README: verdict first, every figure drawn, every number the JSON's,
// in light and dark, by keyboard, on a narrow screen and without JavaScript.
func TestTheReportOfAStall(t *testing.T) {
	bin, dir := openload(t), t.TempDir()
	page := filepath.Join(dir, "report.html")
	run := exec.Command(bin, "sim", "--rate", "12.5", "--n", "200", "-c", "1", "--server", "service=50ms stall=150:2s",
		"--sla", "p99<500ms", "--sla", "errors<1%", "-q", "--out", "html="+page, "--out", "json="+filepath.Join(dir, "report.json"))
	out, _ := run.CombinedOutput()
	require.Equal(t, 3, run.ProcessState.ExitCode(), "%s", out)
	d := readDocument(t, filepath.Join(dir, "report.json"))

	x := open(t, page)
	x.drawn(6) // in virtual time there is no lateness of ours
	require.Equal(t, "FAIL", eval[string](x, `document.querySelector("main").firstElementChild.firstElementChild.textContent`))
	require.True(t, strings.HasPrefix(eval[string](x, `document.title`), "FAIL p99<500ms"))
	x.agrees(d)
	x.shot("light.png")

	ground := eval[string](x, `getComputedStyle(document.body).backgroundColor`)
	emulate(x, "prefers-color-scheme", "dark")
	require.NotEqual(t, ground, eval[string](x, `getComputedStyle(document.body).backgroundColor`))
	x.drawn(6)
	x.shot("dark.png")
	emulate(x, "prefers-color-scheme", "light")

	require.NoError(t, chromedp.Do(x, chromedp.Focus(chromedp.CSS("#spectrum")), chromedp.KeyEvent(kb.End)))
	require.Eventually(t, func() bool {
		return strings.Contains(eval[string](x, `document.querySelector("#spectrum .u-legend").textContent`), "2.00 s")
	}, time.Minute, 20*time.Millisecond, "the last point is the longest")

	require.NoError(t, chromedp.Do(x, chromedp.EmulateViewport(360, 800)))
	require.Eventually(t, func() bool {
		return eval[bool](x, `document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll("canvas")].every(c => c.getBoundingClientRect().right <= innerWidth)`)
	}, time.Minute, 50*time.Millisecond, "nothing sticks out of a telephone")
	x.shot("narrow.png")
	x.prints(6)
	x.quiet()

	require.NoError(t, chromedp.Do(x, command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}), chromedp.Reload()))
	text, err := chromedp.Run(x, chromedp.OuterHTML(chromedp.CSS("main")))
	require.NoError(t, err)
	for _, want := range []string{"FAIL", "1.94 s", "<noscript>", "149"} {
		require.Contains(t, text, want)
	}
	x.quiet()
}

// A real run of which every text is hostile: nothing of it runs.
func TestTheReportOfAHostileRun(t *testing.T) {
	bin, dir := openload(t), t.TempDir()
	lab := exec.Command(bin, "lab", "--listen", "127.0.0.1:0", "--server", "service=1ms workers=0 errors=5%")
	said, err := lab.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, lab.Start())
	defer func() {
		_ = lab.Process.Signal(os.Interrupt)
		_ = lab.Wait()
	}()
	first := make([]byte, 200)
	n, err := said.Read(first)
	require.NoError(t, err)
	var url string
	for _, word := range strings.Fields(string(first[:n])) {
		if strings.HasPrefix(word, "http://") {
			url = word
		}
	}
	require.NotEmpty(t, url)
	page := filepath.Join(dir, "report.html")
	run := exec.Command(bin, "--rate", "100", "--n", "200", "-q", "--sla", "p99<1s", "--out", "html="+page, "--out", "json="+filepath.Join(dir, "report.json"),
		"-H", "X-Evil: </script><script>window.evil=1</script>", url+"/?q=%3C/script%3E'\"></script><img/src=x/onerror=window.evil=1>")
	out, _ := run.CombinedOutput()
	require.Contains(t, []int{0, 3, 4}, run.ProcessState.ExitCode(), "%s", out)

	x := open(t, page)
	x.drawn(7)
	x.agrees(readDocument(t, filepath.Join(dir, "report.json")))
	require.False(t, eval[bool](x, `"evil" in window`))
	require.Zero(t, eval[int](x, `document.querySelectorAll("img, iframe, object, a:not(.skip)").length`))
	x.shot("run.png")
	x.quiet()
}
