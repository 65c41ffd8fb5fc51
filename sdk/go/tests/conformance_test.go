package tests

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// object is a message, or what is expected of one, in the JSON form of proto3.
type object = map[string]any

// step is one step of a scenario; see sdk/conformance/README.md.
type step struct {
	Call, List, Watch string
	Together          []step
	Outage, Late      int
	Feed              int
	Heartbeat         bool
	Restored          bool
	FullSpeed         int `yaml:"full_speed"`
	Stream            string
	First, Last       object
	Listeners         int
	ByIDs             int `yaml:"by_ids"`
	Caller, Member    string
	Made              []any
	Page              object
	Request           object
	Fault             string
	DeadlineMs        int `yaml:"deadline_ms"`
	Unsent, Unmade    bool
	Repeat            int
	AtOnce            int `yaml:"at_once"`
	Different         string
	FaultEvery        int `yaml:"fault_every"`
	Eventually        bool
	During            []step

	Expect object
	Error  *failure
	Items  *[]any
	Events *[]any
	Count  *int
	Pages  *int
	Save   map[string]string
}

type failure struct {
	Code, Reason string
	Retryable    *bool
	RetryAfter   *bool `yaml:"retry_after"`
	Violations   []string
	Metadata     map[string]string
}

type scenario struct {
	Name  string
	Steps []step
}

// reconnect is what sdk/options.yaml says of it.
var reconnect struct {
	Reconnect struct {
		WithinMs int `yaml:"within_ms"`
	}
}

// stepTimeout is the time limit of a step that is repeated until it matches.
const stepTimeout = 10 * time.Second

func TestConformance(t *testing.T) {
	folder := os.Getenv("RIPOSTE_CONFORMANCE")
	if folder == "" {
		folder = "../../conformance"
	}
	bounds, err := os.ReadFile(filepath.Join(folder, "..", "options.yaml"))
	if err == nil {
		err = yaml.Unmarshal(bounds, &reconnect)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", folder, err)
	}
	for _, file := range files {
		content, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer content.Close()
		decoder := yaml.NewDecoder(content)
		decoder.KnownFields(true) // what this runner does not understand fails
		var list struct{ Scenarios []scenario }
		if err := decoder.Decode(&list); err != nil || len(list.Scenarios) == 0 {
			t.Fatalf("%s: %d scenarios, %v", file, len(list.Scenarios), err)
		}
		for _, scenario := range list.Scenarios {
			t.Run(scenario.Name, func(t *testing.T) {
				// A client at full speed leaves other scenarios too little of the processor.
				if !slices.ContainsFunc(scenario.Steps, func(s step) bool { return s.FullSpeed > 0 }) {
					t.Parallel()
				}
				run := &run{t: t, saved: map[string]string{"unique": text(8), "uuid": uuid(), "lone": lone}}
				if err := run.all(scenario.Steps); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// run is a scenario under way.
type run struct {
	t     *testing.T
	lock  sync.Mutex
	saved map[string]string
}

func (r *run) all(steps []step) error {
	for number, step := range steps {
		if err := r.step(step); err != nil {
			return fmt.Errorf("step %d, %s: %w", number+1, step.Call+step.List+step.Watch+step.Stream, err)
		}
	}
	return nil
}

func (r *run) step(s step) error {
	if s.Together != nil {
		results := make(chan error)
		for _, one := range s.Together {
			go func() { results <- r.step(one) }()
		}
		var failed error
		for range s.Together {
			failed = errors.Join(failed, <-results)
		}
		return failed
	}
	for start := time.Now(); ; {
		err := r.times(s)
		if err == nil || !s.Eventually || time.Since(start) > stepTimeout {
			return err
		}
		time.Sleep(20 * time.Millisecond) // between two looks at a condition
	}
}

// times makes a step as often as it says, and ends with the first failure.
func (r *run) times(s step) error {
	var begun atomic.Int64
	var answers sync.Map
	results := make(chan error)
	for range max(1, s.AtOnce) {
		go func() {
			// What ends the test by t.Fatal ends this goroutine, too.
			err := errors.New("the step has ended the test")
			defer func() { results <- err }()
			for i := int(begun.Add(1)); i <= max(1, s.Repeat); i = int(begun.Add(1)) {
				if failed := r.once(s, i, &answers); failed != nil {
					begun.Add(int64(s.Repeat))
					err = failed
					return
				}
			}
			err = nil
		}()
	}
	var failed error
	for range max(1, s.AtOnce) {
		failed = errors.Join(failed, <-results)
	}
	return failed
}

// once makes a step for the ith time; answers holds what those of the times before have to differ
// in.
func (r *run) once(s step, i int, answers *sync.Map) error {
	r.save("i", strconv.Itoa(i))
	ctx := context.Background()
	if s.DeadlineMs > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(s.DeadlineMs)*time.Millisecond)
		defer cancel()
	}
	if s.Fault != "" && i%max(1, s.FaultEvery) == 0 {
		ctx = metadata.AppendToOutgoingContext(ctx, "riposte-fault", s.Fault+";key="+text(8))
	}
	switch {
	case s.Outage > 0:
		return r.outage(ctx, s)
	case s.Late > 0:
		return r.late(ctx, s)
	case s.Feed > 0:
		return r.feed(ctx, s.Feed)
	case s.Heartbeat:
		return r.heartbeat(ctx)
	case s.Restored:
		return r.restored(ctx)
	case s.FullSpeed > 0:
		return r.fullSpeed(ctx, s.FullSpeed)
	case s.Stream != "":
		return r.stream(ctx, s)
	case s.ByIDs > 0:
		return r.byIDs(ctx, s.ByIDs)
	case s.Listeners > 0:
		return r.listeners(ctx, s.Listeners)
	case s.Call != "":
		return r.call(ctx, s, i, answers)
	case s.List != "":
		return r.list(ctx, s)
	case s.Watch != "":
		return r.watch(ctx, s)
	case s.Page != nil:
		return r.page(ctx, s)
	}
	return errors.New("a step of no known shape")
}

// call makes a unary call by the stub of its service.
func (r *run) call(ctx context.Context, s step, i int, answers *sync.Map) error {
	service, method, _ := strings.Cut(s.Call, ".")
	function := stub(service).MethodByName(method)
	if !function.IsValid() {
		return errors.New("there is no such method")
	}
	request, err := r.request(function.Type().In(1), s.Request)
	if err != nil {
		return err
	}
	results := function.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	if err, failed := results[1].Interface().(error); failed || s.Error != nil {
		return r.failure(s, err)
	}
	got, err := written(results[0].Interface().(proto.Message))
	if err != nil {
		return err
	}
	if s.Different != "" {
		told, err := at(got, s.Different)
		if before, there := answers.LoadOrStore(told, i); err != nil || there {
			return fmt.Errorf("%v was answered to repetition %v and to %d (%v)", told, before, i, err)
		}
	}
	if i < s.Repeat {
		return nil
	}
	return r.answer(s, got)
}

// stream makes a call whose answers are a stream, and reads them all.
func (r *run) stream(ctx context.Context, s step) error {
	service, method, _ := strings.Cut(s.Stream, ".")
	function := stub(service).MethodByName(method)
	if !function.IsValid() {
		return errors.New("there is no such method")
	}
	request, err := r.request(function.Type().In(1), s.Request)
	if err != nil {
		return err
	}
	results := function.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	err, _ = results[1].Interface().(error)
	var answers []object
	for err == nil {
		received := results[0].MethodByName("Recv").Call(nil)
		if err, _ = received[1].Interface().(error); err != nil {
			break
		}
		got, unwritten := written(received[0].Interface().(proto.Message))
		if unwritten != nil {
			return unwritten
		}
		answers = append(answers, got)
	}
	if s.Error != nil || !errors.Is(err, io.EOF) {
		return r.failure(s, err)
	}
	if len(answers) < 2 {
		return fmt.Errorf("%d answers", len(answers))
	}
	if err := r.matches(s.First, answers[0]); err != nil {
		return err
	}
	return r.matches(s.Last, answers[len(answers)-1])
}

func (r *run) answer(s step, got object) error {
	if s.Expect != nil {
		if err := r.matches(s.Expect, got); err != nil {
			return err
		}
	}
	for name, path := range s.Save {
		kept, err := at(got, path)
		if err != nil {
			return err
		}
		r.save(name, kept)
	}
	return nil
}

// at is the text at a dotted path of an answer.
func at(answer object, path string) (string, error) {
	var at any = answer
	for part := range strings.SplitSeq(path, ".") {
		switch value := at.(type) {
		case object:
			at = value[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index >= len(value) {
				return "", fmt.Errorf("%s: no element %s of %d", path, part, len(value))
			}
			at = value[index]
		}
	}
	text, ok := at.(string)
	if !ok {
		return "", fmt.Errorf("%s is %v, no text", path, at)
	}
	return text, nil
}

// list walks by the client's iterators: over the items, and over the pages when these are counted.
func (r *run) list(ctx context.Context, s step) error {
	_, method, _ := strings.Cut(s.List, ".")
	items, err := r.walk(ctx, method, s)
	if err != nil || s.Error != nil {
		return r.failure(s, err)
	}
	if s.Items != nil {
		if err := r.matches(*s.Items, items); err != nil {
			return err
		}
	}
	if s.Count != nil {
		different := map[string]bool{}
		for _, item := range items {
			text, err := json.Marshal(item)
			if err != nil {
				return err
			}
			different[string(text)] = true
		}
		if len(items) != *s.Count || len(different) != *s.Count {
			return fmt.Errorf("%d items, %d different, not %d", len(items), len(different), *s.Count)
		}
	}
	if s.Pages != nil {
		pages, err := r.walk(ctx, method+"Pages", s)
		if err != nil || len(pages) != *s.Pages {
			return fmt.Errorf("%d pages, not %d (%v)", len(pages), *s.Pages, err)
		}
	}
	return nil
}

// walk collects what an iterator of the client yields.
func (r *run) walk(ctx context.Context, method string, s step) (all []any, err error) {
	function := reflect.ValueOf(dev.Client).MethodByName(method)
	if !function.IsValid() {
		return nil, errors.New("there is no such walk")
	}
	request, err := r.request(function.Type().In(1), s.Request)
	if err != nil {
		return nil, err
	}
	made := function.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	if err, _ := made[1].Interface().(error); err != nil || s.Unmade {
		return nil, err
	}
	for item, failed := range made[0].Seq2() {
		if err, _ := failed.Interface().(error); err != nil {
			return nil, err
		}
		got, err := written(item.Interface().(proto.Message))
		if err != nil {
			return nil, err
		}
		all = append(all, got)
	}
	return all, nil
}

// page reads a page with its reader's own comments, each in the form of an UnlistedComment.
func (r *run) page(ctx context.Context, s step) error {
	key, request := r.resolved(s.Page).(object), r.resolved(s.Request).(object)
	subject := dev.Client.Subject(key["objectType"].(string), key["objectId"].(string))
	options := []riposte.SubjectPageOption{riposte.Oldest}
	if size, given := request["pageSize"].(int); given {
		options = append(options, riposte.PageSize(size))
	}
	if size, given := request["replyPreviewSize"].(int); given {
		options = append(options, riposte.ReplyPreviewSize(size))
	}
	if token, given := request["pageToken"].(string); given {
		options = append(options, riposte.PageToken(token))
	}
	var made []*riposte.Comment
	if ids := r.resolved(s.Made).([]any); len(ids) > 0 {
		var wanted []int64
		for _, id := range ids {
			one, err := strconv.ParseInt(id.(string), 10, 64)
			if err != nil {
				return err
			}
			wanted = append(wanted, one)
		}
		viewer, err := riposte.Viewer(r.filled(s.Member)), error(nil)
		if made, err = dev.Client.CommentsByID(ctx, wanted, viewer); err != nil {
			return err
		}
		options = append(options, viewer)
	}
	page, err := subject.Page(ctx, options...)
	if err != nil {
		return err
	}
	var own []*ripostev1.UnlistedComment
	unlisted, err := subject.Unlisted(ctx, r.filled(s.Member))
	if err != nil {
		return err
	}
	for one, err := range unlisted {
		if err != nil {
			return err
		}
		own = append(own, one)
	}
	var failed error
	shown := func(one *riposte.Comment) object {
		told, err := written(&ripostev1.UnlistedComment{Comment: one.Comment, ProposedEdit: one.ProposedEdit})
		failed = errors.Join(failed, err)
		told["ownLike"] = one.OwnLike.String()
		return told
	}
	var told []any
	for _, thread := range page.WithUnlisted(own, made...) {
		one, replies := shown(thread.Comment), []any{}
		for _, reply := range thread.Replies {
			replies = append(replies, shown(reply))
		}
		one["replies"] = replies
		told = append(told, one)
	}
	got, err := written(page.ListCommentsResponse)
	if failed = errors.Join(failed, err); failed != nil {
		return failed
	}
	if err := r.matches(*s.Items, told); err != nil {
		return err
	}
	return r.answer(s, got)
}

// watch opens a stream and takes as many events as are expected.
func (r *run) watch(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	_, method, _ := strings.Cut(s.Watch, ".")
	client := dev.Client
	if s.Caller != "" {
		client = serveCallers(r.t).as(r.t, s.Caller)
	}
	function := reflect.ValueOf(client).MethodByName(method)
	if !function.IsValid() {
		return errors.New("there is no such watch")
	}
	request, err := r.request(function.Type().In(1), s.Request)
	if err != nil {
		return err
	}
	opened := function.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	if err, failed := opened[1].Interface().(error); failed || s.Error != nil {
		return r.failure(s, err)
	}
	if err := r.all(s.During); err != nil {
		return err
	}
	next, stop := iter.Pull2(opened[0].MethodByName("Events").Call(nil)[0].Seq2())
	defer stop()
	var events []any
	for len(events) < len(*s.Events) {
		event, failed, _ := next()
		if err, _ := failed.Interface().(error); err != nil {
			return err
		}
		got, err := written(event.Interface().(proto.Message))
		if err != nil {
			return err
		}
		events = append(events, got)
	}
	return r.matches(*s.Events, events)
}

// failure compares an error with the one expected.
func (r *run) failure(s step, err error) error {
	want := s.Error
	var got *riposte.Error
	if want == nil || !errors.As(err, &got) {
		return fmt.Errorf("the error is %v, expected %+v", err, want)
	}
	var fields []string
	for _, violation := range got.Violations {
		fields = append(fields, violation.Field)
	}
	code := map[string]string{"Canceled": "CANCELLED"}[got.Code.String()]
	if code == "" {
		code = strings.ToUpper(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(got.Code.String(), "${1}_$2"))
	}
	// What ends by the client's own clock may never have had an answer.
	noID := (got.RequestID == "") != (s.Unsent || s.Unmade) && !errors.Is(err, context.DeadlineExceeded)
	if code != want.Code || noID || want.Reason != "" && string(got.Reason) != want.Reason ||
		want.Retryable != nil && got.Retryable() != *want.Retryable ||
		want.RetryAfter != nil && got.RetryAfter > 0 != *want.RetryAfter ||
		want.Violations != nil && !slices.Equal(fields, want.Violations) {
		return fmt.Errorf("the error is %+v with fields %v, expected %+v", got, fields, want)
	}
	for key, value := range want.Metadata {
		if got.Metadata[key] != r.filled(value) {
			return fmt.Errorf("the error's %s is %q, expected %q", key, got.Metadata[key], r.filled(value))
		}
	}
	return nil
}

// matches says where an answer is not as expected; see sdk/conformance/README.md.
func (r *run) matches(want, got any) error {
	differ := fmt.Errorf("%v, expected %v", got, want)
	switch want := want.(type) {
	case object:
		if set, only := want["$set"]; only {
			absent := got == nil || reflect.ValueOf(got).IsZero() || got == "0" || got == float64(0)
			if list, ok := got.([]any); ok {
				absent = len(list) == 0
			}
			if map_, ok := got.(object); ok {
				absent = len(map_) == 0
			}
			if absent == set.(bool) {
				return differ
			}
			return nil
		}
		if not, only := want["$not"]; only {
			if r.matches(not, got) == nil {
				return differ
			}
			return nil
		}
		from, ok := got.(object)
		if !ok {
			return differ
		}
		for key, value := range want {
			if err := r.matches(value, from[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	case []any:
		from, _ := got.([]any)
		if len(from) != len(want) {
			return fmt.Errorf("%d elements, expected %d: %v", len(from), len(want), got)
		}
		for at, value := range want {
			if err := r.matches(value, from[at]); err != nil {
				return fmt.Errorf("%d: %w", at, err)
			}
		}
		return nil
	case string:
		if r.filled(want) != got {
			return fmt.Errorf("%q, expected %q", got, r.filled(want))
		}
		return nil
	case int:
		if float64(want) != got {
			return differ
		}
		return nil
	}
	if want != got {
		return differ
	}
	return nil
}

func (r *run) save(name, value string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.saved[name] = value
}

var placeholder = regexp.MustCompile(`\$\{(\w+)\}`)

// filled puts what was saved in place of the placeholders of a text.
func (r *run) filled(text string) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := r.saved[found[2:len(found)-1]]
		if !ok {
			return found
		}
		return value
	})
}

// request reads a request of a type from a step.
func (r *run) request(of reflect.Type, fields object) (reflect.Value, error) {
	value := reflect.New(of.Elem())
	text, err := json.Marshal(r.resolved(fields))
	if err != nil {
		return value, err
	}
	message := value.Interface().(proto.Message)
	if err := protojson.Unmarshal(text, message); err != nil {
		return value, err
	}
	return value, spoil(message)
}

func (r *run) resolved(value any) any {
	switch value := value.(type) {
	case string:
		return r.filled(value)
	case []any:
		made := make([]any, len(value))
		for at, one := range value {
			made[at] = r.resolved(one)
		}
		return made
	case object:
		made := object{}
		for key, one := range value {
			made[key] = r.resolved(one)
		}
		return made
	}
	return value
}

// written is a message in the JSON form of proto3, defaults written out.
func written(message proto.Message) (object, error) {
	text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(message)
	if err != nil {
		return nil, err
	}
	var made object
	return made, json.Unmarshal(text, &made)
}

// lone stands for the byte that is no UTF-8, which JSON cannot hold.
const lone = "\uf8ff"

// spoil puts that byte into the texts of a message.
func spoil(message proto.Message) error {
	return protorange.Range(message.ProtoReflect(), func(at protopath.Values) error {
		last := at.Index(-1)
		text, ok := last.Value.Interface().(string)
		if ok && last.Step.Kind() == protopath.FieldAccessStep && strings.Contains(text, lone) {
			spoiled := protoreflect.ValueOfString(strings.ReplaceAll(text, lone, "\xff"))
			at.Index(-2).Value.Message().Set(last.Step.FieldDescriptor(), spoiled)
		}
		return nil
	})
}

// outage takes the server away from a client until it has tried to connect so often, and waits for
// its return.
func (r *run) outage(ctx context.Context, s step) error {
	gate := serve(r.t, listen(r.t), dev.Target)
	client := connect(r.t, riposte.Options{Target: gate.address()})
	look := func() error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := client.Subject("article", r.filled("${unique}")).Get(ctx)
		return err
	}
	if err := look(); err != nil {
		return err
	}
	gate.shut()
	for start := time.Now(); gate.tried() < s.Outage; time.Sleep(20 * time.Millisecond) {
		var failed *riposte.Error
		err := look()
		if !errors.As(err, &failed) || failed.Code != codes.Unavailable && failed.Code != codes.DeadlineExceeded {
			return fmt.Errorf("a call without a server: %v", err)
		}
		if time.Since(start) > 6*stepTimeout {
			return fmt.Errorf("the client has tried to connect only %d times", gate.tried())
		}
	}
	gate.open()
	within := time.Duration(reconnect.Reconnect.WithinMs) * time.Millisecond
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := look()
		if err == nil || time.Since(start) > within {
			return err
		}
	}
}

// late watches through a gate that leads to the server only after so many attempts, and that loses
// it while the subject comes into being.
func (r *run) late(ctx context.Context, s step) error {
	gate := serve(r.t, listen(r.t), dev.Target)
	gate.shut()
	go func() {
		for gate.tried() < s.Late {
			time.Sleep(20 * time.Millisecond)
		}
		gate.open()
	}()
	subject := func(client *riposte.Client) *riposte.Subject { return client.Subject("article", r.filled("${unique}")) }
	watch, err := subject(connect(r.t, riposte.Options{Target: gate.address()})).Watch(ctx)
	if err != nil {
		return err
	}
	var revision int64
	var told []string
	for event, err := range watch.Events() {
		if err != nil {
			return err
		}
		told = append(told, fmt.Sprint(event.GetOpened().GetRevision(), event.GetGap().GetFirstRevision(), event.GetGap().GetLastRevision()))
		if len(told) == 1 {
			gate.shut()
			if _, err := subject(dev.Client).Comment(ctx, "m1", "Hi"); err != nil {
				return err
			}
			answer, err := subject(dev.Client).Get(ctx)
			if err != nil {
				return err
			}
			revision = answer.Subject.Revision
			gate.open()
		} else if len(told) == 3 {
			break
		}
	}
	if want := []string{"0 0 0", fmt.Sprint(revision, 0, 0), fmt.Sprint(0, 1, revision)}; !slices.Equal(told, want) {
		return fmt.Errorf("told %q, not %q", told, want)
	}
	gate.shut()
	_, err = subject(connect(r.t, riposte.Options{Target: gate.address()})).Watch(ctx)
	if status.Code(err) != codes.Unavailable {
		return fmt.Errorf("a watch without a server: %v", err)
	}
	return nil
}

// feed follows the events of an object type through a gate that loses the server so often: each
// comment is told once.
func (r *run) feed(ctx context.Context, breaks int) error {
	gate := serve(r.t, listen(r.t), dev.Target)
	client := connect(r.t, riposte.Options{Target: gate.address()})
	filter := &ripostev1.EventFilter{
		ObjectTypes: []string{r.filled("f${unique}")}, Kinds: []ripostev1.EventKind{ripostev1.EventKind_EVENT_KIND_COMMENT_PUBLISHED},
	}
	watch, err := client.Subscribe(ctx, &ripostev1.SubscribeRequest{Filter: filter})
	if err != nil {
		return err
	}
	var written, told []int64
	var token string
	opened := 0
	next, stop := iter.Pull2(watch.Events())
	defer stop()
	for range breaks {
		for _, way := range []func(){gate.shut, gate.open} {
			way()
			comment, err := dev.Client.Subject(filter.ObjectTypes[0], "1").Comment(ctx, "m1", "Hi")
			if err != nil {
				return err
			}
			written = append(written, comment.GetId())
		}
		for len(told) < len(written) {
			item, err, _ := next()
			if err != nil {
				return err
			}
			if token = item.GetToken(); item.GetEvent() != nil {
				told = append(told, item.GetEvent().GetCommentId())
			}
			if item.GetOpened() != nil {
				opened++
			}
		}
	}
	if !slices.Equal(told, written) || opened < 2 {
		return fmt.Errorf("told %v, not %v, opened %d times", told, written, opened)
	}
	filter.Kinds = nil
	_, err = client.Subscribe(ctx, &ripostev1.SubscribeRequest{Filter: filter, Token: token})
	var failed *riposte.Error
	if !errors.As(err, &failed) || failed.Reason != "PAGE_TOKEN_MISMATCH" {
		return fmt.Errorf("a token with another filter: %v", err)
	}
	return nil
}

// stub finds the generated client of a service.
func stub(service string) reflect.Value {
	stubs := map[string]any{
		"SubjectService":    dev.Client.Subjects(),
		"CommentService":    dev.Client.Comments(),
		"ReplyService":      dev.Client.Replies(),
		"LikeService":       dev.Client.Likes(),
		"ReportService":     dev.Client.Reports(),
		"EventService":      dev.Client.Events(),
		"AdminService":      dev.Client.Admin(),
		"ModerationService": dev.Client.Moderation(),
		"PolicyService":     dev.Client.Policy(),
	}
	return reflect.ValueOf(stubs[service])
}

// text makes a random text of hexadecimal digits, two for each byte.
func text(bytes int) string {
	made := make([]byte, bytes)
	rand.Read(made) // never fails
	return fmt.Sprintf("%x", made)
}

func uuid() string {
	digits := text(16)
	return digits[:8] + "-" + digits[8:12] + "-4" + digits[13:16] + "-8" + digits[17:20] + "-" + digits[20:]
}
