package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"openload/lab"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// asOpenload, in the environment, makes this test binary the program itself.
const asOpenload = "BE_OPENLOAD"

func TestMain(m *testing.M) {
	if os.Getenv(asOpenload) != "" {
		main()
	}
	testscript.Main(leakFree{m}, map[string]func(){"openload": main})
}

// leakFree fails if a test left a goroutine behind.
type leakFree struct{ m *testing.M }

func (l leakFree) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// The scripts are whole terminal sessions: what a user types, what it says, and the
// exit status.
//
//	lab 'service=1ms'             starts a lab server and puts its address into $URL
//	status 2 openload --rate 0    runs a command and checks its exit status
//	status 0,4 openload ...       the same, where a busy machine may make the run INVALID
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("LANG", "C.UTF-8")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lab":    startLab,
			"status": status,
		},
	})
}

func startLab(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lab SERVER")
	}
	spec, err := lab.Parse(args[0])
	ts.Check(err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := lab.NewServer(func() lab.Model { return spec.Model(nil) })
	go func() { ended <- server.Serve(ctx, ln) }()
	ts.Defer(func() {
		stop()
		ts.Check(<-ended)
	})
	ts.Setenv("URL", "http://"+ln.Addr().String()+"/")
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ...")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(got)) {
		ts.Fatalf("exit status %d, not %s", got, args[0])
	}
}
