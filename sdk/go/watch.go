package riposte

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Watch is an open stream of events. Close it in the end, or end its context.
type Watch[E any] struct {
	read   func() (*E, error)
	ahead  []*E // came and was not asked for yet
	cancel context.CancelFunc
	over   func() bool
	done   atomic.Bool
}

// Events walks over the events as they come. It ends with the first error, and without one when the
// watch or its client is closed. Leaving the walk closes the watch.
func (w *Watch[E]) Events() iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		defer w.Close()
		for !w.done.Load() {
			event, err := w.next()
			if w.done.Load() || w.over() || !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func (w *Watch[E]) next() (*E, error) {
	if len(w.ahead) == 0 {
		return w.read()
	}
	event := w.ahead[0]
	w.ahead = w.ahead[1:]
	return event, nil
}

// Close ends the watch; who waits for its next event finds its end.
func (w *Watch[E]) Close() {
	w.done.Store(true)
	w.cancel()
}

// place says where a watch keeps its place: the field of the request that takes a revision, the
// revision of an event, or -1, and whether it is the event that opens a stream, and how that event
// and a gap are made.
type place[Q, E any] struct {
	resume   func(Q) *int64
	revision func(*E) (revision int64, opened bool)
	opened   func(revision int64) *E
	gap      func(first, last int64) *E
}

// keep moves a request behind an event, and returns the gap that comes after it, if any: what came
// after revision 0, from which no stream can resume, is lost.
func (at place[Q, E]) keep(request Q, event *E, began bool) (lost *E) {
	revision, opened := at.revision(event)
	if revision < 0 {
		return nil
	}
	resume := at.resume(request)
	if began && opened && revision > *resume && *resume == 0 {
		lost = at.gap(1, revision)
	}
	*resume = revision
	return lost
}

// watch opens a stream of events. Where it breaks later, it is opened again behind the last event
// seen, until the context ends, the client is closed or the service refuses. keep moves the request
// behind an event, and returns one that comes after it, if any.
func watch[Q proto.Message, E any](
	ctx context.Context, closed func() bool,
	open func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[E], error), request Q, keep func(request Q, event *E, began bool) *E,
) (*Watch[E], error) {
	// What cannot be sent would fail as a broken stream does, for ever.
	if err := sendable(request); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch[E]{cancel: cancel, over: closed}
	// The bound of the wait before a broken watch is opened again; it doubles up to the longest wait
	// of a connection.
	pause := leastFirstWait
	request, began := proto.CloneOf(request), false
	until := time.Now().Add(openWithin)
	var stream grpc.ServerStreamingClient[E]
	var last error // before the one of the time's end
	w.read = func() (*E, error) {
		for {
			var event *E
			var err error
			if stream == nil {
				stream, err = open(ctx, request)
			}
			if err == nil {
				event, err = stream.Recv()
			}
			if err == nil {
				pause = leastFirstWait
				if lost := keep(request, event, began); lost != nil {
					w.ahead = append(w.ahead, lost)
				}
				began = true
				return event, nil
			}
			stream = nil
			wait, again := resumable(ctx, err, !began)
			wait = max(wait, rand.N(pause))
			if left := time.Until(until); again && !began {
				if again = left > 0; again {
					wait = min(wait, left)
				} else if status.Code(err) != codes.Unavailable {
					err = late(last)
				}
			}
			if !again {
				return nil, err
			}
			last = err
			select {
			case <-time.After(wait):
				pause = min(2*pause, longestWait)
			case <-ctx.Done():
				return nil, convert(ctx.Err(), nil)
			}
		}
	}
	// An attempt that nobody answers ends with the time to open the stream.
	timer := time.AfterFunc(openWithin, cancel)
	event, err := w.read()
	if !timer.Stop() && status.Code(err) != codes.Unavailable {
		err = late(last)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	w.ahead = append([]*E{event}, w.ahead...)
	return w, nil
}

// late is the error of a watch that no service has opened.
func late(last error) error {
	cause := cmp.Or(last, errors.New("nobody answers"))
	return convert(status.Errorf(codes.Unavailable, "the watch was not opened within %v: %v", openWithin, cause), nil)
}

// resumable says whether a stream that ended with an error is worth to be opened again, and not
// before when. What is INTERNAL without a reason is no answer of the service: the stream was reset
// on its way. The first stream is opened again only where the service is UNAVAILABLE.
func resumable(ctx context.Context, err error, first bool) (wait time.Duration, again bool) {
	var failed *Error
	if !errors.As(err, &failed) {
		return 0, err == io.EOF
	}
	reset := failed.Code == codes.Internal && failed.Reason == ""
	heals := failed.Code == codes.Unavailable || !first && failed.Retryable()
	return failed.RetryAfter, ctx.Err() == nil && (heals || reset)
}
