// Comments under a video: the back end of page/. README.md says how to start it.
package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

//go:embed page
var files embed.FS

type object = map[string]any

// The users belong to this program. Of them, Riposte stores no more than their ids.
var table = object{
	"ann": object{"id": "ann", "name": "Ann Lee", "color": "#c2410c", "moderator": false},
	"bob": object{"id": "bob", "name": "Bob Ito", "color": "#1d4ed8", "moderator": false},
	"eva": object{"id": "eva", "name": "Eva Novak", "color": "#a16207", "moderator": false},
	"kim": object{"id": "kim", "name": "Kim Park", "color": "#7e22ce", "moderator": false},
	"mo":  object{"id": "mo", "name": "Mo Diaz", "color": "#15803d", "moderator": true},
}

// users finds the users with these ids, all in one query if the table is that of a database.
func users(ids ...string) object {
	found := maps.Clone(table)
	maps.DeleteFunc(found, func(id string, _ any) bool { return !slices.Contains(ids, id) })
	return found
}

const gone, broken = "This comment is not there any more.", "Comments do not work at the moment. Please try again."

var errSignIn, errModerator = errors.New("not signed in"), errors.New("no moderator")

var inPlainWords = map[error]string{
	errSignIn:                        "Please sign in first.",
	errModerator:                     "Only moderators can do this.",
	riposte.ReasonFieldInvalid:       "Please write something first.",
	riposte.ReasonContentTooLong:     "Your comment has {actual} characters, and the limit is {limit}.",
	riposte.ReasonRateLimited:        "You write too fast. Please wait a moment.",
	riposte.ReasonPageTokenExpired:   "This list is too old. Please load the page again.",
	riposte.ReasonCommentNotFound:    gone,
	riposte.ReasonCommentUnavailable: gone,
	riposte.ReasonParentUnavailable:  gone,
}

type server struct {
	riposte *riposte.Client
	lock    sync.Mutex
	fanOuts map[string]*fanOut
	// The last comments made here. Several processes would share them in a cache.
	justMade []*ripostev1.Comment
}

// handler answers a request with JSON: what it returns, or an error in plain words.
type handler func(*http.Request) (object, error)

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := h(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		log.Print(err)
		status, words := http.StatusServiceUnavailable, broken
		for cause, said := range inPlainWords {
			if errors.Is(err, cause) {
				status, words = http.StatusBadRequest, said
			}
		}
		var failed *riposte.Error
		if errors.As(err, &failed) {
			for name, fact := range failed.Metadata {
				words = strings.ReplaceAll(words, "{"+name+"}", fact)
			}
		}
		w.WriteHeader(status)
		answer = object{"detail": words}
	}
	_ = json.NewEncoder(w).Encode(answer) // an error here says that the browser is gone
}

// member is the user of a request, whom your program takes from its own session.
func member(r *http.Request) string {
	cookie, err := r.Cookie("member")
	if err != nil {
		return ""
	}
	return cookie.Value
}

// answer holds comments for the page, ids as texts, with their authors and the known own likes.
func answer(comments []*riposte.Comment, more object) (object, error) {
	messages, liked, authors := []json.RawMessage{}, map[int64]bool{}, []string{}
	for _, c := range comments {
		message, err := riposte.JSON(c)
		if err != nil {
			return nil, err
		}
		messages, authors = append(messages, message), append(authors, c.MemberId)
		if c.OwnLike != ripostev1.LikeValue_LIKE_VALUE_UNSPECIFIED {
			liked[c.Id] = c.OwnLike == ripostev1.LikeValue_LIKE_VALUE_LIKE
		}
	}
	all := object{"comments": messages, "users": users(authors...), "liked": liked}
	maps.Copy(all, more)
	return all, nil
}

// one is the answer with a single comment.
func one(comment *ripostev1.Comment, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return answer([]*riposte.Comment{{Comment: comment}}, nil)
}

func (s *server) comments(r *http.Request) (object, error) {
	video, member := s.riposte.Subject("video", r.PathValue("video")), member(r)
	page, err := video.Page(r.Context(), riposte.Hot, riposte.PageSize(5), riposte.ReplyPreviewSize(2),
		riposte.PageToken(r.FormValue("page_token")), riposte.Viewer(member))
	if err != nil {
		return nil, err
	}
	mine, err := s.mine(r.Context(), video, member)
	if err != nil {
		return nil, err
	}
	listed, more := []*riposte.Comment{}, map[int64]string{}
	for _, t := range page.WithJustMade(mine...) {
		listed = append(append(listed, t.Comment), t.Replies...)
		more[t.Comment.Id] = t.ReplyPageToken
	}
	return answer(listed, object{"more": more, "next": page.NextPageToken, "count": page.Subject.CommentCount,
		"revision": strconv.FormatInt(page.SubjectRevision, 10)})
}

// mine reads what a member has just written. A ranked list shows a new comment some seconds later,
// or far below, and its author expects it now.
func (s *server) mine(ctx context.Context, video *riposte.Subject, member string) ([]*ripostev1.Comment, error) {
	s.lock.Lock()
	ids := []int64{}
	for _, c := range slices.Backward(s.justMade) {
		if c.MemberId == member && c.Subject.ObjectId == video.ObjectId && len(ids) < 3 {
			ids = append(ids, c.Id)
		}
	}
	s.lock.Unlock()
	made, err := s.read(ctx, ids)
	isGone := func(c *ripostev1.Comment) bool { return c.State != ripostev1.CommentState_COMMENT_STATE_ACTIVE }
	return slices.DeleteFunc(made, isGone), err
}

// read reads comments by their ids, as many calls as it takes.
func (s *server) read(ctx context.Context, ids []int64) (comments []*ripostev1.Comment, err error) {
	for part := range slices.Chunk(ids, 200) {
		request := &ripostev1.BatchGetCommentsRequest{Ids: part, AllowMissing: true}
		found, err := s.riposte.Comments().BatchGetComments(ctx, request)
		if err != nil {
			return nil, err
		}
		comments = append(comments, found.Comments...)
	}
	return comments, nil
}

func (s *server) replies(r *http.Request) (object, error) {
	token, viewer := riposte.PageToken(r.FormValue("page_token")), riposte.Viewer(member(r))
	page, err := s.comment(r).Page(r.Context(), token, viewer)
	if err != nil {
		return nil, err
	}
	return answer(page.Replies, object{"next": page.NextPageToken})
}

// comment is the comment of the path; the service refuses what is no id.
func (s *server) comment(r *http.Request) *riposte.Comment {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	return s.riposte.Comment(id)
}

// act is a handler for a user who is signed in, with what the page sent.
func act(do func(r *http.Request, user string, sent sent) (object, error)) handler {
	return func(r *http.Request) (object, error) {
		var read sent
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&read); err != nil && err != io.EOF {
			return nil, err
		}
		if table[member(r)] == nil {
			return nil, errSignIn
		}
		return do(r, member(r), read)
	}
}

type sent struct {
	Text  string
	Liked bool
}

func (s *server) post(r *http.Request, user string, sent sent) (object, error) {
	made, err := s.riposte.Subject("video", r.PathValue("video")).Comment(r.Context(), user, sent.Text)
	if err != nil {
		return nil, err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.justMade = append(s.justMade[max(0, len(s.justMade)-999):], made.Comment)
	return answer([]*riposte.Comment{made}, nil)
}

func (s *server) reply(r *http.Request, user string, sent sent) (object, error) {
	made, err := s.comment(r).Reply(r.Context(), user, sent.Text)
	if err != nil {
		return nil, err
	}
	return answer([]*riposte.Comment{made}, nil)
}

func (s *server) like(r *http.Request, user string, sent sent) (object, error) {
	set := s.comment(r).ClearLike
	if sent.Liked {
		set = s.comment(r).Like
	}
	now, err := set(r.Context(), user)
	return object{"liked": sent.Liked, "likeCount": now.GetLikeCount()}, err
}

func (s *server) delete(r *http.Request, user string, _ sent) (object, error) {
	deleted, err := s.comment(r).Delete(r.Context(), user)
	return one(deleted.GetComment(), err)
}

func (s *server) hide(r *http.Request, user string, _ sent) (object, error) {
	if !table[user].(object)["moderator"].(bool) {
		return nil, errModerator
	}
	hidden, err := s.comment(r).Hide(r.Context(), user, "hidden on the page")
	return one(hidden.GetComment(), err)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	s := &server{riposte: client, fanOuts: map[string]*fanOut{}}
	page, err := fs.Sub(files, "page")
	if err != nil {
		log.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.Handle("GET /", http.FileServerFS(page))
	routes.Handle("GET /api/users", handler(func(*http.Request) (object, error) { return table, nil }))
	routes.Handle("GET /api/videos/{video}/comments", handler(s.comments))
	routes.HandleFunc("GET /api/videos/{video}/events", s.events)
	routes.Handle("GET /api/comments/{id}/replies", handler(s.replies))
	routes.Handle("POST /api/videos/{video}/comments", act(s.post))
	routes.Handle("POST /api/comments/{id}/replies", act(s.reply))
	routes.Handle("PUT /api/comments/{id}/like", act(s.like))
	routes.Handle("DELETE /api/comments/{id}", act(s.delete))
	routes.Handle("POST /api/comments/{id}/hide", act(s.hide))
	web := &http.Server{
		Addr:              "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8000"),
		Handler:           http.NewCrossOriginProtection().Handler(routes),
		ReadHeaderTimeout: 5 * time.Second,
		// The streams end with this context; the server waits for them.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
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
