package riposte

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// calls is what every call of a client passes through, whichever stub makes it. It stands outside
// of gRPC's own retries, so that all attempts of a call share its deadline and its request id.
type calls struct{ ids *RequestIDs }

// unary gives a call its deadline, unless the caller set one, its request id, and its error.
func (c calls) unary(
	ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	opts ...grpc.CallOption,
) error {
	if _, set := ctx.Deadline(); !set && timeout(method) > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout(method))
		defer cancel()
	}
	if err := cmp.Or(sendableHeaders(ctx), sendable(request)); err != nil {
		return err
	}
	var trailer metadata.MD
	own := append(slices.Clip(opts), grpc.Trailer(&trailer))
	// The end of a stream is a refusal here; see refused.
	err := errors.Join(invoke(ctx, method, c.ids.fill(request), answer, conn, own...))
	return unanswered(conn, convert(err, trailer))
}

// stream gives a stream its request ids and its errors; it has no deadline but the caller's.
func (c calls) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer,
	opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if err := sendableHeaders(ctx); err != nil {
		return nil, err
	}
	opened, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, unanswered(conn, convert(err, nil))
	}
	return stream{opened, c.ids, conn}, nil
}

type stream struct {
	grpc.ClientStream
	ids  *RequestIDs
	conn *grpc.ClientConn
}

func (s stream) SendMsg(message any) error {
	// gRPC refuses it as well, and ends the stream by that.
	refused := sendable(message)
	err := s.ClientStream.SendMsg(s.ids.fill(message))
	return cmp.Or(refused, convert(err, nil))
}

func (s stream) RecvMsg(message any) error {
	if err := s.ClientStream.RecvMsg(message); err != nil {
		return unanswered(s.conn, convert(err, s.Trailer()))
	}
	return nil
}
