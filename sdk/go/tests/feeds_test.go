package tests

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// feed is a stream of events whose items are taken one by one.
type feed struct {
	next func() (*ripostev1.SubscribeResponse, error, bool)
}

// published is a filter of the new comments of an object type.
func published(objectType string) *ripostev1.EventFilter {
	return &ripostev1.EventFilter{
		ObjectTypes: []string{objectType}, Kinds: []ripostev1.EventKind{ripostev1.EventKind_EVENT_KIND_COMMENT_PUBLISHED},
	}
}

// subscribe opens a stream, which ends with the test.
func subscribe(ctx context.Context, t *testing.T, client *riposte.Client, filter *ripostev1.EventFilter) (feed, error) {
	watch, err := client.Subscribe(ctx, &ripostev1.SubscribeRequest{Filter: filter})
	if err != nil {
		return feed{}, err
	}
	next, stop := iter.Pull2(watch.Events())
	t.Cleanup(stop)
	return feed{next}, nil
}

// gets takes the next item that is no heartbeat, and compares it.
func (f feed) gets(want string) (*ripostev1.SubscribeResponse, error) {
	for {
		item, err, more := f.next()
		if err != nil || !more {
			return nil, fmt.Errorf("no item, but %s is wanted: %w", want, err)
		}
		if item.GetHeartbeat() != nil {
			continue
		}
		if got := told(item); got != want {
			return nil, fmt.Errorf("got %s, not %s", got, want)
		}
		return item, nil
	}
}

// told is the kind of an item, with what it tells.
func told(item *ripostev1.SubscribeResponse) string {
	switch {
	case item.GetOpened() != nil:
		return "opened"
	case item.GetGap() != nil:
		return item.GetGap().GetReason().String()
	}
	return fmt.Sprint("event of ", item.GetEvent().GetCommentId())
}

// heartbeat follows events that do not come, and resumes from where a heartbeat has come to.
func (r *run) heartbeat(ctx context.Context) error {
	gate := serve(r.t, listen(r.t), dev.Target)
	mine, other := r.filled("f${unique}"), r.filled("g${unique}")
	events, err := subscribe(ctx, r.t, connect(r.t, riposte.Options{Target: gate.address()}), published(mine))
	if err != nil {
		return err
	}
	opened, err := events.gets("opened")
	if err != nil {
		return err
	}
	if _, err := dev.Client.Subject(other, "1").Comment(ctx, "m1", "Hi"); err != nil {
		return err
	}
	last := opened
	for at := 0; at < 3 && last.GetToken() == opened.GetToken(); at++ {
		last, err, _ = events.next()
		if err != nil || last.GetHeartbeat().GetTime() == nil || last.GetToken() == "" {
			return fmt.Errorf("no heartbeat: %v, %w", last, err)
		}
	}
	if last.GetToken() == opened.GetToken() {
		return fmt.Errorf("the heartbeats have the token of the begin")
	}
	gate.shut()
	written, err := dev.Client.Subject(mine, "1").Comment(ctx, "m1", "Hi")
	if err != nil {
		return err
	}
	gate.open()
	for _, want := range []string{"opened", fmt.Sprint("event of ", written.GetId())} {
		if _, err := events.gets(want); err != nil {
			return err
		}
	}
	if !gate.saw(last.GetToken()) {
		return fmt.Errorf("the token of the heartbeat was not sent")
	}
	return nil
}

// keyed starts a server whose tokens another server can open.
const keyed = `page_tokens.keys=["q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="]`

// restored follows events while the data of the server is restored.
func (r *run) restored(ctx context.Context) error {
	data, objectType := r.t.TempDir(), r.filled("f${unique}")
	server := serveCallers(r.t, "--data", data, "--set", keyed)
	gate := serve(r.t, listen(r.t), server.Grpc)
	client := connect(r.t, riposte.Options{Target: gate.address(), Token: "writer", InsecureToken: true})
	events, err := subscribe(ctx, r.t, client, published(objectType))
	if err != nil {
		return err
	}
	if _, err := events.gets("opened"); err != nil {
		return err
	}
	write := func() (*ripostev1.SubscribeResponse, error) {
		written, err := server.as(r.t, "writer").Subject(objectType, "1").Comment(ctx, "m1", "Hi")
		if err != nil {
			return nil, err
		}
		return events.gets(fmt.Sprint("event of ", written.GetId()))
	}
	first, err := write()
	if err != nil {
		return err
	}
	gate.shut()
	server.stop()
	server = serveCallers(r.t, "--data", data, "--set", keyed, "--set", "store.timeline=1")
	gate.leadTo(server.Grpc)
	gate.open()
	for _, want := range []string{"opened", "EVENT_GAP_REASON_RESTORED"} {
		if _, err := events.gets(want); err != nil {
			return err
		}
	}
	if _, err := write(); err != nil {
		return err
	}
	page, err := server.as(r.t, "writer").Events().ListEvents(ctx, &ripostev1.ListEventsRequest{
		Filter: published(objectType), Token: first.GetToken(),
	})
	restored := ripostev1.EventGapReason_EVENT_GAP_REASON_RESTORED
	if err != nil || len(page.Events) > 0 || page.GetGap().GetReason() != restored || page.NextToken == "" {
		return fmt.Errorf("a page after a restore: %v, %w", page, err)
	}
	return nil
}
