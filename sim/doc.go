// Package sim is the engine's World in virtual time: a server's model instead of
// sockets, and a clock that jumps to whatever happens next. A run of hours takes
// milliseconds and gives the same numbers every time.
//
// The wire takes no time: a request arrives the instant it is sent, and an answer
// is read the instant it leaves. Our own lag is therefore zero.
package sim
