package riposte

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

// The bounds of the wait before a broken watch is opened again: it doubles from the first to the last.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// watch follows a stream of events and, where it breaks, opens it again behind the last event seen, until the context
// ends or the service refuses.
func watch[E any](
	ctx context.Context, after int64,
	open func(ctx context.Context, after int64) (grpc.ServerStreamingClient[E], error),
	revision func(*E) int64,
) iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		after, pause := after, firstPause
		for {
			stream, err := open(ctx, after)
			for err == nil {
				var event *E
				if event, err = stream.Recv(); err == nil {
					if !yield(event, nil) {
						return
					}
					after, pause = revision(event), firstPause
				}
			}
			wait := rand.N(pause)
			var failed *Error
			if errors.As(err, &failed) {
				if ctx.Err() != nil || !failed.Retryable() && !failed.broken() {
					yield(nil, err)
					return
				}
				wait = max(wait, failed.RetryAfter)
			} else if err != io.EOF {
				yield(nil, err)
				return
			}
			select {
			case <-time.After(wait):
				pause = min(2*pause, lastPause)
			case <-ctx.Done():
				yield(nil, convert(ctx.Err(), nil))
				return
			}
		}
	}
}

// broken says that a stream was reset on its way: the service itself gives a reason with these codes.
func (e *Error) broken() bool {
	return e.Reason == "" && (e.Code == codes.Internal || e.Code == codes.Unknown || e.Code == codes.Canceled)
}
