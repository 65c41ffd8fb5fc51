package riposte

import (
	"cmp"
	"context"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// page is an answer that says how to ask for the one after it.
type page interface {
	proto.Message
	GetNextPageToken() string
}

// pages walks from the page that the request asks for to the last one, holding one at a time. turn
// makes a request that for the page of a token: fields that say where a walk begins go, because the
// service refuses them beside a token. The error is that of a request at fault.
func pages[Q proto.Message, P page](
	ctx context.Context, list func(context.Context, Q, ...grpc.CallOption) (P, error), request Q,
	wrong faults, turn func(request Q, token string),
) (iter.Seq2[P, error], error) {
	if err := cmp.Or(sendableHeaders(ctx), sendable(request, wrong...)); err != nil {
		return nil, err
	}
	return func(yield func(P, error) bool) {
		for request := request; ; {
			page, err := list(ctx, request)
			if !yield(page, err) || err != nil || page.GetNextPageToken() == "" {
				return
			}
			request = proto.CloneOf(request)
			turn(request, page.GetNextPageToken())
		}
	}, nil
}

// items walks over what the pages of a walk hold.
func items[P, T any](pages iter.Seq2[P, error], of func(P) []T) iter.Seq2[T, error] {
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

// mapped walks over what is made of the items of a walk.
func mapped[T, U any](walk iter.Seq2[T, error], hold func(T) U) iter.Seq2[U, error] {
	return items(walk, func(item T) []U { return []U{hold(item)} })
}

// held is what is made of all messages of a list.
func held[T, U any](messages []T, hold func(T) U) []U {
	all := make([]U, len(messages))
	for at, message := range messages {
		all[at] = hold(message)
	}
	return all
}
