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
	"google.golang.org/protobuf/proto"
)

// The bounds of the wait before a broken watch is opened again: it doubles from the first to the last.
const firstPause, lastPause = 100 * time.Millisecond, 5 * time.Second

// watch follows a stream of events and, where it breaks, opens it again behind the last event seen, until the context
// ends or the service refuses. resume makes a request begin behind an event.
func watch[Q proto.Message, E any](
	ctx context.Context,
	open func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[E], error), request Q,
	resume func(request Q, seen *E),
) iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		request, pause := proto.CloneOf(request), firstPause
		for {
			stream, err := open(ctx, request)
			for err == nil {
				var event *E
				if event, err = stream.Recv(); err == nil {
					resume(request, event)
					pause = firstPause
					if !yield(event, nil) {
						return
					}
				}
			}
			wait, again := resumable(ctx, err)
			if again {
				select {
				case <-time.After(max(wait, rand.N(pause))):
					pause = min(2*pause, lastPause)
					continue
				case <-ctx.Done():
					err = convert(ctx.Err(), nil)
				}
			}
			yield(nil, err)
			return
		}
	}
}

// resumable says whether a stream that ended with an error is worth to be opened again, and not before when. What is
// INTERNAL without a reason is no answer of the service: the stream was reset on its way.
func resumable(ctx context.Context, err error) (wait time.Duration, again bool) {
	var failed *Error
	if !errors.As(err, &failed) {
		return 0, err == io.EOF
	}
	reset := failed.Code == codes.Internal && failed.Reason == ""
	return failed.RetryAfter, ctx.Err() == nil && (failed.Retryable() || reset)
}
