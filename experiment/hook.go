package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"openload/plan"
)

// A Hook is a command around a run. A shell takes it.
type Hook struct {
	Run     string
	Timeout time.Duration
}

// hooks reads one command or several: a text, or run and timeout.
func hooks(v plan.Value) (all []Hook, err error) {
	var wrong []error
	for _, item := range v.Items() {
		h := Hook{Timeout: defaultHook}
		text, err := item.Text()
		if err == nil {
			h.Run = text
		} else {
			fields, bad := item.Fields("run", "timeout")
			r := reader{fields: fields, wrong: []error{bad}}
			r.take("run", func(v plan.Value) (err error) { h.Run, err = v.Text(); return err })
			r.take("timeout", func(v plan.Value) error { return r.time(v, &h.Timeout) })
			if err = errors.Join(r.wrong...); err == nil && h.Run == "" {
				err = item.Problem("a hook needs run:, the command")
			}
		}
		all, wrong = append(all, h), append(wrong, err)
	}
	return all, errors.Join(wrong...)
}

// do runs the command with its whole family, and ends all of it if it takes too long.
func (h Hook) do(ctx context.Context, out io.Writer, env ...string) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", h.Run)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for who kept our pipes open
	err := cmd.Run()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return fmt.Errorf("%q took longer than %v and was ended", brief(h.Run), h.Timeout)
	case err != nil:
		return fmt.Errorf("%q: %w", brief(h.Run), err)
	}
	return nil
}

// brief is a command on one line, cut.
func brief(command string) string {
	text := strings.Join(strings.Fields(command), " ")
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return text
}

// around runs the before hooks, then do, and then the clean-up of every hook that had
// its turn, the last first, whatever happened: also when ctx has ended.
func around(ctx context.Context, pairs [][2][]Hook, out io.Writer, env []string, do func() error) (err error, cleanup error) {
	var wrong []error
	begun := 0
	for _, p := range pairs {
		begun++
		for _, h := range p[0] {
			if err = h.do(ctx, out, env...); err != nil {
				err = fmt.Errorf("before: %w", err)
				break
			}
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = do()
	}
	for i := begun - 1; i >= 0; i-- {
		after := pairs[i][1]
		for j := len(after) - 1; j >= 0; j-- {
			if failed := after[j].do(context.WithoutCancel(ctx), out, env...); failed != nil {
				wrong = append(wrong, fmt.Errorf("after: %w", failed))
			}
		}
	}
	return err, errors.Join(wrong...)
}
