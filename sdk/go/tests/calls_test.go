package tests

import (
	"context"
	"errors"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// silent takes calls and leaves them without an answer until their end.
func silent(_ any, stream grpc.ServerStream) error {
	<-stream.Context().Done()
	return stream.Context().Err()
}

func TestEveryCallEndsByItsDeadlineAndNoStreamHasOne(t *testing.T) {
	target, _ := anyServer(t, silent)
	client := connect(t, riposte.Options{Target: target, AdminTarget: target})
	stubs := []any{client.Subjects(), client.Comments(), client.Replies(), client.Likes(), client.Admin()}
	var unary, streams int
	var all sync.WaitGroup
	for _, stub := range stubs {
		stub := reflect.ValueOf(stub)
		for at := range stub.NumMethod() {
			method, name := stub.Method(at), stub.Type().Method(at).Name
			if method.Type().NumIn() != 3 || method.Type().Out(0).Kind() != reflect.Pointer {
				streams++
				continue
			}
			unary++
			all.Go(func() {
				start, request := time.Now(), reflect.New(method.Type().In(1).Elem())
				results := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
				err, _ := results[1].Interface().(error)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 6*time.Second {
					t.Errorf("%s: %v after %v", name, err, time.Since(start))
				}
			})
		}
	}
	all.Go(func() {
		start := time.Now()
		_, err := client.Subject("article", "42").Watch(t.Context())
		if status.Code(err) != codes.Unavailable || time.Since(start) < 4900*time.Millisecond {
			t.Errorf("the stream: %v after %v", err, time.Since(start))
		}
	})
	all.Wait()
	if unary < 25 || streams < 7 {
		t.Fatalf("only %d unary methods and %d streams were found", unary, streams)
	}
}

func TestACallersOwnDeadlineWins(t *testing.T) {
	// A read has a deadline of 2 s by default.
	for _, limit := range []time.Duration{100 * time.Millisecond, 3 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		start := time.Now()
		ctx = metadata.AppendToOutgoingContext(ctx, "riposte-fault", "delay_ms=10000")
		_, err := dev.Client.Subject("article", "42").Get(ctx)
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took < limit*9/10 || took > limit+time.Second {
			t.Fatalf("%v after %v", err, took)
		}
	}
}

// gone is how a service refuses that is not available.
var gone = func() error {
	answer, err := status.New(codes.Unavailable, "gone").WithDetails(&errdetails.ErrorInfo{
		Reason: string(riposte.ReasonShardUnavailable), Domain: "riposte",
	})
	if err != nil {
		panic(err)
	}
	return answer.Err()
}()

// slow lets the answer of a call arrive before its request is sent.
type slow struct{}

func (slow) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (slow) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (slow) HandleConn(context.Context, stats.ConnStats)                       {}

func (slow) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, sent := event.(*stats.OutHeader); sent {
		time.Sleep(20 * time.Millisecond)
	}
}

func TestARefusalThatComesBeforeTheRequestKeepsItsReason(t *testing.T) {
	target, _ := anyServer(t, func(any, grpc.ServerStream) error { return gone })
	client := connect(t, riposte.Options{Target: target, DialOptions: []grpc.DialOption{grpc.WithStatsHandler(slow{})}})
	_, err := client.Subject("article", "42").Get(t.Context())
	if !errors.Is(err, riposte.ReasonShardUnavailable) || status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
}

func TestTheEndOfAStreamIsARefusalOfACall(t *testing.T) {
	ended := func(context.Context, string, any, any, *grpc.ClientConn, grpc.UnaryInvoker, ...grpc.CallOption) error {
		return io.EOF
	}
	options := []grpc.DialOption{grpc.WithChainUnaryInterceptor(ended)}
	client := connect(t, riposte.Options{Target: "127.0.0.1:1", DialOptions: options})
	_, err := client.Subject("article", "42").Get(t.Context())
	if failed, ok := err.(*riposte.Error); !ok || failed.Code != codes.Unavailable {
		t.Fatal(err)
	}
}

func TestADeadServiceSeesHardlyMoreAttemptsThanCalls(t *testing.T) {
	var attempts atomic.Int64
	target, _ := anyServer(t, func(any, grpc.ServerStream) error {
		attempts.Add(1)
		return gone
	})
	client := connect(t, riposte.Options{Target: target})
	const calls = 1000
	for range calls {
		_, err := client.Subject("article", "42").Get(t.Context())
		if status.Code(err) != codes.Unavailable || !errors.Is(err, riposte.ReasonShardUnavailable) {
			t.Fatal(err)
		}
	}
	if seen := attempts.Load(); seen <= calls || seen > calls*11/10 {
		t.Fatalf("%d attempts for %d calls", seen, calls)
	}
}

func TestAllAttemptsOfAWriteHaveOneRequestIDAndNoTwoWritesShareIt(t *testing.T) {
	seen := map[string]int{}
	target, _ := anyServer(t, func(_ any, stream grpc.ServerStream) error {
		var request ripostev1.SetLikeRequest
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		if seen[request.RequestId]++; seen[request.RequestId] < 3 {
			return status.Error(codes.Unavailable, "later")
		}
		return stream.SendMsg(&ripostev1.SetLikeResponse{})
	})
	client := connect(t, riposte.Options{Target: target})
	request := &ripostev1.SetLikeRequest{CommentId: 7, MemberId: "m9"}
	for range 2 {
		if _, err := client.Likes().SetLike(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 2 || seen[""] > 0 {
		t.Fatalf("%v", seen)
	}
	for id, attempts := range seen {
		if attempts != 3 {
			t.Errorf("%d attempts of %s", attempts, id)
		}
	}
}

func TestTheRequestIDOfASuccessIsInItsTrailer(t *testing.T) {
	var trailer metadata.MD
	request := &ripostev1.GetSubjectRequest{Key: dev.Client.Subject("article", "42").SubjectKey}
	if _, err := dev.Client.Subjects().GetSubject(t.Context(), request, grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	if len(trailer.Get("riposte-request-id")) != 1 {
		t.Fatalf("%v", trailer)
	}
}

func TestCallsAreSpreadEvenlyAndNoneFailsWhenAServerStops(t *testing.T) {
	const servers, calls = 8, 2000
	var counts [servers]atomic.Int64
	var addresses []resolver.Endpoint
	var running [servers]*grpc.Server
	for at := range servers {
		var target string
		target, running[at] = anyServer(t, func(_ any, stream grpc.ServerStream) error {
			counts[at].Add(1)
			return stream.SendMsg(&ripostev1.GetSubjectResponse{})
		})
		addresses = append(addresses, resolver.Endpoint{Addresses: []resolver.Address{{Addr: target}}})
	}
	names := manual.NewBuilderWithScheme("dns")
	names.InitialState(resolver.State{Endpoints: addresses})
	direct := riposte.Options{Target: "comments:1", Proxy: "none", DialOptions: []grpc.DialOption{grpc.WithResolvers(names)}}
	client := connect(t, direct)
	call := func() {
		if _, err := client.Subject("article", "42").Get(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// Connections come up one by one; the spread is that of a client that has them all.
	for reached := 0; reached < servers; {
		call()
		reached = 0
		for at := range counts {
			reached += min(1, int(counts[at].Load()))
		}
	}
	for at := range counts {
		counts[at].Store(0)
	}
	for range calls {
		call()
	}
	for at := range counts {
		if share := counts[at].Load() * servers; share < calls*9/10 || share > calls*11/10 {
			t.Errorf("server %d had %d of %d calls", at, counts[at].Load(), calls)
		}
	}
	go running[0].GracefulStop()
	go running[1].Stop()
	for range calls {
		call()
	}
}

func TestAWriteWhoseAnswerWasLostIsNotDoubled(t *testing.T) {
	way := serve(t, listen(t), dev.Target)
	client := connect(t, riposte.Options{Target: way.address()})
	subject := dev.Client.Subject("article", "lost-"+text(8))
	const writers, writes, cuts = 4, 250, 40
	done, floors := make(chan error), make(chan int32)
	for range writers {
		go func() {
			for range writes {
				request := &ripostev1.CreateCommentRequest{
					Subject: subject.SubjectKey, MemberId: "m7", Content: &ripostev1.Content{Text: "once"},
					RequestId: client.RequestIDs().Next(),
				}
				answer, err := client.Comments().CreateComment(t.Context(), request)
				for failed := (*riposte.Error)(nil); errors.As(err, &failed) && failed.Retryable(); {
					answer, err = client.Comments().CreateComment(t.Context(), request)
				}
				if err != nil {
					done <- err
					return
				}
				floors <- answer.Comment.Floor
			}
			done <- nil
		}()
	}
	seen := map[int32]bool{}
	for left := writers; left > 0; {
		select {
		case err := <-done:
			if left--; err != nil {
				t.Error(err)
			}
		case floor := <-floors:
			if floor < 1 || floor > writers*writes || seen[floor] {
				t.Errorf("floor %d of %d, seen before: %v", floor, writers*writes, seen[floor])
			}
			seen[floor] = true
			if len(seen)%(writers*writes/cuts) == 0 {
				way.cut() // while the other writers wait for their answers
			}
		}
	}
	answer, err := subject.Get(t.Context())
	if err != nil || answer.Subject.RootCount != writers*writes || len(seen) != writers*writes {
		t.Fatalf("%v after %d answers, %v", answer, len(seen), err)
	}
}

func TestAWatchThatIsCutTellsEveryRevisionOnce(t *testing.T) {
	way := serve(t, listen(t), dev.Target)
	client := connect(t, riposte.Options{Target: way.address()})
	subject := dev.Client.Subject("article", "watched-"+text(8))
	first, err := subject.Comment(t.Context(), "m7", "first")
	if err != nil {
		t.Fatal(err)
	}
	before, err := subject.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const changes = 60
	go func() {
		for at := range changes {
			if at%10 == 5 {
				way.cut()
			}
			if _, err := first.Reply(t.Context(), "m9", "next"); err != nil {
				t.Error(err)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	seen := before.Subject.Revision
	watched := client.Subject(subject.ObjectType, subject.ObjectId)
	watch, err := watched.Watch(ctx, riposte.AfterRevision(seen))
	if err != nil {
		t.Fatal(err)
	}
	for event, err := range watch.Events() {
		if opened := event.GetOpened(); opened != nil && opened.GetRevision() == seen {
			continue
		}
		if err != nil || event.GetChange().GetRevision() != seen+1 {
			t.Fatalf("%v after %d, %v", event, seen, err)
		}
		if seen++; seen == before.Subject.Revision+changes {
			return
		}
		if seen%20 == 0 {
			way.cut()
		}
	}
	t.Fatal("the watch ended")
}

// nobody is an address that nothing listens at.
const nobody = "127.0.0.1:1"

func TestAWatchWaitsForAServerToComeBack(t *testing.T) {
	way := serve(t, listen(t), nobody) // its port stays taken, by nobody else
	subject := dev.Client.Subject("article", "later-"+text(8))
	if _, err := subject.Comment(t.Context(), "m7", "first"); err != nil {
		t.Fatal(err)
	}
	client := connect(t, riposte.Options{Target: way.address()})
	events := make(chan error, 1)
	go func() {
		_, err := client.Subject(subject.ObjectType, subject.ObjectId).Watch(t.Context(), riposte.AfterRevision(0))
		events <- err
	}()
	if _, err := client.Subject("article", "42").Get(t.Context()); status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
	way.leadTo(dev.Target)
	ready, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := client.WaitReady(ready); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-events:
		if err != nil {
			t.Fatal(err)
		}
	case <-ready.Done():
		t.Fatal("no event came")
	}
}

func TestAWatchEndsWithItsClient(t *testing.T) {
	subject := dev.Client.Subject("article", "closed-"+text(8))
	if _, err := subject.Comment(t.Context(), "m7", "first"); err != nil {
		t.Fatal(err)
	}
	client := connect(t, riposte.Options{Target: dev.Target})
	watch, err := client.Subject(subject.ObjectType, subject.ObjectId).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range watch.Events() {
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
	}
}

func TestAWatchWhoseRequestCannotBeSentFailsAtOnce(t *testing.T) {
	if _, err := dev.Client.Subject("article", "\xff").Watch(t.Context()); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

func TestAStreamThatChangesThingsHasARequestID(t *testing.T) {
	seen := make(chan string, 1)
	target, _ := anyServer(t, func(_ any, stream grpc.ServerStream) error {
		var request ripostev1.RepairCountsRequest
		err := stream.RecvMsg(&request)
		seen <- request.RequestId
		return err
	})
	stream, err := connect(t, riposte.Options{Target: target, AdminTarget: target}).Admin().RepairCounts(t.Context(), &ripostev1.RepairCountsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) || len(<-seen) != 36 {
		t.Fatal(err)
	}
}
