// Package tests holds what is only true of the whole: the client as users get it, against the
// server as users run it.
package tests

import (
	"context"
	"fmt"
	"os"
	"testing"

	"riposte.dev/go/riposte"
)

// dev is the server that all tests share which need no server of their own.
var dev *riposte.DevServer

func TestMain(m *testing.M) {
	if os.Getenv(asOwner) != "" {
		own()
	}
	// A caller may ask for more time than a read's own: here the service gives it.
	err := os.Setenv("RIPOSTE__SERVER__MAX_READ_TIME", "5s")
	if err != nil {
		panic(err)
	}
	if dev, err = riposte.StartDevServer(context.Background(), ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	dev.Stop()
	os.Exit(code)
}
