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
	c := must(riposte.FromEnv())
	s := c.Subject("article", "42")
	p := must(s.Comment(ctx, "m7", "Hi"))
	must(p.Like(ctx, "m9"))
	for x, err := range s.Comments(ctx, riposte.Hot) {
		comment := must(x, err).GetComment()
		fmt.Println(comment.GetFloor(), comment.GetMemberId(), comment.GetContent().GetText())
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
