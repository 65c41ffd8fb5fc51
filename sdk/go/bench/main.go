//go:build unix

// Bench compares the client with the bare generated stub, and says how long a program takes to its first answer:
//
//	riposte dev --listen 127.0.0.1:0 --exec -- go run ./bench
//
// Rounds of both sides follow each other, so that what the machine does beside hits both; medians are printed.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

const (
	rounds = 40
	length = 150 * time.Millisecond
)

var request = &ripostev1.GetSubjectRequest{Key: &ripostev1.SubjectKey{ObjectType: "article", ObjectId: "42"}}

func main() {
	ctx := context.Background()
	start := time.Now()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Subject("article", "42").Get(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("first answer after %.1f ms\n", float64(time.Since(start).Microseconds())/1000)

	conn, err := grpc.NewClient(os.Getenv("RIPOSTE_TARGET"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| | bare stub | client | ratio of rates | processor time per call: bare stub | client |")
	for _, flight := range []int{1, 64} {
		var bare, ours side
		for range rounds {
			bare.round(ctx, ripostev1.NewSubjectServiceClient(conn), flight)
			ours.round(ctx, client.Subjects(), flight)
		}
		stub, sdk := median(bare.rates), median(ours.rates)
		fmt.Printf("| GetSubject, %d in flight | %.0f/s | %.0f/s | %.2f | %.0f µs | %.0f µs |\n",
			flight, stub, sdk, sdk/stub, median(bare.costs), median(ours.costs))
	}
}

// side is what was measured of one of two: calls a second, and microseconds of this process's processor time a call.
type side struct{ rates, costs []float64 }

// round calls by a stub for a while, with so many calls in flight.
func (s *side) round(ctx context.Context, stub ripostev1.SubjectServiceClient, flight int) {
	var made atomic.Int64
	var all sync.WaitGroup
	start, used := time.Now(), processor()
	for range flight {
		all.Go(func() {
			for time.Since(start) < length {
				if _, err := stub.GetSubject(ctx, request); err != nil {
					log.Fatal(err)
				}
				made.Add(1)
			}
		})
	}
	all.Wait()
	calls := float64(made.Load())
	s.rates = append(s.rates, calls/time.Since(start).Seconds())
	s.costs = append(s.costs, float64((processor()-used).Microseconds())/calls)
}

// processor is the processor time that this process has used.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
