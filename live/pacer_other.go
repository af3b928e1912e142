//go:build !linux

package live

// Precise returns the Pacer that wakes closest to the instant on this machine: here a
// Go timer.
func Precise() Pacer { return Timer() }

// fineTimers: nothing to set here.
func fineTimers() {}
