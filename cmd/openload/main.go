package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	// A reader that has seen enough (head) must not turn a verdict into a signal.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(execute(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
