package riposte_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"riposte.dev/go/riposte"
)

func Example() {
	ctx := context.Background()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	subject := client.Subject("article", "42")
	if _, err := subject.Comment(ctx, "m7", "Hi"); err != nil {
		log.Fatal(err)
	}
	threads, err := subject.Comments(ctx, riposte.Hot)
	if err != nil {
		log.Fatal(err)
	}
	for thread, err := range threads {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(thread.GetComment().GetFloor(), thread.GetComment().GetContent().GetText())
	}
}

// A token over TLS, with an authority and a certificate of one's own.
func ExampleConnect() {
	client, err := riposte.Connect(riposte.Options{
		Target: "https://comments.example:7171",
		Token:  "secret",
		TLSCA:  []byte("-----BEGIN CERTIFICATE-----…"),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := client.WaitReady(ctx); err != nil {
		log.Fatal(err)
	}
}

func ExampleError() {
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Subject("article", "42").Comment(context.Background(), "m7", "")
	if errors.Is(err, riposte.ReasonSubjectReadOnly) {
		fmt.Println("no more comments here")
	}
	var failed *riposte.Error
	if errors.As(err, &failed) {
		for _, violation := range failed.Violations {
			fmt.Println(violation.Field, violation.Description)
		}
		fmt.Println(failed.Retryable(), failed.RetryAfter, failed.RequestID)
	}
}

// A route has an id: it becomes a handle.
func ExampleClient_Comment() {
	ctx := context.Background()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Comment(7).Like(ctx, "m9"); err != nil {
		log.Fatal(err)
	}
}

// A page has its cursor, and tells what its viewer likes.
func ExampleSubject_Page() {
	ctx := context.Background()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.Subject("article", "42").Page(ctx, riposte.Hot, riposte.PageSize(20), riposte.Viewer("m9"))
	if err != nil {
		log.Fatal(err)
	}
	for _, thread := range page.Threads {
		fmt.Println(thread.Comment.Id, thread.Comment.LikeCount, thread.Comment.OwnLike, len(thread.Replies))
	}
	fmt.Println(page.NextPageToken)
}

// A watch goes on behind the last revision seen, wherever its stream breaks.
func ExampleSubject_Watch() {
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	watch, err := client.Subject("article", "42").Watch(context.Background(), riposte.AfterRevision(7))
	if err != nil {
		log.Fatal(err) // refused, or there is no server
	}
	for event, err := range watch.Events() {
		if err != nil {
			log.Fatal(err)
		}
		if gap := event.GetGap(); gap != nil {
			fmt.Println("read anew: untold up to", gap.GetLastRevision())
		}
		for _, change := range event.GetChange().GetComments() {
			fmt.Println(change.GetCommentId(), change.GetKind())
		}
	}
}
