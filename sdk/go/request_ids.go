package riposte

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
)

// RequestIDs makes the request ids of one client: UUIDv7 in strictly rising order, whose last 48
// bits are random once per client. By them the service knows the client, and by the rest it orders
// what one client asked. It is safe for concurrent use.
type RequestIDs struct {
	tail uint64
	lock sync.Mutex
	// The last id made: 48 bits of milliseconds, then a count of 16 bits that runs over into them.
	last uint64
}

func newRequestIDs() *RequestIDs { return &RequestIDs{tail: rand.Uint64() >> 16} }

// Next makes an id, in the usual text form, greater than every one before it.
func (r *RequestIDs) Next() string {
	r.lock.Lock()
	r.last = max(uint64(time.Now().UnixMilli())<<16, r.last+1)
	stamp := r.last
	r.lock.Unlock()
	// The layout of RFC 9562: milliseconds, version 7, twelve bits, variant 2, and 62 bits, here 14
	// and the tail.
	var bits [16]byte
	binary.BigEndian.PutUint64(bits[:8], stamp>>16<<16|7<<12|stamp>>4&0xfff)
	binary.BigEndian.PutUint64(bits[8:], 0b10<<62|(stamp&0xf)<<58|r.tail)
	return fmt.Sprintf("%x-%x-%x-%x-%x", bits[:4], bits[4:6], bits[6:8], bits[8:10], bits[10:])
}

// fill answers the request with an id of its own if it has a field for one and leaves it empty: a
// copy, so that a caller who sends the same message again asks for something new.
func (r *RequestIDs) fill(request any) any {
	if id := requestID(request); id == nil || *id != "" {
		return request
	}
	filled := proto.Clone(request.(proto.Message))
	*requestID(filled) = r.Next()
	return filled
}
