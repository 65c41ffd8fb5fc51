package riposte

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// sendable refuses a request with fields at fault, and one with a text that is no valid UTF-8,
// which no message can carry. The error, FIELD_INVALID, names all such fields. A request that is
// nil is refused as well.
func sendable(request any, bad ...*errdetails.BadRequest_FieldViolation) error {
	message, ok := request.(proto.Message)
	if !ok {
		return nil
	} else if !message.ProtoReflect().IsValid() {
		return invalid("the %s is nil", message.ProtoReflect().Descriptor().Name())
	}
	(*faults)(&bad).addTexts(message.ProtoReflect())
	if bad == nil {
		return nil
	}
	told := make([]string, len(bad))
	for at, one := range bad {
		told[at] = one.Field + ": " + one.Description
	}
	reason := &errdetails.ErrorInfo{Reason: bad[0].Reason, Domain: domain}
	if len(bad) > 1 {
		reason.Reason = string(ReasonFieldInvalid)
	}
	said, err := status.New(codes.InvalidArgument, strings.Join(told, "; ")).
		WithDetails(reason, &errdetails.BadRequest{FieldViolations: bad})
	return convert(cmp.Or(err, said.Err()), nil)
}

// header matches the name and the value of a header, with a line break between.
var header = regexp.MustCompile(`\A[a-z0-9_.-]+(-bin\n|\n[ -~]*\z)`)

// sendableHeaders refuses metadata of a context that no call can carry: gRPC's own error is
// INTERNAL.
func sendableHeaders(ctx context.Context) error {
	sent, _ := metadata.FromOutgoingContext(ctx)
	for name, values := range sent {
		for _, value := range values {
			if !header.MatchString(name + "\n" + value) {
				return invalid("metadata: %q or its value cannot be sent", name)
			}
		}
	}
	return nil
}

// addTexts adds the texts of a message that are no valid UTF-8.
func (f *faults) addTexts(message protoreflect.Message) {
	// The only error is that of the function.
	_ = protorange.Range(message, func(at protopath.Values) error {
		last, path := at.Index(-1), at.Path
		text, _ := last.Value.Interface().(string)
		if last.Step.Kind() == protopath.MapIndexStep {
			text, path = last.Step.MapIndex().String()+"\n"+text, path[:len(path)-1]
		}
		if !utf8.ValidString(text) {
			_, field, _ := strings.Cut(path.String(), ").") // behind the type of the message
			f.add(true, field, "is no valid UTF-8", ReasonFieldInvalid)
		}
		return nil
	})
}
