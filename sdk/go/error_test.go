package riposte

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

func detailed(t *testing.T, code codes.Code, message string, details ...protoadapt.MessageV1) error {
	t.Helper()
	made, err := status.New(code, message).WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return made.Err()
}

func TestEverythingAnAnswerTellsCanBeRead(t *testing.T) {
	sent := detailed(t, codes.InvalidArgument, "2 fields",
		&errdetails.ErrorInfo{Reason: "FIELD_INVALID", Domain: domain, Metadata: map[string]string{"limit": "64"}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "member_id", Description: "is empty"}, {Field: "content.text", Description: "is empty"},
		}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(200 * time.Millisecond)})
	err := convert(sent, metadata.Pairs("riposte-request-id", "r-1"))
	var failed *Error
	if !errors.As(err, &failed) || !errors.Is(err, ReasonFieldInvalid) || errors.Is(err, ReasonSubjectHidden) {
		t.Fatalf("%v", err)
	}
	if failed.Metadata["limit"] != "64" || failed.RetryAfter != 200*time.Millisecond || failed.Retryable() {
		t.Fatalf("%+v", failed)
	}
	if status.Code(err) != codes.InvalidArgument {
		t.Fatalf("gRPC reads the code %v", status.Code(err))
	}
	want := "FIELD_INVALID: 2 fields; member_id: is empty; content.text: is empty (request r-1)"
	if err.Error() != want {
		t.Fatalf("%q", err)
	}
}

func TestWhatTheMessageTellsIsNotToldAgain(t *testing.T) {
	err := convert(detailed(t, codes.InvalidArgument, "invalid request: member_id: is empty",
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "member_id", Description: "is empty"}}}), nil)
	if err.Error() != "InvalidArgument: invalid request: member_id: is empty" {
		t.Fatalf("%q", err)
	}
}

func TestWhatTheMessageCountsIsToldInstead(t *testing.T) {
	fields := &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "member_id", Description: "is empty"}, {Field: "content.text", Description: "is blank"},
	}}
	err := convert(detailed(t, codes.InvalidArgument, "member_id: is empty (and 1 more)", fields), nil)
	if err.Error() != "InvalidArgument: member_id: is empty; content.text: is blank" {
		t.Fatalf("%q", err)
	}
}

func TestARequestThatIsNilIsRefused(t *testing.T) {
	client, err := Connect(Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, unary := client.Comments().CreateComment(t.Context(), nil)
	_, list := client.ListComments(t.Context(), nil)
	_, watch := client.WatchSubject(t.Context(), nil)
	for _, err := range []error{unary, list, watch} {
		if status.Code(err) != codes.InvalidArgument || !strings.HasSuffix(err.Error(), "Request is nil") {
			t.Errorf("%v", err)
		}
	}
}

func TestACallThatNobodyAnswersNamesItsAddress(t *testing.T) {
	client, err := Connect(Options{Target: "nowhere.invalid:7171"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, call := client.Subject("article", "1").Get(ctx)
	for _, err := range []error{call, client.WaitReady(ctx)} {
		if !strings.Contains(err.Error(), "nowhere.invalid:7171: ") {
			t.Errorf("%v", err)
		}
	}
}

func TestAnAnswerOfSomebodyElseHasNoReason(t *testing.T) {
	err := convert(detailed(t, codes.NotFound, "no", &errdetails.ErrorInfo{Reason: "SUBJECT_NOT_FOUND", Domain: "elsewhere"}), nil)
	if errors.Is(err, ReasonSubjectNotFound) || err.Error() != "NotFound: no" {
		t.Fatalf("%q", err)
	}
}

func TestWhatIsWorthARepeat(t *testing.T) {
	wait := &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}
	for _, one := range []struct {
		sent error
		want bool
	}{
		{status.Error(codes.Unavailable, "gone"), true},
		{status.Error(codes.ResourceExhausted, "full"), false},
		{detailed(t, codes.ResourceExhausted, "full", wait), true},
		{detailed(t, codes.Internal, "broken", wait), false},
		{status.Error(codes.DeadlineExceeded, "late"), false},
	} {
		var failed *Error
		if !errors.As(convert(one.sent, nil), &failed) || failed.Retryable() != one.want {
			t.Errorf("%v: retryable %v", one.sent, !one.want)
		}
	}
}

func TestErrorsAreConvertedOnce(t *testing.T) {
	once := convert(context.DeadlineExceeded, nil)
	if !errors.Is(once, context.DeadlineExceeded) || errors.Is(once, context.Canceled) {
		t.Fatalf("%v", once)
	}
	if convert(once, nil) != once || convert(nil, nil) != nil || convert(io.EOF, nil) != io.EOF {
		t.Fatal("an error that needs no conversion was converted")
	}
}

func TestTheAnswerOfACallWhoseAttemptsAreUsedUpIsThatOfTheLast(t *testing.T) {
	gone := detailed(t, codes.Unavailable, "gone", &errdetails.ErrorInfo{Reason: "SHARD_UNAVAILABLE", Domain: domain})
	sent, err := proto.Marshal(status.Convert(gone).Proto())
	if err != nil {
		t.Fatal(err)
	}
	trailer := metadata.Pairs("grpc-status-details-bin", string(sent), "riposte-request-id", "r-1")
	for _, last := range []error{gone, io.EOF} {
		used := convert(fmt.Errorf("max retries exhausted: failed after 3 attempts: %w", last), trailer)
		if used.Error() != "SHARD_UNAVAILABLE: gone (request r-1)" {
			t.Errorf("%v", used)
		}
	}
	if bare := convert(fmt.Errorf("attempts: %w", io.EOF), nil); status.Code(bare) != codes.Unavailable {
		t.Errorf("%v", bare)
	}
}
