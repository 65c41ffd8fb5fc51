package riposte

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
)

func TestTargets(t *testing.T) {
	for _, one := range []struct {
		target, address string
		secure          bool
	}{
		{"127.0.0.1:7171", "dns:///127.0.0.1:7171", false},
		{"http://comments:81", "dns:///comments:81", false},
		{"http://comments/", "dns:///comments:80", false},
		{"https://comments.example", "dns:///comments.example:443", true},
		{"https://[::1]:7", "dns:///[::1]:7", true},
		{"dns:///comments:7171", "dns:///comments:7171", false},
	} {
		address, secure, err := parse(one.target)
		if err != nil || address != one.address || secure != one.secure {
			t.Errorf("%s: %s, %v, %v", one.target, address, secure, err)
		}
	}
	for _, target := range []string{"", "ftp://a:1", "http://", "a b:1", "http://a:b", "http://a:1/path", "http://u@a:1", "http://a:1?q"} {
		_, _, err := parse(target)
		var failed *Error
		if !errors.As(err, &failed) || failed.Code != codes.InvalidArgument {
			t.Errorf("%q: %v", target, err)
		}
	}
}
