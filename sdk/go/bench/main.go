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
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

const (
	rounds = 15
	length = 400 * time.Millisecond
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
	for _, flight := range []int{1, 64} {
		var bare, ours []float64
		for range rounds {
			bare = append(bare, rate(ctx, ripostev1.NewSubjectServiceClient(conn), flight))
			ours = append(ours, rate(ctx, client.Subjects(), flight))
		}
		stub, sdk := median(bare), median(ours)
		fmt.Printf("| GetSubject, %d in flight | %.0f/s | %.0f/s | %.2f |\n", flight, stub, sdk, sdk/stub)
	}
}

// rate is how many calls a second a stub makes with so many in flight.
func rate(ctx context.Context, stub ripostev1.SubjectServiceClient, flight int) float64 {
	var made atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
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
	return float64(made.Load()) / time.Since(start).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
