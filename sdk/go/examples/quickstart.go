// Quickstart writes a comment, likes it and lists what stands under its subject, at the service that RIPOSTE_TARGET
// names, or at a `riposte dev` on its default address.
package main

import (
	"context"
	"fmt"
	"log"

	"riposte.dev/go/riposte"
)

func main() {
	ctx := context.Background()
	// [quickstart]
	client := must(riposte.FromEnv())
	subject := client.Subject("article", "42")
	comment := must(subject.Comment(ctx, "m7", "Hi"))
	must(comment.Like(ctx, "m9"))
	for thread, err := range subject.Comments(ctx, riposte.Hot) {
		fmt.Println(must(thread, err).GetComment().GetContent().GetText())
	}
	// [quickstart]
}

// must ends the program with the error, if there is one.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
