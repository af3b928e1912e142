package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// interrupts turns signals into the two ways of ending a run: the first one stops
// sending, the second one gives up what is still out.
type interrupts struct {
	stop, ctx context.Context
	stopNow   func()       // ends stop as a first signal does
	first     atomic.Int32 // the signal that came first; 0: none
	release   func()
}

// patience is how long a report may take after a second signal before the process
// just ends: something that does not read, such as a stopped pipe, may hold it up.
const patience = 2 * time.Second

func catch() *interrupts {
	stop, stopNow := context.WithCancel(context.Background())
	ctx, giveUp := context.WithCancel(context.Background())
	i := &interrupts{stop: stop, stopNow: stopNow, ctx: ctx}
	signals := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			select {
			case sig := <-signals:
				if n == 0 {
					i.first.Store(int32(sig.(syscall.Signal)))
					stopNow()
					continue
				}
				giveUp()
				time.AfterFunc(patience, func() { os.Exit(128 + int(i.first.Load())) })
			case <-done:
				return
			}
		}
	}()
	i.release = func() {
		signal.Stop(signals)
		close(done)
		stopNow()
		giveUp()
	}
	return i
}

// impatience is how long after the first signal somebody is told what is waited for.
const impatience = time.Second

// explain tells on w, if answers are still out some time after the first signal, why
// nothing seems to happen and what ends it. What it returns must be called at the end.
func (i *interrupts) explain(w io.Writer, drain time.Duration) (end func()) {
	done, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		select {
		case <-i.stop.Done():
		case <-done:
			return
		}
		wait := time.NewTimer(impatience)
		defer wait.Stop()
		select {
		case <-wait.C:
			fmt.Fprintf(w, "openload: no new operation begins; waiting for answers, %v at most; ctrl-c again ends it at once\n", drain)
		case <-i.ctx.Done():
		case <-done:
		}
	}()
	return func() { close(done); <-told }
}

// signal is the one that came first; 0 if none did.
func (i *interrupts) signal() syscall.Signal { return syscall.Signal(i.first.Load()) }
