// Command grpclab is a gRPC server that stalls on purpose: the lab for load generators
// that speak gRPC, which openload's lab does not. It is a module of its own, so that
// openload needs no gRPC. It answers grpc.health.v1.Health/Check, and reflection, for
// tools that have no .proto file. It prints where it listens; when its input ends it
// prints what it saw, and stops.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

// A server answers checks. Calls are numbered from 1, as they arrive; 0 is none.
type server struct {
	health.UnimplementedHealthServer
	service    time.Duration // of every call
	stallCall  int64         // the first that takes stall; others are answered meanwhile
	stallCalls int64         // how many do: with one for each worker of a tool, all wait
	stall      time.Duration
	failCall   int64 // is refused as Internal
	calls      atomic.Int64
	failed     atomic.Int64
}

// Check is one call. Who gives up is not waited for.
func (s *server) Check(ctx context.Context, _ *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	n := s.calls.Add(1)
	took := s.service
	if s.stallCall > 0 && n >= s.stallCall && n < s.stallCall+s.stallCalls {
		took = s.stall
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
	}
	if n == s.failCall {
		s.failed.Add(1)
		return nil, status.Error(codes.Internal, `boom, with "comma"`)
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
}

func main() {
	s := new(server)
	flag.DurationVar(&s.service, "service", time.Millisecond, "how long a call takes")
	flag.Int64Var(&s.stallCall, "stall-call", 0, "the first call that stalls, from 1; 0 for none")
	flag.Int64Var(&s.stallCalls, "stall-calls", 1, "how many calls stall")
	flag.DurationVar(&s.stall, "stall", time.Second, "how long a call takes that stalls")
	flag.Int64Var(&s.failCall, "fail-call", 0, "the call that fails, from 1; 0 for none")
	flag.Parse()

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	g := grpc.NewServer()
	health.RegisterHealthServer(g, s)
	reflection.Register(g)
	fmt.Println(ln.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		g.Stop()
	}()
	if err := g.Serve(ln); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("calls %d failed %d\n", s.calls.Load(), s.failed.Load())
}
