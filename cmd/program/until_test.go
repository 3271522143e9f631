package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestUntil(t *testing.T) {
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	w := Until(ctx, &out)
	if _, err := fmt.Fprint(w, "one"); err != nil {
		t.Error(err)
	}
	cancel()
	if n, err := fmt.Fprint(w, "two"); n != 0 || !errors.Is(err, context.Canceled) || out.String() != "one" {
		t.Errorf("%d, %v: %q", n, err, out.String())
	}
}
