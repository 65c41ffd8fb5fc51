// Comments under a video: the back end of ../page. README.md says how to start it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"
	"riposte.dev/go/riposte"
	v1 "riposte.dev/go/riposte/ripostev1"
)

type object map[string]any

// The users belong to this program. Of them, Riposte stores no more than their ids.
var users = map[string]object{
	"ann": {"name": "Ann Lee", "color": "#c2410c"},
	"bob": {"name": "Bob Ito", "color": "#1d4ed8"},
	"eva": {"name": "Eva Novak", "color": "#a16207"},
	"kim": {"name": "Kim Park", "color": "#7e22ce"},
	"mo":  {"name": "Mo Diaz", "color": "#15803d", "moderator": true},
}

// messages are the errors on which a reader can act.
const gone, unavailable = "This comment is not there any more.", "Comments do not work at the moment. Please try again."

var errSignIn, errModerator = errors.New("not signed in"), errors.New("no moderator")
var messages = map[error]string{
	errSignIn:                        "Please sign in first.",
	errModerator:                     "Only moderators can do this.",
	riposte.ReasonFieldInvalid:       "Please write something first.",
	riposte.ReasonContentTooLong:     "Your comment has ${actual} characters, and the limit is ${limit}.",
	riposte.ReasonRateLimited:        "You write too fast. Please wait a moment.",
	riposte.ReasonPageTokenExpired:   "This list is too old. Please load the page again.",
	riposte.ReasonCommentNotFound:    gone,
	riposte.ReasonCommentUnavailable: gone,
	riposte.ReasonParentUnavailable:  gone,
}

type server struct {
	*riposte.Client
	reads singleflight.Group
}

// request is a request of the page: the user, whom your program takes from its own session, and
// what the page sends.
type request struct {
	*http.Request
	user string
	sent struct {
		Text  string
		Liked bool
	}
}

// handler answers a request with JSON: what it returns, or a message about its error.
type handler func(r request) (any, error)

func (handle handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, answer, err := request{Request: r, user: r.Header.Get("X-Member")}, any(nil), error(nil)
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodGet {
		if err = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in.sent); users[in.user] == nil {
			err = errSignIn
		}
	}
	if err == nil {
		answer, err = handle(in)
	}
	if err != nil {
		fail(w, err)
	} else {
		_ = json.NewEncoder(w).Encode(answer) // an error here says that the browser is gone
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	status, message, failed := http.StatusServiceUnavailable, unavailable, &riposte.Error{}
	for cause, found := range messages {
		if errors.Is(err, cause) {
			status, message = http.StatusBadRequest, found
		}
	}
	errors.As(err, &failed)
	w.WriteHeader(status)
	detail := os.Expand(message, func(fact string) string { return failed.Metadata[fact] })
	_ = json.NewEncoder(w).Encode(object{"detail": detail})
}

func (s *server) video(r *http.Request) *riposte.Subject {
	return s.Subject("video", r.PathValue("video"))
}

func (s *server) comment(r request) *riposte.Comment {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64) // the service refuses what is no id
	return s.Comment(id)
}

// answer holds comments for the page, with their authors and the known own likes. With a database,
// one query finds all authors.
func answer(comments []*riposte.Comment, more object) (any, error) {
	authors, liked := object{}, map[int64]bool{}
	for _, c := range comments {
		authors[c.MemberId] = users[c.MemberId]
		if c.OwnLike != v1.LikeValue_LIKE_VALUE_UNSPECIFIED {
			liked[c.Id] = c.OwnLike == v1.LikeValue_LIKE_VALUE_LIKE
		}
	}
	more["comments"], more["users"], more["liked"] = comments, authors, liked
	return more, nil
}

func (s *server) comments(r request) (any, error) {
	page, err := s.video(r.Request).Page(r.Context(), riposte.Hot, riposte.PageSize(5), riposte.ReplyPreviewSize(2),
		riposte.PageToken(r.FormValue("page_token")), riposte.Viewer(r.user))
	if err != nil {
		return nil, err
	}
	// A ranked list shows a new comment some seconds later, or far below. Its author expects it now.
	var ids []int64
	_ = json.Unmarshal([]byte("["+r.FormValue("made")+"]"), &ids) // the page sends what it has made
	made, err := s.read(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	made = slices.DeleteFunc(made, func(c *v1.Comment) bool { return c.State != v1.CommentState_COMMENT_STATE_ACTIVE })
	listed, more := []*riposte.Comment{}, map[int64]string{}
	for _, t := range page.WithJustMade(made...) {
		listed = append(append(listed, t.Comment), t.Replies...)
		more[t.Comment.Id] = t.ReplyPageToken
	}
	return answer(listed, object{"me": users[r.user], "more": more, "next": page.NextPageToken,
		"count": page.Subject.CommentCount, "revision": fmt.Sprint(page.SubjectRevision)})
}

func (s *server) replies(r request) (any, error) {
	page, err := s.comment(r).Page(r.Context(), riposte.PageToken(r.FormValue("page_token")), riposte.Viewer(r.user))
	if err != nil {
		return nil, err
	}
	return answer(page.Replies, object{"next": page.NextPageToken})
}

// read reads comments by their ids, 200 in a call; those that are gone are left out.
func (s *server) read(ctx context.Context, ids []int64) (comments []*v1.Comment, err error) {
	for part := range slices.Chunk(ids, 200) {
		found, err := s.Comments().BatchGetComments(ctx, &v1.BatchGetCommentsRequest{Ids: part, AllowMissing: true})
		if err != nil {
			return nil, err
		}
		comments = append(comments, found.Comments...)
	}
	return comments, nil
}

func (s *server) post(r request) (any, error) {
	return s.video(r.Request).Comment(r.Context(), r.user, r.sent.Text)
}

func (s *server) reply(r request) (any, error) {
	return s.comment(r).Reply(r.Context(), r.user, r.sent.Text)
}

func (s *server) like(r request) (any, error) {
	set := s.comment(r).ClearLike
	if r.sent.Liked {
		set = s.comment(r).Like
	}
	now, err := set(r.Context(), r.user)
	return object{"liked": r.sent.Liked, "likeCount": now.GetLikeCount()}, err
}

func (s *server) delete(r request) (any, error) {
	deleted, err := s.comment(r).Delete(r.Context(), r.user)
	return &riposte.Comment{Comment: deleted.GetComment()}, err
}

func (s *server) hide(r request) (any, error) {
	if users[r.user]["moderator"] == nil {
		return nil, errModerator
	}
	hidden, err := s.comment(r).Hide(r.Context(), r.user, "hidden on the page")
	return &riposte.Comment{Comment: hidden.GetComment()}, err
}

// events is the stream of one browser. All listeners of this process share one watch of the video.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	listener, err := s.video(r).Listen(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for event, err := range listener.Events() {
		if err != nil || event.GetGap() != nil {
			return // the browser connects again, and loads its page
		}
		// What changed is read once for all browsers.
		news, err, _ := s.reads.Do(fmt.Sprintf("%p", event), func() (any, error) {
			return s.news(context.WithoutCancel(r.Context()), s.video(r), event)
		})
		data, bad := json.Marshal(news)
		if errors.Join(err, bad) != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "retry: 1000\ndata: %s\n\n", data)
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
	}
}

// news is what the page needs of an event.
func (s *server) news(ctx context.Context, video *riposte.Subject, event *v1.WatchSubjectResponse) (any, error) {
	if opened := event.GetOpened(); opened != nil {
		return object{"opened": fmt.Sprint(opened.Revision)}, nil
	}
	ids, made, changed := []int64{}, map[int64]bool{}, []*riposte.Comment{}
	for _, c := range event.GetChange().GetComments() {
		ids = append(ids, c.CommentId, cmp.Or(c.RootId, c.CommentId))
		made[c.CommentId] = c.Kind == v1.CommentChangeKind_COMMENT_CHANGE_KIND_CREATED
	}
	slices.Sort(ids)
	comments, err := s.read(ctx, slices.Compact(ids))
	for _, c := range comments {
		changed = append(changed, &riposte.Comment{Comment: c})
	}
	now, failed := video.Get(ctx)
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	return answer(changed, object{"made": made, "count": now.Subject.CommentCount,
		"revision": fmt.Sprint(event.GetChange().GetRevision())})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	s, routes := &server{Client: client}, http.NewServeMux()
	routes.Handle("GET /", http.FileServer(http.Dir("../page")))
	routes.Handle("GET /api/videos/{video}/comments", handler(s.comments))
	routes.HandleFunc("GET /api/videos/{video}/events", s.events)
	routes.Handle("GET /api/comments/{id}/replies", handler(s.replies))
	routes.Handle("POST /api/videos/{video}/comments", handler(s.post))
	routes.Handle("POST /api/comments/{id}/replies", handler(s.reply))
	routes.Handle("PUT /api/comments/{id}/like", handler(s.like))
	routes.Handle("DELETE /api/comments/{id}", handler(s.delete))
	routes.Handle("POST /api/comments/{id}/hide", handler(s.hide))
	// The streams end with this context; the server waits for them.
	base := func(net.Listener) context.Context { return ctx }
	address := "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8000")
	web := &http.Server{Addr: address, Handler: routes, BaseContext: base, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	log.Print("http://", web.Addr)
	<-ctx.Done()
	bounded, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := errors.Join(web.Shutdown(bounded), client.Close()); err != nil {
		log.Fatal(err)
	}
}
