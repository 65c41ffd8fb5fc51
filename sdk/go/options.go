package riposte

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// What an option may say, alike in all languages. A port is one of 1 to 65535.
var (
	targets = regexp.MustCompile(`^(http://|https://|dns:///)?((?:[\w.-]+|\[[\dA-Fa-f]*:[\dA-Fa-f:.]+\]):` +
		`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))/?$`)
	tokens   = regexp.MustCompile(`^[\x21-\x7e]+$`)
	switches = regexp.MustCompile(`^(?i:true|false|1|0)$`)
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

// flag reads a switch.
func flag(text string) (bool, error) {
	if !switches.MatchString(text) {
		return false, errors.New("neither true nor false")
	}
	return text == "1" || strings.EqualFold(text, "true"), nil
}

// choice reads one of the values; what is empty is the first.
func choice(values ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if text != "" && !slices.Contains(values, text) {
			return "", fmt.Errorf("%q is none of %s", text, strings.Join(values, ", "))
		}
		return cmp.Or(text, values[0]), nil
	}
}

// dial opens one address; nothing is sent before the first call.
func (o Options) dial(target string, shared []grpc.DialOption) (*grpc.ClientConn, error) {
	parts := targets.FindStringSubmatch(target)
	if parts == nil {
		return nil, invalid("target %q is none of http://host:port, https://host:port, host:port, dns:///host:port", target)
	}
	if o.Token != "" && !tokens.MatchString(o.Token) {
		return nil, invalid("the token is not printable ASCII")
	}
	secure, transport, err := parts[1] == "https://", insecure.NewCredentials(), error(nil)
	if secure {
		if transport, err = o.tls(); err != nil {
			return nil, err
		}
	} else if len(o.TLSCert)+len(o.TLSKey) > 0 {
		return nil, invalid("a client certificate needs TLS: write the target %s with https://", target)
	} else if o.Token != "" && !o.InsecureToken {
		return nil, invalid("target %s is plaintext, and the token could be read on the way: use https://, or allow it by "+
			"InsecureToken (RIPOSTE_INSECURE_TOKEN=true)", target)
	}
	proxy, err := choice("environment", "none")(o.Proxy)
	if err != nil {
		return nil, invalid("proxy: %v", err)
	}
	own := append([]grpc.DialOption{grpc.WithTransportCredentials(transport)}, shared...)
	if proxy == "none" || loopback.MatchString(parts[2]) {
		own = append(own, grpc.WithNoProxy())
	}
	if o.Token != "" {
		own = append(own, grpc.WithPerRPCCredentials(bearer{o.Token, secure}))
	}
	conn, err := grpc.NewClient("dns:///"+parts[2], append(own, o.DialOptions...)...)
	if err != nil {
		return nil, invalid("target %s: %v", target, err)
	}
	return conn, nil
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
