package tests

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

func dial(address string) (net.Conn, error) { return net.Dial("tcp", address) }

// proxy leads from its own address to another one, and cuts what it leads when it is told to.
type proxy struct {
	listener net.Listener
	lock     sync.Mutex
	target   string
	live     map[net.Conn]bool
	// Whether connections are ended at once, and how many were.
	closed bool
	ended  int
	// What the clients have sent.
	sent bytes.Buffer
}

// Write keeps what a client sends.
func (p *proxy) Write(sent []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.sent.Write(sent)
}

// saw says whether a client has sent a text.
func (p *proxy) saw(text string) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return bytes.Contains(p.sent.Bytes(), []byte(text))
}

// serve begins to lead the connections of a listener to an address, until the test ends.
func serve(t *testing.T, listener net.Listener, target string) *proxy {
	made := &proxy{listener: listener, target: target, live: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			if made.refuses() {
				from.Close()
				continue
			}
			to, err := dial(made.leadsTo())
			if err != nil {
				from.Close()
				continue
			}
			made.lead(from, to)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		made.cut()
	})
	return made
}

// leadsTo is the address that new connections are led to.
func (p *proxy) leadsTo() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.target
}

// leadTo leads new connections to another address.
func (p *proxy) leadTo(target string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.target = target
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) lead(from, to net.Conn) {
	p.lock.Lock()
	p.live[from], p.live[to] = true, true
	p.lock.Unlock()
	both := func(from, to net.Conn, copied io.Reader) {
		_, _ = io.Copy(to, copied) // ends with either side
		from.Close()
		to.Close()
		p.lock.Lock()
		delete(p.live, from)
		p.lock.Unlock()
	}
	go both(from, to, io.TeeReader(from, p))
	go both(to, from, to)
}

// cut breaks all connections; new ones are led on.
func (p *proxy) cut() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for conn := range p.live {
		conn.Close()
	}
}

// shut breaks all connections, and ends new ones at once.
func (p *proxy) shut() {
	p.lock.Lock()
	p.closed = true
	p.lock.Unlock()
	p.cut()
}

// open leads connections on again.
func (p *proxy) open() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.closed = false
}

// refuses says whether a new connection is to be ended, and counts those that are.
func (p *proxy) refuses() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.closed {
		p.ended++
	}
	return p.closed
}

// tried is how many connections were ended at once.
func (p *proxy) tried() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.ended
}

// listen opens a free port of the loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}
