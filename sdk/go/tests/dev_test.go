package tests

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"riposte.dev/go/riposte"
)

// asOwner, in the environment, makes this binary a process that starts a server and tells where it
// listens.
const asOwner = "RIPOSTE_TEST_AS_OWNER"

func own() {
	server, err := riposte.StartDevServer(context.Background(), "")
	fmt.Println(server.Target, err)
	select {} // until it is killed
}

func TestAServerOfATestAnswersAndIsGoneAfterIt(t *testing.T) {
	var target string
	t.Run("with a server", func(t *testing.T) {
		server := riposte.StartDev(t)
		target = server.Target
		if _, err := server.Client.Subject("article", "42").Comment(t.Context(), "m7", "Hi"); err != nil {
			t.Fatal(err)
		}
		if target == dev.Target {
			t.Fatal("two servers share their address")
		}
	})
	refused(t, target)
}

func TestAServerEndsWithItsParent(t *testing.T) {
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), asOwner+"=yes")
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || !strings.HasSuffix(line, "<nil>\n") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := owner.Wait(); err == nil {
		t.Fatal("the owner was not killed")
	}
	refused(t, strings.Fields(line)[0])
}

func TestAServerThatCannotStartTellsWhatItSaid(t *testing.T) {
	script := t.TempDir() + "/riposte"
	said := "no such thing " + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho '"+said+"' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := riposte.StartDevServer(t.Context(), script); err == nil || !strings.Contains(err.Error(), said) {
		t.Fatalf("%v", err)
	}
	if _, err := riposte.StartDevServer(t.Context(), script+"-not"); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v", err)
	}
}

// refused waits until nobody listens at an address.
func refused(t *testing.T, address string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		conn, err := dial(address)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if err == nil {
			conn.Close()
		}
		if time.Since(start) > stepTimeout {
			t.Fatalf("%s still answers: %v", address, err)
		}
	}
}
