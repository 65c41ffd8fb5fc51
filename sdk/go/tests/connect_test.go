package tests

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// identity is a certificate that the test's own authority has signed, and its key, in PEM.
type identity struct{ cert, key []byte }

// authority is a certificate authority of the test's own.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})}
}

func (a authority) sign(t *testing.T) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return identity{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}
}

// encrypted puts TLS before the shared server, for clients that trust the authority and, if mutual,
// are signed by it.
func encrypted(t *testing.T, ca authority, mutual bool, server string) string {
	t.Helper()
	own := ca.sign(t)
	pair, err := tls.X509KeyPair(own.cert, own.key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
	if mutual {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(ca.cert)
	}
	return serve(t, tls.NewListener(listen(t), config), server).address()
}

// connect makes a client for the time of a test.
func connect(t *testing.T, options riposte.Options) *riposte.Client {
	t.Helper()
	client, err := riposte.Connect(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestTLSAndClientCertificates(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	mine := ca.sign(t)
	one, both := "https://"+encrypted(t, ca, false, dev.Target), "https://"+encrypted(t, ca, true, dev.Target)
	for _, test := range []struct {
		name    string
		options riposte.Options
		works   bool
	}{
		{"TLS", riposte.Options{Target: one, TLSCA: ca.pem}, true},
		{"TLS with a token", riposte.Options{Target: one, TLSCA: ca.pem, Token: "t"}, true},
		{"TLS of an authority that is not trusted", riposte.Options{Target: one, TLSCA: other.pem}, false},
		{"TLS by the system's authorities", riposte.Options{Target: one}, false},
		{"mTLS", riposte.Options{Target: both, TLSCA: ca.pem, TLSCert: mine.cert, TLSKey: mine.key}, true},
		{"mTLS with a token", riposte.Options{Target: both, TLSCA: ca.pem, TLSCert: mine.cert, TLSKey: mine.key, Token: "t"}, true},
		{"mTLS without a certificate", riposte.Options{Target: both, TLSCA: ca.pem}, false},
		{"plaintext to TLS", riposte.Options{Target: strings.TrimPrefix(one, "https://")}, false},
		{"plaintext", riposte.Options{Target: dev.Target}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := connect(t, test.options).Subject("article", "42").Get(t.Context())
			var failed *riposte.Error
			if test.works && err != nil || !test.works && (!errors.As(err, &failed) || failed.Code != codes.Unavailable) {
				t.Fatalf("%v", err)
			}
		})
	}
}

// echo answers every call with an empty message, and keeps what came with the first that nobody has
// looked at.
type echo struct{ seen chan metadata.MD }

func (e echo) handle(_ any, stream grpc.ServerStream) error {
	came, _ := metadata.FromIncomingContext(stream.Context())
	select {
	case e.seen <- came:
	default:
	}
	return stream.SendMsg(&ripostev1.GetSubjectResponse{})
}

// anyServer answers every call by a handler, plaintext or by TLS.
func anyServer(t *testing.T, handler grpc.StreamHandler, options ...grpc.ServerOption) (string, *grpc.Server) {
	t.Helper()
	server, listener := grpc.NewServer(append(options, grpc.UnknownServiceHandler(handler))...), listen(t)
	healthgrpc.RegisterHealthServer(server, health.NewServer())
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String(), server
}

func TestATokenIsSentOverPlaintextByOneSwitchAlone(t *testing.T) {
	seen := echo{make(chan metadata.MD, 1)}
	target, _ := anyServer(t, seen.handle)
	_, err := riposte.Connect(riposte.Options{Target: target, Token: "secret"})
	var failed *riposte.Error
	if !errors.As(err, &failed) || failed.Code != codes.InvalidArgument || !strings.Contains(err.Error(), "InsecureToken") {
		t.Fatalf("%v", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Fatalf("the error tells the token: %v", err)
	}
	var log bytes.Buffer
	options := riposte.Options{
		Target: target, Token: "secret", InsecureToken: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	if _, err := connect(t, options).Subject("article", "42").Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	came := <-seen.seen
	if came.Get("authorization")[0] != "Bearer secret" {
		t.Fatalf("%v", came)
	}
	if agent := came.Get("user-agent")[0]; !strings.HasPrefix(agent, "riposte-go/"+riposte.Version+" ") {
		t.Fatalf("the user agent is %s", agent)
	}
	if strings.Count(log.String(), "level=WARN") != 1 || strings.Contains(log.String(), "secret") {
		t.Fatalf("the log: %s", log.String())
	}
}

func TestATokenIsSentOverTLS(t *testing.T) {
	ca, seen := newAuthority(t), echo{make(chan metadata.MD, 1)}
	own := ca.sign(t)
	pair, err := tls.X509KeyPair(own.cert, own.key)
	if err != nil {
		t.Fatal(err)
	}
	target, _ := anyServer(t, seen.handle, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
	options := riposte.Options{Target: "https://" + target, TLSCA: ca.pem, Token: "secret"}
	if _, err := connect(t, options).Subject("article", "42").Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if came := <-seen.seen; came.Get("authorization")[0] != "Bearer secret" {
		t.Fatalf("%v", came)
	}
}

func TestADeadAddressIsToldByTheFirstCall(t *testing.T) {
	listener := listen(t)
	listener.Close()
	client := connect(t, riposte.Options{Target: listener.Addr().String()})
	start := time.Now()
	_, err := client.Subject("article", "42").Get(t.Context())
	var failed *riposte.Error
	if !errors.As(err, &failed) || failed.Code != codes.Unavailable || !failed.Retryable() || time.Since(start) > 2*time.Second {
		t.Fatalf("%v after %v", err, time.Since(start))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := client.WaitReady(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v", err)
	}
}

func TestReadyIsAServerThatAnswers(t *testing.T) {
	client := connect(t, riposte.Options{Target: dev.Target})
	if err := client.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if err := client.WaitReady(t.Context()); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
}

func TestTheEnvironmentSaysAll(t *testing.T) {
	ca := newAuthority(t)
	mine, dir := ca.sign(t), t.TempDir()
	for name, content := range map[string][]byte{"RIPOSTE_TLS_CA": ca.pem, "RIPOSTE_TLS_CERT": mine.cert, "RIPOSTE_TLS_KEY": mine.key} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, path)
	}
	t.Setenv("RIPOSTE_TARGET", "https://"+encrypted(t, ca, true, dev.Target))
	t.Setenv("RIPOSTE_ADMIN_TARGET", "https://"+encrypted(t, ca, true, dev.AdminTarget))
	client, err := riposte.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Subject("article", "42").Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Admin().ListHotSubjects(t.Context(), &ripostev1.ListHotSubjectsRequest{}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RIPOSTE_TOKEN", "secret")
	t.Setenv("RIPOSTE_ADMIN_TARGET", dev.AdminTarget)
	for _, name := range []string{"RIPOSTE_TLS_CERT", "RIPOSTE_TLS_KEY"} {
		t.Setenv(name, "")
	}
	if _, err := riposte.FromEnv(); err == nil || !strings.Contains(err.Error(), dev.AdminTarget) {
		t.Fatalf("a token for a plaintext administration: %v", err)
	}
	t.Setenv("RIPOSTE_INSECURE_TOKEN", "perhaps")
	if _, err := riposte.FromEnv(); err == nil || !strings.Contains(err.Error(), "RIPOSTE_INSECURE_TOKEN") {
		t.Fatalf("%v", err)
	}
	t.Setenv("RIPOSTE_TLS_CA", filepath.Join(dir, "absent"))
	t.Setenv("RIPOSTE_INSECURE_TOKEN", "true")
	if _, err := riposte.FromEnv(); err == nil || !strings.Contains(err.Error(), "RIPOSTE_TLS_CA") {
		t.Fatalf("%v", err)
	}
}
