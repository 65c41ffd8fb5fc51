//go:build unix

// Bench tells calls per second of one client beside those of the bare generated stub, at the server
// that RIPOSTE_TARGET names. `cargo xtask bench sdk` runs it; docs/benchmarks/sdk.md says what the
// figures mean.
//
//	bench first             one call, from nothing
//	bench ROUNDS SECONDS    both by turns; a line of JSON for each way to call
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

var request = &ripostev1.GetSubjectRequest{Key: &ripostev1.SubjectKey{ObjectType: "article", ObjectId: "42"}}

func main() {
	ctx := context.Background()
	client := must(riposte.FromEnv())
	if os.Args[1] == "first" {
		must(client.Subject("article", "42").Get(ctx))
		fmt.Println("answered")
		return
	}
	rounds, seconds := must(strconv.Atoi(os.Args[1])), must(strconv.ParseFloat(os.Args[2], 64))
	length := time.Duration(seconds * float64(time.Second))
	conn := must(grpc.NewClient(os.Getenv("RIPOSTE_TARGET"), grpc.WithTransportCredentials(insecure.NewCredentials())))
	stubs := [2]ripostev1.SubjectServiceClient{client.Subjects(), ripostev1.NewSubjectServiceClient(conn)}
	for _, flight := range []int{1, 64} {
		compare(ctx, stubs, flight, rounds, length)
	}
}

// compare lets the sides take turns and changes who begins; the first round warms both up.
func compare(ctx context.Context, stubs [2]ripostev1.SubjectServiceClient, flight, rounds int, length time.Duration) {
	var rates, costs [2][]float64
	var ratios []float64
	for number := range rounds + 1 {
		var rate, cost [2]float64
		for turn := range stubs {
			side := (number + turn) % len(stubs)
			rate[side], cost[side] = measure(ctx, stubs[side], flight, length)
		}
		if number == 0 {
			continue
		}
		for side := range stubs {
			rates[side], costs[side] = append(rates[side], rate[side]), append(costs[side], cost[side])
		}
		ratios = append(ratios, rate[0]/rate[1])
	}
	fmt.Printf("%s\n", must(json.Marshal(map[string]any{
		"how":    fmt.Sprintf("%d in flight", flight),
		"client": median(rates[0]), "client_us": median(costs[0]),
		"stub": median(rates[1]), "stub_us": median(costs[1]),
		"ratio": median(ratios),
	})))
}

// measure calls by a stub for a while, with so many calls in flight: calls per second, and
// microseconds of this process's processor time for each.
func measure(ctx context.Context, stub ripostev1.SubjectServiceClient, flight int, length time.Duration) (rate, cost float64) {
	var made atomic.Int64
	var all sync.WaitGroup
	start, used := time.Now(), processor()
	for range flight {
		all.Go(func() {
			for time.Since(start) < length {
				must(stub.GetSubject(ctx, request))
				made.Add(1)
			}
		})
	}
	all.Wait()
	calls := float64(made.Load())
	return calls / time.Since(start).Seconds(), float64((processor() - used).Microseconds()) / calls
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

// must ends the program with the error, if there is one.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
