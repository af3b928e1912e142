//go:build !unix

package live

// raiseDescriptors: sockets have no such limit here.
func raiseDescriptors() uint64 { return MaxConnections + reserved }
