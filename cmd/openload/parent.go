package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// parentCheck is how soon the end of the parent is noticed.
const parentCheck = 250 * time.Millisecond

// afterParent calls ended once the process that started this one has ended, however it
// did: the kernel gives its children another parent. Who is told to ignore the hang-up
// (nohup) is meant to go on, and who was started by process 1 has nobody to outlive.
// Not by PR_SET_PDEATHSIG, which looks at the thread that started us, and threads end
// sooner than processes do.
func afterParent(ctx context.Context, ended func()) {
	parent := os.Getppid()
	if parent <= 1 || signal.Ignored(syscall.SIGHUP) {
		return
	}
	go func() {
		tick := time.NewTicker(parentCheck)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if os.Getppid() != parent {
					ended()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
}
