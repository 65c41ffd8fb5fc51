// Quickstart writes a comment, likes it and lists what stands under its subject, at the service
// that RIPOSTE_TARGET names, or at a `riposte dev` on its default address.
// [quickstart]
package main

import (
	"context"
	"fmt"
	"log"

	"riposte.dev/go/riposte"
)

func main() {
	ctx := context.Background()
	c, err := riposte.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	s := c.Subject("article", "42")
	p, err := s.Comment(ctx, "m7", "Hi")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.Like(ctx, "m9"); err != nil {
		log.Fatal(err)
	}
	all, err := s.Comments(ctx, riposte.Hot)
	if err != nil {
		log.Fatal(err)
	}
	for x, err := range all {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(x.GetComment().GetContent().GetText())
	}
}

// [quickstart]
