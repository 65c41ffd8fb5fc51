package riposte

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Where `riposte dev` listens.
const (
	defaultTarget      = "127.0.0.1:7171"
	defaultAdminTarget = "127.0.0.1:7172"
)

// Options say how to reach a service. The zero value reaches `riposte dev` on its default addresses.
type Options struct {
	// Target is the address: http://host:port or host:port, plaintext; https://host:port, TLS; dns:///host:port,
	// plaintext. Calls are spread over all addresses of the name. Default: 127.0.0.1:7171.
	Target string
	// AdminTarget is the address of the administration, written as Target is. Default: none, or 127.0.0.1:7172 where
	// Target has its default too.
	AdminTarget string
	// Token is the bearer token to send with every call. Default: none. Over plaintext it needs InsecureToken.
	Token string
	// InsecureToken allows to send the token over plaintext, where whoever is on the way can read it; one warning is
	// logged.
	InsecureToken bool
	// TLSCA holds the certificate authorities to trust with https://, in PEM. Default: those of the system.
	TLSCA []byte
	// TLSCert and TLSKey are the client's certificate and its key, in PEM, for a service that asks for one with
	// https://. Default: none.
	TLSCert, TLSKey []byte
	// Logger takes the one warning. Default: slog.Default().
	Logger *slog.Logger
	// DialOptions are given to gRPC after those of this package, which they may overrule.
	DialOptions []grpc.DialOption
}

// OptionsFromEnv reads RIPOSTE_TARGET, RIPOSTE_ADMIN_TARGET, RIPOSTE_TOKEN, RIPOSTE_INSECURE_TOKEN (true or false), and
// RIPOSTE_TLS_CA, RIPOSTE_TLS_CERT and RIPOSTE_TLS_KEY (paths of PEM files). What is unset or empty has its default. The
// error is INVALID_ARGUMENT and names the variable.
func OptionsFromEnv() (Options, error) {
	options := Options{
		Target:      os.Getenv("RIPOSTE_TARGET"),
		AdminTarget: os.Getenv("RIPOSTE_ADMIN_TARGET"),
		Token:       os.Getenv("RIPOSTE_TOKEN"),
	}
	switch value := os.Getenv("RIPOSTE_INSECURE_TOKEN"); value {
	case "", "false":
	case "true":
		options.InsecureToken = true
	default:
		return Options{}, invalid("RIPOSTE_INSECURE_TOKEN is %q, neither true nor false", value)
	}
	files := map[string]*[]byte{
		"RIPOSTE_TLS_CA":   &options.TLSCA,
		"RIPOSTE_TLS_CERT": &options.TLSCert,
		"RIPOSTE_TLS_KEY":  &options.TLSKey,
	}
	for name, content := range files {
		path := os.Getenv(name)
		if path == "" {
			continue
		}
		var err error
		if *content, err = os.ReadFile(path); err != nil {
			return Options{}, invalid("%s: %v", name, err)
		}
	}
	return options, nil
}

// dial opens one address; nothing is sent before the first call.
func (o Options) dial(target string, shared ...grpc.DialOption) (*grpc.ClientConn, error) {
	address, secure, err := parse(target)
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if secure {
		if transport, err = o.tls(); err != nil {
			return nil, err
		}
	}
	shared = append(shared, grpc.WithTransportCredentials(transport))
	if o.Token != "" {
		if err := o.checkToken(target, secure); err != nil {
			return nil, err
		}
		shared = append(shared, grpc.WithPerRPCCredentials(bearer{o.Token, !o.InsecureToken}))
	}
	conn, err := grpc.NewClient(address, append(shared, o.DialOptions...)...)
	if err != nil {
		return nil, invalid("target %s: %v", target, err)
	}
	return conn, nil
}

// parse tells the address of a target as gRPC writes it, and whether it is reached by TLS.
func parse(target string) (address string, secure bool, err error) {
	scheme, rest, found := strings.Cut(target, "://")
	switch {
	case !found:
		scheme, rest = "http", target
	case scheme == "dns":
		scheme, rest = "http", strings.TrimPrefix(rest, "/")
	}
	port, known := map[string]string{"http": "80", "https": "443"}[scheme]
	if !known {
		return "", false, invalid("target %s: the scheme is none of http, https and dns", target)
	}
	parsed, err := url.Parse(scheme + "://" + rest)
	if err != nil || parsed.Hostname() == "" || parsed.Host+strings.TrimPrefix(parsed.Path, "/") != strings.TrimSuffix(rest, "/") {
		return "", false, invalid("target %s: must read as host:port, http://host:port or https://host:port", target)
	}
	host := net.JoinHostPort(parsed.Hostname(), cmp.Or(parsed.Port(), port))
	return "dns:///" + host, scheme == "https", nil
}

func (o Options) tls() (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.TLSCA) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.TLSCA) {
			return nil, invalid("the certificate authority holds no certificate in PEM")
		}
	}
	if len(o.TLSCert) > 0 || len(o.TLSKey) > 0 {
		pair, err := tls.X509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return nil, invalid("the client's certificate and key: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}

func (o Options) checkToken(target string, secure bool) error {
	for _, char := range o.Token {
		if char < ' ' || char > '~' {
			return invalid("the token is not printable ASCII")
		}
	}
	if secure {
		return nil
	}
	if !o.InsecureToken {
		return invalid("target %s is plaintext, and the token could be read on the way: use https://, or allow it by "+
			"InsecureToken (RIPOSTE_INSECURE_TOKEN=true)", target)
	}
	logger := o.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Warn(fmt.Sprintf("riposte: the token is sent over plaintext to %s", target))
	return nil
}
