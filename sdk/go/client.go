// Package riposte is the Go client of Riposte, a comment platform that is one gRPC service.
//
//	c, err := riposte.FromEnv()
//	s := c.Subject("article", "42")
//	p, err := s.Comment(ctx, "m7", "Hi")
//	_, err = p.Like(ctx, "m9")
//	all, err := s.Comments(ctx, riposte.Hot)
//	for x, err := range all { … }
//
// The handles [Subject] and [Comment] are for what is asked most; the generated stubs of package
// ripostev1, which [Client.Comments] and its siblings answer, are for everything. Both share
// deadlines, retries, request ids and errors.
package riposte

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	_ "google.golang.org/grpc/health" // a server that says it does not serve gets no calls
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// The largest answer read, in bytes: 200 comments of the greatest length, with room to spare.
const maxAnswer = 16 << 20

// Client is a client of all services. It is safe for concurrent use; make one and keep it.
//
// Every call without a deadline of its context gets one, and what is UNAVAILABLE is repeated, both
// as the service configuration says. Every write gets a request id if it has none, so that
// repeating it is safe.
type Client struct {
	conn, adminConn *grpc.ClientConn
	ids             *RequestIDs
	listening       listening
}

// FromEnv makes a client as the environment says; see [OptionsFromEnv].
func FromEnv() (*Client, error) {
	options, err := OptionsFromEnv()
	if err != nil {
		return nil, err
	}
	return Connect(options)
}

// Connect makes a client. Nothing is dialled before the first call. The error is INVALID_ARGUMENT
// if an option is unusable.
func Connect(options Options) (*Client, error) {
	through := calls{newRequestIDs()}
	shared := []grpc.DialOption{
		grpc.WithUserAgent("riposte-go/" + Version),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // none from DNS
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: leastFirstWait + rand.N(mostFirstWait-leastFirstWait), Multiplier: waitGrowth, Jitter: waitJitter,
				MaxDelay: longestWait,
			},
			// An attempt that nobody answers lasts no longer than a wait.
			MinConnectTimeout: longestWait,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 20 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithChainUnaryInterceptor(through.unary),
		grpc.WithChainStreamInterceptor(through.stream),
	}
	conn, err := options.dial(cmp.Or(options.Target, defaultTarget), shared)
	if err != nil {
		return nil, err
	}
	administration := options.administration()
	adminConn, err := administration.dial(administration.AdminTarget, shared)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if options.Token != "" && options.InsecureToken {
		cmp.Or(options.Logger, slog.Default()).Warn("riposte: the token may be sent over plaintext: InsecureToken is set")
	}
	return &Client{conn: conn, adminConn: adminConn, ids: through.ids}, nil
}

// WaitReady waits until a server answers and says that it serves. The error, DEADLINE_EXCEEDED or
// CANCELLED, is that of the context, or CANCELLED for a client that was closed.
func (c *Client) WaitReady(ctx context.Context) error {
	for c.conn.Connect(); ; c.conn.Connect() {
		state := c.conn.GetState()
		if state == connectivity.Ready {
			return nil
		}
		if c.closed() {
			return convert(status.Error(codes.Canceled, "the client is closed"), nil)
		}
		if !c.conn.WaitForStateChange(ctx, state) {
			return unanswered(c.conn, convert(ctx.Err(), nil))
		}
	}
}

// Close ends all connections, and with them the calls and watches under way.
func (c *Client) Close() error { return errors.Join(c.conn.Close(), c.adminConn.Close()) }

func (c *Client) closed() bool { return c.conn.GetState() == connectivity.Shutdown }

// RequestIDs makes the ids of this client's writes, for a caller that keeps the id of a write
// itself.
func (c *Client) RequestIDs() *RequestIDs { return c.ids }
