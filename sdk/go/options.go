package riposte

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// read reads a variable; one that is unset or empty has its default. failed keeps the first error.
func read[T any](name string, parse func(string) (T, error), failed *error) (value T) {
	if text := os.Getenv(name); text != "" && *failed == nil {
		var err error
		if value, err = parse(text); err != nil {
			*failed = invalid("%s: %v", name, err)
		}
	}
	return value
}

// dial opens one address; nothing is sent before the first call.
func (o Options) dial(target string, shared []grpc.DialOption) (*grpc.ClientConn, error) {
	address, secure, err := parse(target)
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if secure {
		if transport, err = o.tls(); err != nil {
			return nil, err
		}
	} else if o.Token != "" && !o.InsecureToken {
		return nil, invalid("target %s is plaintext, and the token could be read on the way: use https://, or allow it by "+
			"InsecureToken (RIPOSTE_INSECURE_TOKEN=true)", target)
	}
	own := append([]grpc.DialOption{grpc.WithTransportCredentials(transport)}, shared...)
	if o.Token != "" {
		own = append(own, grpc.WithPerRPCCredentials(bearer{o.Token, secure}))
	}
	conn, err := grpc.NewClient(address, append(own, o.DialOptions...)...)
	if err != nil {
		return nil, invalid("target %s: %v", target, err)
	}
	return conn, nil
}

// parse tells the address of a target as gRPC writes it, and whether it is reached by TLS.
func parse(target string) (address string, secure bool, err error) {
	text := strings.Replace(target, "dns:///", "http://", 1)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || parsed.Scheme+"://"+parsed.Host != strings.TrimSuffix(text, "/") {
		return "", false, invalid("target %q must read as host:port, http://host:port or https://host:port", target)
	}
	port, known := map[string]string{"http": "80", "https": "443"}[parsed.Scheme]
	if !known {
		return "", false, invalid("target %q has a scheme that is none of http, https and dns", target)
	}
	address = "dns:///" + net.JoinHostPort(parsed.Hostname(), cmp.Or(parsed.Port(), port))
	return address, parsed.Scheme == "https", nil
}

func (o Options) tls() (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.TLSCA) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.TLSCA) {
			return nil, invalid("the certificate authority holds no certificate in PEM")
		}
	}
	if len(o.TLSCert)+len(o.TLSKey) > 0 {
		pair, err := tls.X509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return nil, invalid("the client's certificate and key: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}

// bearer sends a token with every call.
type bearer struct {
	token  string
	secure bool
}

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.token}, nil
}

func (b bearer) RequireTransportSecurity() bool { return b.secure }
