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

// The first bound of the wait before a broken watch is opened again; it doubles up to the longest
// wait of a connection.
const firstPause = leastFirstWait

// watch follows a stream of events and, where it breaks, opens it again behind the last event seen,
// until the context ends, the client is closed or the service refuses. resume makes a request begin
// behind an event.
func watch[Q proto.Message, E any](
	ctx context.Context, closed func() bool, resume func(request Q, seen *E),
	open func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[E], error), request Q,
) iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		request, pause := proto.CloneOf(request), firstPause
		// What cannot be sent would fail as a broken stream does, for ever.
		if err := sendable(request); err != nil {
			yield(nil, err)
			return
		}
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
					pause = min(2*pause, longestWait)
					continue
				case <-ctx.Done():
					err = convert(ctx.Err(), nil)
				}
			}
			if !closed() {
				yield(nil, err)
			}
			return
		}
	}
}

// resumable says whether a stream that ended with an error is worth to be opened again, and not
// before when. What is INTERNAL without a reason is no answer of the service: the stream was reset
// on its way.
func resumable(ctx context.Context, err error) (wait time.Duration, again bool) {
	var failed *Error
	if !errors.As(err, &failed) {
		return 0, err == io.EOF
	}
	reset := failed.Code == codes.Internal && failed.Reason == ""
	return failed.RetryAfter, ctx.Err() == nil && (failed.Retryable() || reset)
}

// page is an answer that says how to ask for the one after it.
type page interface {
	proto.Message
	GetNextPageToken() string
}

// pages walks from the page that the request asks for to the last one, holding one at a time. turn
// makes a request that for the page of a token: fields that say where a walk begins go, because the
// service refuses them beside a token.
func pages[Q proto.Message, P page](
	ctx context.Context, list func(context.Context, Q, ...grpc.CallOption) (P, error), request Q,
	turn func(request Q, token string),
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for request := request; ; {
			page, err := list(ctx, request)
			if !yield(page, err) || err != nil || page.GetNextPageToken() == "" {
				return
			}
			request = proto.CloneOf(request)
			turn(request, page.GetNextPageToken())
		}
	}
}

// items walks over what the pages hold.
func items[P page, T any](pages iter.Seq2[P, error], of func(P) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range pages {
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range of(page) {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}
