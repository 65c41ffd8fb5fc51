package riposte

import (
	"context"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// page is an answer that says how to ask for the one after it.
type page interface {
	proto.Message
	GetNextPageToken() string
}

// pages walks from the page that the request asks for to the last one, holding one at a time. Fields that say where a
// walk begins are sent with its first page alone, beside whose token the service refuses them.
func pages[Q proto.Message, P page](
	ctx context.Context, list func(context.Context, Q, ...grpc.CallOption) (P, error), request Q,
	firstPageOnly ...protoreflect.Name,
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for request := request; ; {
			page, err := list(ctx, request)
			if !yield(page, err) || err != nil || page.GetNextPageToken() == "" {
				return
			}
			request = proto.CloneOf(request)
			next, fields := request.ProtoReflect(), request.ProtoReflect().Descriptor().Fields()
			for _, name := range firstPageOnly {
				next.Clear(fields.ByName(name))
			}
			next.Set(fields.ByName("page_token"), protoreflect.ValueOfString(page.GetNextPageToken()))
		}
	}
}

// items walks over what the pages hold.
func items[P page, T any](pages iter.Seq2[P, error], of func(P) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range pages {
			if err != nil {
				var none T
				yield(none, err)
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
