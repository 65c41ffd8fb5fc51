package riposte

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// The bounds of a development server's start, and of its stop before it is killed.
const (
	devStart = 30 * time.Second
	devStop  = 5 * time.Second
	devPoll  = 5 * time.Millisecond
)

// DevServer is a `riposte dev` of one's own: on free ports of the loopback, with an empty database that ends with it.
type DevServer struct {
	// Target and AdminTarget are its addresses, for [Options].
	Target, AdminTarget string
	// Client reaches it.
	Client *Client

	stop context.CancelFunc
	done chan struct{}
}

// TB is the part of testing.TB that [StartDev] needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(...any)
}

// StartDev starts a server for a test, which fails if there is none, and stops it at the test's end. The binary is that
// of RIPOSTE_DEV_BINARY, or the riposte on the PATH.
func StartDev(t TB) *DevServer {
	t.Helper()
	server, err := StartDevServer(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// StartDevServer starts a server and waits until it answers. It runs until [DevServer.Stop], or until this process or
// ctx ends. An empty binary is that of RIPOSTE_DEV_BINARY, or the riposte on the PATH; nothing is ever downloaded. The
// error says what the server wrote last.
func StartDevServer(ctx context.Context, binary string) (*DevServer, error) {
	dir, err := os.MkdirTemp("", "riposte-dev-")
	if err != nil {
		return nil, err
	}
	endpoint := filepath.Join(dir, "endpoint.json")
	binary = cmp.Or(binary, os.Getenv("RIPOSTE_DEV_BINARY"), "riposte")
	ctx, stop := context.WithCancel(ctx)
	server := &DevServer{stop: stop, done: make(chan struct{})}
	var said tail
	command := exec.CommandContext(ctx, binary, "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--endpoint-file", endpoint)
	command.Stderr, command.SysProcAttr, command.WaitDelay = &said, endWithParent(), devStop
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	var ended error
	go func() {
		defer close(server.done)
		defer os.RemoveAll(dir)
		// A process that is to end with its parent ends with the thread that started it.
		runtime.LockOSThread()
		ended = command.Run()
	}()
	if err = server.await(ctx, endpoint); err == nil {
		server.Client, err = Connect(Options{Target: server.Target, AdminTarget: server.AdminTarget})
	}
	if err != nil {
		server.Stop()
		return nil, fmt.Errorf("riposte: %s dev (RIPOSTE_DEV_BINARY): %w\n%s", binary, errors.Join(err, ended), said)
	}
	return server, nil
}

// Stop ends the client and the server, and waits for it; a server that does not stop is killed.
func (d *DevServer) Stop() {
	if d.Client != nil {
		_ = d.Client.Close() // an error here says that it is closed already
	}
	d.stop()
	<-d.done
}

// await waits for the file that the server writes once it answers.
func (d *DevServer) await(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, devStart)
	defer cancel()
	poll := time.NewTicker(devPoll)
	defer poll.Stop()
	for {
		select {
		case <-d.done:
			return errors.New("the server ended before it answered")
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer: %w", ctx.Err())
		case <-poll.C:
		}
		var said struct{ GRPC, Admin string }
		if content, err := os.ReadFile(endpoint); err == nil && json.Unmarshal(content, &said) == nil {
			d.Target, d.AdminTarget = said.GRPC, said.Admin
			return nil
		}
	}
}

// tail keeps the last 4 KiB of what is written to it.
type tail []byte

func (t *tail) Write(text []byte) (int, error) {
	*t = append(*t, text...)
	*t = (*t)[max(0, len(*t)-4096):]
	return len(text), nil
}
