//go:build unix

package live

import "golang.org/x/sys/unix"

// raiseDescriptors raises the soft limit of descriptors to the hard one, and returns
// the limit that holds then.
func raiseDescriptors() uint64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return MaxConnections + reserved // unknown: dials will tell
	}
	raised := unix.Rlimit{Cur: l.Max, Max: l.Max}
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) == nil {
		l = raised
	}
	return uint64(l.Cur)
}
