// Package tests holds what is only true of the whole: the client as users get it, against the
// server as users run it.
package tests

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"riposte.dev/go/riposte"
)

// dev is the server that all tests share which need no server of their own.
var dev *riposte.DevServer

func TestMain(m *testing.M) {
	if os.Getenv(asOwner) != "" {
		own()
	}
	// What stands in the environment of a company; no call to this machine goes there.
	connects = intercept()
	for _, name := range []string{"http_proxy", "https_proxy", "grpc_proxy", "all_proxy"} {
		setenv(name, "http://"+connects.Addr().String())
		setenv(strings.ToUpper(name), "http://"+connects.Addr().String())
	}
	setenv("no_proxy", "")
	setenv("NO_PROXY", "")
	// A caller may ask for more time than a read's own: here the service gives it.
	setenv("RIPOSTE__SERVER__MAX_READ_TIME", "5s")
	var err error
	if dev, err = riposte.StartDevServer(context.Background(), ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	dev.Stop()
	if came := connects.came(); len(came) > 0 {
		fmt.Fprintln(os.Stderr, "a proxy was asked for", came)
		code = 1
	}
	os.Exit(code)
}

func setenv(name, value string) {
	if err := os.Setenv(name, value); err != nil {
		panic(err)
	}
}

// connects is the proxy that the environment names.
var connects *interceptor

// interceptor is a proxy that leads nowhere, and keeps what it was asked for until that is taken.
type interceptor struct {
	net.Listener
	lock  sync.Mutex
	asked []string
}

func intercept() *interceptor {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	made := &interceptor{Listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				made.lock.Lock()
				made.asked = append(made.asked, request.Host)
				made.lock.Unlock()
			}
			conn.Close()
		}
	}()
	return made
}

// came takes what was asked for.
func (i *interceptor) came() []string {
	i.lock.Lock()
	defer i.lock.Unlock()
	came := i.asked
	i.asked = nil
	return came
}

func TestAProxyOfTheEnvironmentIsUsedBeyondThisMachineUnlessToldNot(t *testing.T) {
	ask := func(target, proxy string) []string {
		client := connect(t, riposte.Options{Target: target, Proxy: proxy})
		defer client.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client.Subject("article", "42").Get(ctx); err == nil {
			t.Fatalf("%s answers", target)
		}
		return connects.came()
	}
	if came := ask("riposte.invalid:7171", ""); len(came) == 0 || came[0] != "riposte.invalid:7171" {
		t.Fatalf("the proxy was asked for %v", came)
	}
	if came := ask("riposte.invalid:7171", "none"); len(came) > 0 {
		t.Fatalf("the proxy was asked for %v", came)
	}
	for _, host := range []string{"localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "http://127.0.0.1", "dns:///localhost"} {
		if came := ask(host+":1", ""); len(came) > 0 {
			t.Fatalf("%s: the proxy was asked for %v", host, came)
		}
	}
	if _, err := riposte.Connect(riposte.Options{Proxy: "maybe"}); err == nil || !strings.Contains(err.Error(), "maybe") {
		t.Fatalf("%v", err)
	}
	t.Setenv("RIPOSTE_PROXY", "perhaps")
	if _, err := riposte.OptionsFromEnv(); err == nil || !strings.Contains(err.Error(), "RIPOSTE_PROXY") {
		t.Fatalf("%v", err)
	}
}
