package riposte

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
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
	eachText(message.ProtoReflect(), "", func(path, text string) {
		(*faults)(&bad).add(!utf8.ValidString(text), path, "is no valid UTF-8")
	})
	if bad == nil {
		return nil
	}
	told := make([]string, len(bad))
	for at, one := range bad {
		told[at] = one.Field + ": " + one.Description
	}
	reason := &errdetails.ErrorInfo{Reason: string(ReasonFieldInvalid), Domain: domain}
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

// eachText visits all texts of a message with their paths.
func eachText(message protoreflect.Message, at string, visit func(path, text string)) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		path := at + string(field.Name())
		one := func(path string, value protoreflect.Value) {
			switch inner := value.Interface().(type) {
			case string:
				visit(path, inner)
			case protoreflect.Message:
				eachText(inner, path+".", visit)
			}
		}
		if field.IsMap() {
			value.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
				one(path, key.Value())
				one(path, value)
				return true
			})
		} else if field.IsList() {
			for n := range value.List().Len() {
				one(fmt.Sprintf("%s[%d]", path, n), value.List().Get(n))
			}
		} else {
			one(path, value)
		}
		return true
	})
}
