package riposte

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// The bounds of a development server's start, and of its stop before it is killed.
const devStart, devStop = 30 * time.Second, 5 * time.Second

// The server runs this once it answers, and stops with it: it tells the addresses, and lasts as
// long as its input, which this process holds open to its own end, however that comes.
const devCommand = `echo "$RIPOSTE_TARGET $RIPOSTE_ADMIN_TARGET"; exec cat`

// DevServer is a `riposte dev` of one's own: on free ports of the loopback, with an empty database
// that ends with it.
type DevServer struct {
	// Target and AdminTarget are its addresses, for [Options].
	Target, AdminTarget string
	// Client reaches it.
	Client *Client

	stop context.CancelFunc
	wait func() error
}

// TB is the part of testing.TB that [StartDev] needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(...any)
}

// StartDev starts a server for a test, which fails if there is none, and stops it at the test's
// end. The binary is that of RIPOSTE_DEV_BINARY, or the riposte on the PATH.
func StartDev(t TB) *DevServer {
	t.Helper()
	server, err := StartDevServer(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// StartDevServer starts a server and waits until it answers. It runs until [DevServer.Stop], or
// until this process or ctx ends. An empty binary is that of RIPOSTE_DEV_BINARY, or the riposte on
// the PATH; nothing is ever downloaded. The error says what the server wrote last.
func StartDevServer(ctx context.Context, binary string) (*DevServer, error) {
	binary = cmp.Or(binary, os.Getenv("RIPOSTE_DEV_BINARY"), "riposte")
	ctx, stop := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, binary, "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--exec", "--", "sh", "-c", devCommand)
	var said tail
	command.Stderr, command.WaitDelay = &said, devStop
	server := &DevServer{stop: stop, wait: sync.OnceValue(command.Wait)}
	input, err := command.StdinPipe()
	command.Cancel = func() error { return input.Close() }
	output, bad := command.StdoutPipe()
	if err = errors.Join(err, bad); err == nil {
		err = command.Start()
	}
	if err == nil {
		late := time.AfterFunc(devStart, stop)
		_, err = fmt.Fscan(output, &server.Target, &server.AdminTarget)
		if late.Stop(); err == nil {
			server.Client, err = Connect(Options{Target: server.Target, AdminTarget: server.AdminTarget})
		}
	}
	if err != nil {
		server.Stop()
		return nil, fmt.Errorf("riposte: %s dev (RIPOSTE_DEV_BINARY): %w (%v)\n%s", binary, err, server.wait(), said)
	}
	return server, nil
}

// Stop ends the client and the server, and waits for it; a server that does not stop is killed.
func (d *DevServer) Stop() {
	if d.Client != nil {
		_ = d.Client.Close() // an error here says that it is closed already
	}
	d.stop()
	_ = d.wait() // how it ended says nothing: it was told to
}

// tail keeps the last 4 KiB of what is written to it.
type tail []byte

func (t *tail) Write(text []byte) (int, error) {
	*t = append(*t, text...)
	*t = (*t)[max(0, len(*t)-4096):]
	return len(text), nil
}
