package riposte

import (
	"context"
	"iter"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// page is an answer that says how to ask for the one after it.
type page interface {
	proto.Message
	GetNextPageToken() string
}

// pages walks from the page that the request asks for to the last one, holding one at a time.
func pages[Q proto.Message, P page](
	ctx context.Context, list func(context.Context, Q, ...grpc.CallOption) (P, error), request Q,
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for request := request; ; {
			page, err := list(ctx, request)
			if !yield(page, err) || err != nil || page.GetNextPageToken() == "" {
				return
			}
			request = following(request, page.GetNextPageToken())
		}
	}
}

// following asks for the page with a token. Where in the list to begin is said by the first page's request alone.
func following[Q proto.Message](request Q, token string) Q {
	next := shallow(request.ProtoReflect())
	fields := next.Descriptor().Fields()
	for at := range fields.Len() {
		if strings.HasPrefix(string(fields.Get(at).Name()), "around_") {
			next.Clear(fields.Get(at))
		}
	}
	next.Set(fields.ByName("page_token"), protoreflect.ValueOfString(token))
	return next.Interface().(Q)
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
