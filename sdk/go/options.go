package riposte

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
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
	// Target is the address: http://host:port, host:port or dns:///host:port, plaintext; https://host:port, TLS. Calls
	// are spread over all addresses of the name. Default: 127.0.0.1:7171.
	Target string
	// AdminTarget is the address of the administration, written as Target is. Default: Target, which answers
	// UNIMPLEMENTED unless it leads to both; beside the default Target, 127.0.0.1:7172.
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
func OptionsFromEnv() (options Options, err error) {
	read := func(name string) (content []byte) {
		if path := os.Getenv(name); path != "" && err == nil {
			if content, err = os.ReadFile(path); err != nil {
				err = invalid("%s: %v", name, err)
			}
		}
		return content
	}
	allowed, bad := strconv.ParseBool(cmp.Or(os.Getenv("RIPOSTE_INSECURE_TOKEN"), "false"))
	if bad != nil {
		return options, invalid("RIPOSTE_INSECURE_TOKEN: %v", bad)
	}
	return Options{
		Target: os.Getenv("RIPOSTE_TARGET"), AdminTarget: os.Getenv("RIPOSTE_ADMIN_TARGET"),
		Token: os.Getenv("RIPOSTE_TOKEN"), InsecureToken: allowed,
		TLSCA: read("RIPOSTE_TLS_CA"), TLSCert: read("RIPOSTE_TLS_CERT"), TLSKey: read("RIPOSTE_TLS_KEY"),
	}, err
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
