package riposte

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// domain tells the service's own ErrorInfo from those of proxies on the way.
const domain = "riposte"

// Error says why a call failed. Every call of a [Client] fails with one, also through the generated
// stubs:
//
//	if errors.Is(err, riposte.ReasonSubjectReadOnly) { … }
//
//	var failed *riposte.Error
//	if errors.As(err, &failed) && failed.Retryable() { … }
type Error struct {
	// Code is the gRPC code.
	Code codes.Code
	// Reason is the service's reason, of this or of a later version, also for a field that the client
	// refuses; empty for all else that is no answer of the service.
	Reason Reason
	// Message is for a person to read; never stable.
	Message string
	// Metadata holds the facts of the reason; see the constants of [Reason].
	Metadata map[string]string
	// Violations are all fields at fault, for a request that is.
	Violations []Violation
	// RetryAfter is how long to wait before a repeat can succeed; 0 where the service does not say.
	RetryAfter time.Duration
	// RequestID is the id by which the service logged the call, to report with a fault; empty for what
	// never got there.
	RequestID string

	status *status.Status
}

// Violation is one field at fault.
type Violation struct {
	// Field is the path of the field from the request on, for example content.text.
	Field string
	// Description says what is wrong with it, for a person to read; never stable.
	Description string
}

// Retryable says whether the same call may succeed later, with nothing changed. What is UNAVAILABLE
// the client has then repeated in vain already.
func (e *Error) Retryable() bool {
	return e.Code == codes.Unavailable || e.Code == codes.ResourceExhausted && e.RetryAfter > 0
}

// Error writes the reason or else the code, the message, the violations that it does not tell, and
// the request id.
func (e *Error) Error() string {
	// All violations follow, so the message need not count them.
	counted := fmt.Sprintf(" (and %d more)", len(e.Violations)-1)
	text := cmp.Or(string(e.Reason), e.Code.String()) + ": " + strings.TrimSuffix(e.Message, counted)
	for _, violation := range e.Violations {
		if !strings.Contains(e.Message, violation.Description) {
			text += "; " + violation.Field + ": " + violation.Description
		}
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// GRPCStatus is the status as it was sent, so that status.Code and status.FromError read an Error
// too.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// Is lets errors.Is compare an error with a [Reason], and with the errors of a context that ended
// the call.
func (e *Error) Is(target error) bool {
	return e.Reason != "" && target == error(e.Reason) ||
		e.Code == codes.DeadlineExceeded && target == context.DeadlineExceeded ||
		e.Code == codes.Canceled && target == context.Canceled
}

// Reason is a reason of the service, as it is sent. The constants are those that this version
// knows.
type Reason string

// Error makes a reason a target of errors.Is.
func (r Reason) Error() string { return string(r) }

// convert reads what gRPC answered; the end of a stream stays what it is.
func convert(err error, trailer metadata.MD) error {
	if _, done := err.(*Error); done || err == nil || err == io.EOF {
		return err
	}
	answer := status.FromContextError(err)
	var said interface{ GRPCStatus() *status.Status }
	if errors.As(err, &said) {
		answer = said.GRPCStatus()
	} else if errors.Is(err, io.EOF) {
		answer = refused(trailer)
	}
	made := &Error{Code: answer.Code(), Message: answer.Message(), status: answer}
	for _, detail := range answer.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain == domain {
				made.Reason, made.Metadata = Reason(detail.Reason), detail.Metadata
			}
		case *errdetails.BadRequest:
			for _, field := range detail.FieldViolations {
				made.Violations = append(made.Violations, Violation{field.Field, field.Description})
			}
		case *errdetails.RetryInfo:
			made.RetryAfter = detail.RetryDelay.AsDuration()
		}
	}
	if ids := trailer.Get("riposte-request-id"); len(ids) > 0 {
		made.RequestID = ids[0]
	}
	return made
}

// unanswered names the address of a call that no service has answered.
func unanswered(conn *grpc.ClientConn, err error) error {
	if failed, ok := err.(*Error); ok && failed.RequestID == "" &&
		(failed.Code == codes.Unavailable || failed.Code == codes.DeadlineExceeded) {
		// The last is all that gRPC tells of a name without an address.
		failed.Message = strings.TrimPrefix(conn.Target(), "dns:///") + ": " +
			strings.Replace(failed.Message, "no children to pick from", "no address of this name is found", 1)
	}
	return err
}

// refused reads from its trailer the answer of a server that refused a call before it had read the
// request. Once the attempts are used up, gRPC tells of such a call no more than the end of its
// stream. What it has attempted again was UNAVAILABLE.
func refused(trailer metadata.MD) *status.Status {
	var answer statuspb.Status
	for _, sent := range trailer.Get("grpc-status-details-bin") {
		if proto.Unmarshal([]byte(sent), &answer) == nil {
			return status.FromProto(&answer)
		}
	}
	return status.New(codes.Unavailable, "the call was refused")
}

// invalid is an error that never left this process.
func invalid(format string, facts ...any) error {
	return convert(status.Error(codes.InvalidArgument, fmt.Sprintf(format, facts...)), nil)
}
