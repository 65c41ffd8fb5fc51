package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// fanOut is one watch of a video, and a channel for each browser of this process that shows it.
type fanOut struct {
	browsers map[chan object]bool
	opened   object
	stop     context.CancelFunc
}

// events is the stream of one browser.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	video, events := r.PathValue("video"), make(chan object, 100)
	fan := s.join(video, events)
	defer s.leave(video, fan, events)
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		select {
		case event, open := <-events:
			data, err := json.Marshal(event)
			if !open || err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "retry: 1000\ndata: %s\n\n", data); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) join(video string, events chan object) *fanOut {
	s.lock.Lock()
	defer s.lock.Unlock()
	at := s.fanOuts[video]
	if at == nil {
		ctx, stop := context.WithCancel(context.Background())
		at = &fanOut{browsers: map[chan object]bool{}, opened: object{"opened": "0"}, stop: stop}
		s.fanOuts[video] = at
		go func() {
			if err := s.follow(ctx, at, s.riposte.Subject("video", video)); err != nil && ctx.Err() == nil {
				log.Print(err)
			}
			s.lock.Lock()
			defer s.lock.Unlock()
			s.end(video, at)
		}()
	}
	at.browsers[events] = true
	events <- at.opened
	return at
}

func (s *server) leave(video string, at *fanOut, events chan object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(at.browsers, events)
	if len(at.browsers) == 0 {
		s.end(video, at)
	}
}

// end ends a fan-out and its streams. The browsers connect again, and load what they have missed.
func (s *server) end(video string, at *fanOut) {
	at.stop()
	for events := range at.browsers {
		close(events)
	}
	clear(at.browsers)
	if s.fanOuts[video] == at {
		delete(s.fanOuts, video)
	}
}

// follow sends what the watch tells, until an error or a gap.
func (s *server) follow(ctx context.Context, at *fanOut, video *riposte.Subject) error {
	watch, err := video.Watch(ctx)
	if err != nil {
		return err
	}
	for event, err := range watch.Events() {
		if err != nil || event.GetGap() != nil {
			return err
		}
		news, err := s.news(ctx, video, event)
		if err != nil {
			return err
		}
		s.send(at, news, strconv.FormatInt(max(event.GetOpened().GetRevision(), event.GetChange().GetRevision()), 10))
	}
	return nil
}

// news is what the page needs of an event: what changed is read once for all browsers.
func (s *server) news(
	ctx context.Context, video *riposte.Subject, event *ripostev1.WatchSubjectResponse,
) (object, error) {
	if opened := event.GetOpened(); opened != nil {
		return object{"opened": strconv.FormatInt(opened.Revision, 10)}, nil
	}
	ids, made := map[int64]bool{}, []string{}
	for _, c := range event.GetChange().GetComments() {
		ids[c.CommentId], ids[cmp.Or(c.RootId, c.CommentId)] = true, true
		if c.Kind == ripostev1.CommentChangeKind_COMMENT_CHANGE_KIND_CREATED {
			made = append(made, strconv.FormatInt(c.CommentId, 10))
		}
	}
	changed, err := s.read(ctx, slices.Collect(maps.Keys(ids)))
	if err != nil {
		return nil, err
	}
	now, err := video.Get(ctx)
	if err != nil {
		return nil, err
	}
	handles := []*riposte.Comment{}
	for _, c := range changed {
		handles = append(handles, &riposte.Comment{Comment: c})
	}
	return answer(handles, object{"made": made, "count": now.Subject.CommentCount,
		"revision": strconv.FormatInt(event.GetChange().GetRevision(), 10)})
}

func (s *server) send(at *fanOut, event object, revision string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	at.opened = object{"opened": revision}
	for events := range at.browsers {
		select {
		case events <- event:
		default: // a slow browser delays no other: its stream ends, and it connects again
			delete(at.browsers, events)
			close(events)
		}
	}
}
