// Comments under a video: a back end that answers in HTML. README.md says how to start it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"riposte.dev/go/riposte"
)

type user struct{ ID, Name, Color, Role string }

// The users belong to this program. Of them, Riposte stores no more than their ids.
var users = map[string]user{
	"ann": {"ann", "Ann Lee", "#c2410c", ""}, "bob": {"bob", "Bob Ito", "#1d4ed8", ""},
	"eva": {"eva", "Eva Novak", "#a16207", ""}, "kim": {"kim", "Kim Park", "#7e22ce", ""},
	"mo": {"mo", "Mo Diaz", "#15803d", "moderator"},
}

// messages are for the errors on which a reader can act.
var messages = map[riposte.Reason]string{
	"SIGN_IN": "Please sign in first.", "NO_MODERATOR": "Only moderators can do this.", "WAITS": "It waits for review.",
	riposte.ReasonRateLimited: "You write too fast. Please wait.", riposte.ReasonCommentNotFound: "This comment is gone.",
	riposte.ReasonFieldInvalid: "Please write something first.", riposte.ReasonMemberNotAllowed: "You may not do this.",
	riposte.ReasonContentTooLong:   "Your comment has ${actual} characters, and the limit is ${limit}.",
	riposte.ReasonPageTokenInvalid: "This list is too old.", riposte.ReasonPageTokenExpired: "This list is too old.",
}

// message is what a reader is told of an error, whose own text is for the log. The status is that
// of a refusal, which another try does not change, or that of a service that does not work.
func message(err error) (text string, status int) {
	log.Print(err)
	failed, refusals := &riposte.Error{}, "InvalidArgument NotFound PermissionDenied FailedPrecondition"
	errors.As(err, &failed)
	switch text = messages[failed.Reason]; {
	case failed.Reason == "WAITS":
		return text, http.StatusAccepted
	case text == "" && strings.Contains(refusals, failed.Code.String()),
		failed.Reason == riposte.ReasonFieldInvalid && failed.Violations[0].Field != "content.text":
		text = "This is not possible."
	case text == "":
		return "This does not work at the moment. Please load the page again.", http.StatusServiceUnavailable
	}
	return os.Expand(text, func(fact string) string { return failed.Metadata[fact] }), http.StatusBadRequest
}

var document = template.Must(template.ParseFiles("page.html"))

type server struct{ *riposte.Client }

func number(text string) int64 {
	id, _ := strconv.ParseInt(text, 10, 64) // the service refuses what is no id
	return id
}

// cookie stands for your sessions. "me" is the user, and "made" has the ids of what was just made.
func cookie(r *http.Request, name string) string {
	found, _ := r.Cookie(name)
	return cmp.Or(found, &http.Cookie{}).Value
}

// view is what page.html shows: threads, each a root and its replies. Thread is the id of a root,
// on the page of its replies. Token is that of the page, empty for the first one, and Next that of
// the next. New are comments that were just made.
type view struct {
	Me                         user
	Users, Authors             map[string]user
	Threads                    [][]*riposte.Comment
	New                        []*riposte.Comment
	Revision, Count            int64
	Thread, Token, Next, Error string
}

// list reads a page of threads.
func (s server) list(r *http.Request, v *view) error {
	video, viewer := s.Subject("video", r.PathValue("video")), riposte.Viewer(v.Me.ID)
	page, err := video.Page(r.Context(), riposte.Hot, riposte.PageSize(5), riposte.ReplyPreviewSize(2),
		riposte.PageToken(v.Token), viewer)
	if err != nil {
		return err
	}
	// A ranked list shows a new comment some seconds later, or far below. Readers expect it now.
	var ids []int64
	for id := range strings.SplitSeq(cookie(r, "made")+"."+r.FormValue("new"), ".") {
		ids = append(ids, number(id))
	}
	v.New, err = s.CommentsByID(r.Context(), ids, viewer)
	for _, t := range page.WithJustMade(v.New...) {
		v.Threads = append(v.Threads, append([]*riposte.Comment{t.Comment}, t.Replies...))
	}
	v.Revision, v.Count, v.Next = page.SubjectRevision, int64(page.Subject.CommentCount), page.NextPageToken
	return err
}

// thread reads a page of the replies of one comment.
func (s server) thread(r *http.Request, v *view) error {
	page, err := s.Comment(number(v.Thread)).Page(r.Context(), riposte.PageToken(v.Token), riposte.Viewer(v.Me.ID))
	if err == nil {
		v.Threads = [][]*riposte.Comment{append([]*riposte.Comment{page.Root}, page.Replies...)}
		v.Revision, v.Count, v.Next = page.SubjectRevision, int64(page.Root.ReplyCount)+1, page.NextPageToken
	}
	return err
}

// show answers with the page, and with a message if something failed before.
func (s server) show(w http.ResponseWriter, r *http.Request, failed error) {
	v, read := &view{Me: users[cookie(r, "me")], Users: users, Authors: map[string]user{}}, s.list
	if v.Thread, v.Token = r.FormValue("thread"), r.FormValue("page_token"); v.Thread != "" {
		read = s.thread
	}
	if err := errors.Join(failed, read(r, v)); err != nil {
		text, status := message(err)
		v.Error = text
		w.WriteHeader(status)
	}
	for _, c := range slices.Concat(v.Threads...) { // with a database, one query finds all authors
		v.Authors[c.MemberId] = users[c.MemberId]
	}
	if err := document.Execute(w, v); err != nil {
		log.Print(err)
	}
}

// act does what a button of the page says, and shows the page again.
func (s server) act(w http.ResponseWriter, r *http.Request) {
	ctx, me, comment, err := r.Context(), cookie(r, "me"), s.Comment(number(r.FormValue("id"))), error(nil)
	act, text := r.FormValue("act"), r.FormValue("text")
	switch {
	case users[me].ID == "":
		err = &riposte.Error{Reason: "SIGN_IN"}
	case act == "comment":
		comment, err = s.Subject("video", r.PathValue("video")).Comment(ctx, me, text)
	case act == "reply":
		comment, err = comment.Reply(ctx, me, text)
	case act == "like":
		_, err = comment.Like(ctx, me)
	case act == "unlike":
		_, err = comment.ClearLike(ctx, me)
	case act == "delete":
		_, err = comment.Delete(ctx, me)
	case act != "hide" || users[me].Role != "moderator":
		err = &riposte.Error{Reason: "NO_MODERATOR"}
	default:
		_, err = comment.Hide(ctx, me, "hidden on the page")
	}
	if err == nil && (act == "comment" || act == "reply") { // the last three at most, for a minute
		last := strings.SplitN(fmt.Sprint(comment.Id, ".", cookie(r, "made")), ".", 4)
		made := strings.Trim(strings.Join(last[:min(len(last), 3)], "."), ".")
		http.SetCookie(w, &http.Cookie{Name: "made", Value: made, MaxAge: 60, HttpOnly: true})
		if comment.State.String() == "COMMENT_STATE_PENDING" {
			err = &riposte.Error{Reason: "WAITS"}
		}
	}
	if err != nil {
		s.show(w, r, err)
	} else {
		http.Redirect(w, r, r.URL.String(), http.StatusSeeOther)
	}
}

// events is the stream of one browser. All listeners of this process share one watch of the video.
func (s server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	listener, err := s.Subject("video", r.PathValue("video")).Listen(r.Context())
	if err != nil {
		log.Print(err)
		return // the browser connects again, as after each stream that ends
	}
	for event, err := range listener.Events() {
		data, bad := riposte.JSON(event)
		if errors.Join(err, bad) != nil {
			return
		}
		fmt.Fprintf(w, "retry: 1000\ndata: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := riposte.FromEnv()
	listener, failed := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8000"))
	if err := errors.Join(err, failed); err != nil {
		log.Fatal(err)
	}
	s, routes := server{client}, http.NewServeMux()
	routes.Handle("GET /{$}", http.RedirectHandler("/videos/first", http.StatusSeeOther))
	routes.HandleFunc("GET /videos/{video}", func(w http.ResponseWriter, r *http.Request) { s.show(w, r, nil) })
	routes.HandleFunc("POST /videos/{video}", s.act)
	routes.HandleFunc("GET /videos/{video}/events", s.events)
	// The streams end with this context; the server waits for them.
	base := func(net.Listener) context.Context { return ctx }
	web := &http.Server{Handler: routes, BaseContext: base, ReadHeaderTimeout: 5 * time.Second}
	go web.Serve(listener)
	log.Print("http://", listener.Addr())
	<-ctx.Done()
	bounded, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := errors.Join(web.Shutdown(bounded), client.Close()); err != nil {
		log.Fatal(err)
	}
}
