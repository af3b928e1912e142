package house

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// may lists, for each package, which of ours it may import. A package that is not
// here may not exist; cmd/openload may import everything.
var may = map[string]string{
	"seed":     "",
	"schedule": "",
	"request":  "",
	"stats":    "",
	"lab":      "",
	"coding":   "",
	"peak":     "",
	"correct":  "peak",
	"retry":    "correct",
	"sla":      "correct stats",
	"plan":     "seed schedule retry sla request",
	"engine":   "schedule correct retry",
	"relay":    "schedule engine correct",

	"transport": "request correct coding",
	"live":      "engine correct request transport",
	"sim":       "engine correct lab",

	"live/loop":        "live engine correct request transport",
	"live/conformance": "live engine correct request transport coding",

	"report": "plan peak correct sla stats",
	"run":    "plan seed schedule retry engine relay correct sla report",
	"source": "correct schedule report",
	"repair": "source correct schedule stats sla plan report",
	"sink":   "report correct sla plan",
	"watch":  "correct engine sla sink",
	"find":   "",

	"experiment": "report plan peak stats lab",
	"fleet":      "run report plan schedule correct",

	"bench": "", // it runs programs

	"internal/house":   "",
	"internal/golden":  "",
	"internal/nearest": "",
}

// forAll is what every package may import.
const forAll = "internal/nearest"

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []pkg {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "openload/...").Output()
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func TestEachPackageKnowsOnlyWhatStandsLeftOfIt(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "openload/")
		if name == "cmd/openload" || name == "openload" {
			continue
		}
		allowed, known := may[name]
		if !known {
			t.Errorf("package %s is not in the table", name)
		}
		for _, i := range p.Imports {
			if ours, ok := strings.CutPrefix(i, "openload/"); ok && ours != forAll && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s imports %s, which it may not know", name, ours)
			}
		}
	}
}

// The clock and chance come in as arguments. These are the only places that may
// reach for them.
var (
	clock   = regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)\(`)
	chance  = regexp.MustCompile(`\brand\.(New|NewPCG|NewChaCha8|N|Int|IntN|Int64|Int64N|Uint64|Uint64N|Float64|ExpFloat64|NormFloat64|Perm|Shuffle)\(`)
	mayLook = regexp.MustCompile(`^(live|fleet|bench|cmd/openload)/|^lab/server\.go$`)
	mayRoll = regexp.MustCompile(`^seed/`)
)

func TestTimeAndChanceComeInAsArguments(t *testing.T) {
	for _, p := range packages(t) {
		dir := strings.TrimPrefix(p.ImportPath, "openload/")
		for _, f := range p.GoFiles {
			src := read(t, filepath.Join(p.Dir, f))
			name := dir + "/" + f
			if clock.MatchString(src) && !mayLook.MatchString(name) {
				t.Errorf("%s looks at the machine's clock: %s", name, clock.FindString(src))
			}
			if chance.MatchString(src) && !mayRoll.MatchString(name) {
				t.Errorf("%s makes its own chance: %s", name, chance.FindString(src))
			}
		}
	}
}

// Nothing registers itself: what exists stands in a plain table.
func TestNoPackageHasAnInit(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.GoFiles {
			require.NotRegexp(t, `(?m)^func init\(\)`, read(t, filepath.Join(p.Dir, f)), f)
		}
	}
}

func read(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
