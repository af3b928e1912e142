package live

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Precise returns the Pacer that wakes closest to the instant on this machine: here a
// kernel timer whose descriptor the runtime's poller watches, so that its end wakes
// the poller like an answer does, to the microsecond. Where that fails it is Timer.
func Precise() Pacer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return Timer()
	}
	p := &precise{fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), c: make(chan time.Time, 1), done: make(chan struct{})}
	go p.run()
	return p
}

type precise struct {
	fd   int
	file *os.File
	c    chan time.Time
	done chan struct{} // closed when run has returned
}

func (p *precise) run() {
	defer close(p.done)
	var expirations [8]byte
	for {
		if _, err := p.file.Read(expirations[:]); err != nil {
			return
		}
		select {
		case p.c <- time.Time{}:
		default: // one is there already
		}
	}
}

func (p *precise) Set(d time.Duration) {
	in := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))} // 0 would be never
	if err := unix.TimerfdSettime(p.fd, 0, &in, nil); err != nil {
		panic("live: set a timer: " + err.Error()) // the descriptor is ours and the value is valid
	}
}

func (p *precise) C() <-chan time.Time { return p.c }
func (p *precise) Settle()             {}

func (p *precise) Close() {
	p.file.Close()
	<-p.done
}

// fineTimers lets the calling thread, and those it starts, wake to the nanosecond
// instead of up to 50 µs late, which the kernel does to save wake-ups.
func fineTimers() {
	// It can fail only on kernels without it, where timers are as they are.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}
