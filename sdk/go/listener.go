package riposte

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"google.golang.org/protobuf/proto"
)

// Buffer is an option: how many events may wait for a listener, at least 1. One that falls farther
// behind is dropped.
type Buffer int

// Listener is one of any number of readers of one watch. Close it in the end, or end its context.
// Its events are those of the other listeners, too: a program does not change them.
type Listener[E any] struct {
	events   chan *E // closed at the end of the watch, and where the listener is dropped
	err      error   // what ended the watch; read after that
	dropped  bool    // likewise
	lastSent int64   // the last revision that was put into the buffer
	parent   context.Context
	ctx      context.Context
	cancel   context.CancelFunc
	of       *fanOut[E]
}

// Events walks over the events as they come. It ends with the error that ends the stream, and
// without one where the listener or its client is closed, and behind the gap of a listener that is
// dropped. Leaving the walk closes the listener.
func (l *Listener[E]) Events() iter.Seq2[*E, error] {
	return func(yield func(*E, error) bool) {
		defer l.Close()
		for l.ctx.Err() == nil {
			select {
			case <-l.ctx.Done():
			case event, more := <-l.events:
				if !more && l.err != nil {
					yield(nil, l.err)
				}
				if !more || !yield(event, nil) {
					return
				}
			}
		}
		if err := l.parent.Err(); err != nil {
			yield(nil, convert(err, nil))
		}
	}
}

// Dropped says whether the listener fell behind, so that its last event is the gap from the first
// revision that it lost.
func (l *Listener[E]) Dropped() bool {
	l.of.all.lock.Lock()
	defer l.of.all.lock.Unlock()
	return l.dropped
}

// Close ends the listener, and with the last one the stream. Who waits for the next event finds the
// end.
func (l *Listener[E]) Close() {
	l.cancel()
	l.of.leave(l)
}

// fanOuts are the open watches to which a client's listeners listen, by their encoded requests.
type fanOuts[E any] struct {
	lock sync.Mutex
	open map[string]*fanOut[E]
}

// fanOut is one watch with those that listen to it. The lock of all guards it.
type fanOut[E any] struct {
	all       *fanOuts[E]
	key       string
	ready     chan struct{} // closed once the watch is open, or has failed
	err       error         // what refused it; read after that
	began     bool
	last      int64 // the revision of the last event
	listeners map[*Listener[E]]bool
	cancel    context.CancelFunc
	gap       func(first, last int64) *E
}

// listen joins the watch of a request, which the first listener opens, and returns once it is open.
func listen[Q proto.Message, E any](
	parent context.Context, all *fanOuts[E], open func(context.Context, Q) (*Watch[E], error), request Q, buffer int, at place[Q, E],
) (*Listener[E], error) {
	if buffer < 1 {
		return nil, invalid("a listener needs a buffer of at least 1")
	}
	key, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err = cmp.Or(sendable(request), convert(err, nil)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(parent)
	l := &Listener[E]{events: make(chan *E, buffer+1), parent: parent, ctx: ctx, cancel: cancel}
	all.lock.Lock()
	l.of = all.open[string(key)]
	if l.of == nil {
		// The watch outlives the context of the listener that opens it.
		ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
		l.of = &fanOut[E]{
			all: all, key: string(key), ready: make(chan struct{}), listeners: map[*Listener[E]]bool{}, cancel: cancel, gap: at.gap,
		}
		if all.open == nil {
			all.open = map[string]*fanOut[E]{}
		}
		all.open[l.of.key] = l.of
		go l.of.run(func() (*Watch[E], error) { return open(ctx, request) }, at.revision)
	}
	l.of.listeners[l] = true
	if l.of.began {
		l.take(at.opened(l.of.last), l.of.last)
	}
	all.lock.Unlock()
	context.AfterFunc(ctx, func() { l.of.leave(l) })
	select {
	case <-l.of.ready:
		err = l.of.err
	case <-ctx.Done():
		err = convert(ctx.Err(), nil)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// run sends the events of the watch to its listeners, until it ends.
func (f *fanOut[E]) run(open func() (*Watch[E], error), place func(*E) (int64, bool)) {
	watch, err := open()
	if err == nil {
		var event *E
		for event, err = range watch.Events() {
			if err != nil {
				break
			}
			revision, _ := place(event)
			f.broadcast(event, max(revision, f.last))
		}
	}
	f.all.lock.Lock()
	defer f.all.lock.Unlock()
	for l := range f.listeners {
		l.err = err
		close(l.events)
		f.remove(l)
	}
	if !f.began {
		f.err = err
		close(f.ready)
	}
}

func (f *fanOut[E]) broadcast(event *E, revision int64) {
	f.all.lock.Lock()
	defer f.all.lock.Unlock()
	f.last = revision
	for l := range f.listeners {
		l.take(event, revision)
	}
	if !f.began {
		f.began = true
		close(f.ready)
	}
}

// take puts an event into the buffer of a listener, or drops the listener.
func (l *Listener[E]) take(event *E, revision int64) {
	switch lost := l.lastSent + 1; {
	case len(l.events) < cap(l.events)-1:
		l.events <- event
		l.lastSent = revision
	case revision >= lost:
		// The mark has a place of its own.
		l.events <- l.of.gap(lost, revision)
		l.dropped = true
		close(l.events)
		l.of.remove(l)
	}
}

func (f *fanOut[E]) leave(l *Listener[E]) {
	f.all.lock.Lock()
	defer f.all.lock.Unlock()
	f.remove(l)
}

// remove ends the watch with its last listener.
func (f *fanOut[E]) remove(l *Listener[E]) {
	if f.listeners[l] {
		delete(f.listeners, l)
		if len(f.listeners) == 0 {
			delete(f.all.open, f.key)
			f.cancel()
		}
	}
}
