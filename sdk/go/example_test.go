package riposte_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
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
	for thread, err := range subject.Comments(ctx, riposte.Hot) {
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

// The generated stubs reach every call of the contract, and what was read becomes a handle.
func ExampleClient_Comment() {
	ctx := context.Background()
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Comments().GetComment(ctx, &ripostev1.GetCommentRequest{Id: 7, Fresh: true})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Comment(answer.GetComment()).Like(ctx, "m9"); err != nil {
		log.Fatal(err)
	}
}

// A watch goes on behind the last revision seen, wherever its stream breaks.
func ExampleSubject_Watch() {
	client, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.Subject("article", "42").Watch(context.Background(), riposte.AfterRevision(7)) {
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
