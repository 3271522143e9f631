//go:build !cloud

package bucket

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A build without the clients says which one has them.
func TestPlain(t *testing.T) {
	for _, url := range []string{"s3://b/p", "gs://b/p", "file:///a"} {
		if _, err := Open(context.Background(), url); !errors.Is(err, ErrBuild) || !strings.Contains(err.Error(), "make cloud") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := Open(context.Background(), "ftp://b/p"); err == nil || errors.Is(err, ErrBuild) {
		t.Errorf("%v", err)
	}
}
