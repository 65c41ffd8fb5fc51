package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// callers is a server that knows the callers of the scenarios.
type callers struct {
	Grpc, Metrics string
	stop          func()
}

// serveCallers starts one with these arguments, which ends with the test.
func serveCallers(t *testing.T, more ...string) callers {
	folder := os.Getenv("RIPOSTE_CONFORMANCE")
	if folder == "" {
		folder = "../../conformance"
	}
	file, endpoints := filepath.Join(folder, "callers.toml"), filepath.Join(t.TempDir(), "endpoints.json")
	command := exec.Command(os.Getenv("RIPOSTE_DEV_BINARY"), append([]string{"dev", "--listen", "127.0.0.1:0", "--seed", "none",
		"--set", "auth.callers_file=" + file, "--endpoint-file", endpoints}, more...)...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var server callers
	server.stop = sync.OnceFunc(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait() // it was interrupted
	})
	t.Cleanup(server.stop)
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(endpoints)
		if err == nil {
			err = json.Unmarshal(text, &server)
		}
		if err == nil {
			return server
		}
		if time.Since(start) > 6*stepTimeout {
			t.Fatal(err)
		}
	}
}

// as is a client of one of the callers.
func (c callers) as(t *testing.T, name string) *riposte.Client {
	return connect(t, riposte.Options{Target: c.Grpc, Token: name, InsecureToken: true})
}

// streams asks the server how many watches are open.
func (c callers) streams() (string, error) {
	return c.metric(`riposte_watch_streams(?:\{.*\})?`)
}

// closed asks the server how many connections it closed for their control frames; none where it
// has no such metric.
func (c callers) closed() (string, error) {
	return c.metric(`riposte_connections_refused_total\{limit="control_frames"\}`)
}

func (c callers) metric(pattern string) (string, error) {
	answer, err := http.Get("http://" + c.Metrics + "/metrics")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	found := regexp.MustCompile(`(?m)^` + pattern + ` (\d+)`).FindSubmatch(text)
	if found == nil {
		return "", err
	}
	return string(found[1]), err
}

// ear is a listener whose events are taken one by one.
type ear struct {
	*riposte.Listener[ripostev1.WatchSubjectResponse]
	next func() (*ripostev1.WatchSubjectResponse, error, bool)
}

func (e ear) hears(want string) error {
	event, err, more := e.next()
	got := fmt.Sprint(event.GetOpened().GetRevision(), event.GetChange().GetRevision(), event.GetGap().GetFirstRevision(), event.GetGap().GetLastRevision())
	if err != nil || !more || got != want {
		return fmt.Errorf("heard %s (%v, %v), not %s", got, err, more, want)
	}
	return nil
}

// listeners shares one stream among so many, one of which falls behind.
func (r *run) listeners(ctx context.Context, count int) error {
	server := serveCallers(r.t)
	subject := server.as(r.t, "writer").Subject("article", r.filled("${unique}"))
	listen := func(buffer int) (ear, error) {
		listener, err := subject.Listen(ctx, riposte.Buffer(buffer))
		if err != nil {
			return ear{}, err
		}
		next, stop := iter.Pull2(listener.Events())
		r.t.Cleanup(stop)
		return ear{listener, next}, nil
	}
	streams := func(want string) error {
		for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			got, err := server.streams()
			if err != nil || got == want || time.Since(start) > stepTimeout {
				return errors.Join(err, differ(got, want))
			}
		}
	}
	var all []ear
	for range count {
		one, err := listen(256)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	slow, err := listen(2)
	if err != nil {
		return err
	}
	if err := streams("1"); err != nil {
		return err
	}
	var revisions []int64
	for at := range 4 {
		if _, err := subject.Comment(ctx, "m1", fmt.Sprint(at)); err != nil {
			return err
		}
		answer, err := subject.Get(ctx)
		if err != nil {
			return err
		}
		revisions = append(revisions, answer.Subject.Revision)
	}
	var failed error
	for _, one := range all {
		failed = errors.Join(failed, one.hears("0 0 0 0"))
		for _, revision := range revisions {
			failed = errors.Join(failed, one.hears(fmt.Sprint(0, revision, 0, 0)))
		}
	}
	failed = errors.Join(failed, slow.hears("0 0 0 0"), slow.hears(fmt.Sprint(0, revisions[0], 0, 0)),
		slow.hears(fmt.Sprint(0, 0, revisions[1], revisions[1])))
	if event, err, more := slow.next(); more || !slow.Dropped() || all[0].Dropped() {
		failed = errors.Join(failed, fmt.Errorf("behind the gap: %v, %v, %v", event, err, slow.Dropped()))
	}
	all[0].Close()
	late, err := listen(256)
	if err != nil {
		return errors.Join(failed, err)
	}
	failed = errors.Join(failed, late.hears(fmt.Sprint(revisions[3], 0, 0, 0)), streams("1"))
	for _, one := range append(all, late) {
		one.Close()
	}
	failed = errors.Join(failed, streams("0"))
	if _, err := server.as(r.t, "writer").Subjects().DeleteSubject(ctx, &ripostev1.DeleteSubjectRequest{Key: subject.SubjectKey}); err != nil {
		return errors.Join(failed, err)
	}
	if _, err := listen(256); !errors.Is(err, riposte.ReasonSubjectNotFound) {
		failed = errors.Join(failed, fmt.Errorf("a listener to a deleted subject: %v", err))
	}
	if _, err := listen(0); status.Code(err) != codes.InvalidArgument {
		failed = errors.Join(failed, fmt.Errorf("a listener without a buffer: %v", err))
	}
	return errors.Join(failed, streams("0"))
}

func differ(got, want string) error {
	if got != want {
		return fmt.Errorf("%s streams, not %s", got, want)
	}
	return nil
}
