package riposte

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"riposte.dev/go/riposte/ripostev1"
)

// refuses says whether the options cannot be used.
func refuses(options Options) bool {
	_, err := Connect(options)
	var failed *Error
	return errors.As(err, &failed) && failed.Code == codes.InvalidArgument
}

func TestTargets(t *testing.T) {
	for target, address := range map[string]string{
		"127.0.0.1:7171":        "dns:///127.0.0.1:7171",
		"http://comments:81":    "dns:///comments:81",
		"http://comments:80/":   "dns:///comments:80",
		"https://a_b.c-d:65535": "dns:///a_b.c-d:65535",
		"https://[::1]:7":       "dns:///[::1]:7",
		"dns:///comments:7171":  "dns:///comments:7171",
	} {
		client, err := Connect(Options{Target: target})
		if err != nil || client.conn.Target() != address {
			t.Errorf("%s: %v", target, err)
		}
	}
	for _, target := range []string{
		"a", "http://a", "https://a/", ":1", "a:0", "a:01", "a:65536", "a:99999", "a:1x", "::1:7", "[::1]", "[a]:1", "http://", "a b:1",
		"ftp://a:1", "HTTP://a:1", "unix:///a", "http://a:1/path", "http://u@a:1", "http://a:1?q", " a:1", "a:1\n", "http://dns:///a:1",
	} {
		if !refuses(Options{Target: target}) || !refuses(Options{AdminTarget: target}) {
			t.Errorf("%q is taken", target)
		}
	}
}

func TestTheAdministrationOfNoAddressIsThatOfADevServerOrNotKnown(t *testing.T) {
	for target, known := range map[string]bool{
		"": true, "127.0.0.1:7171": true, "http://localhost:7171/": true, "comments:7171": false, "https://127.0.0.1:7171": false,
	} {
		client, err := Connect(Options{Target: target})
		if err != nil || client.adminConn.Target() != "dns:///127.0.0.1:7172" {
			t.Fatalf("%s: %v", target, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, call := client.Admin().HideComment(ctx, &ripostev1.HideCommentRequest{})
		_, stream := client.Admin().RepairCounts(ctx, &ripostev1.RepairCountsRequest{})
		for _, err := range []error{call, stream} {
			if strings.Contains(err.Error(), "RIPOSTE_ADMIN_TARGET") == known {
				t.Errorf("%s: %v", target, err)
			}
		}
	}
}

func TestATokenThatNoHeaderCanCarryIsRefused(t *testing.T) {
	for _, token := range []string{"s\n", "two words", "\u00fc"} {
		if !refuses(Options{Target: "https://a:1", Token: token}) {
			t.Errorf("%q is taken", token)
		}
	}
}

func TestAClientCertificateIsNotIgnoredOverPlaintext(t *testing.T) {
	if !refuses(Options{Target: "a:1", TLSCert: []byte("PEM"), TLSKey: []byte("PEM")}) {
		t.Error("it is")
	}
}

func TestSwitches(t *testing.T) {
	for text, want := range map[string]bool{"": false, "1": true, "True": true, "TRUE": true, "0": false, "false": false} {
		t.Setenv("RIPOSTE_INSECURE_TOKEN", text)
		if options, err := OptionsFromEnv(); err != nil || options.InsecureToken != want {
			t.Errorf("%q: %v, %v", text, options.InsecureToken, err)
		}
	}
	for _, text := range []string{"t", "yes", "on", "2", " "} {
		t.Setenv("RIPOSTE_INSECURE_TOKEN", text)
		if _, err := OptionsFromEnv(); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
