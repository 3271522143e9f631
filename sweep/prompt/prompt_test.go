package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestCall(t *testing.T) {
	broken := errors.New("broken")
	if v, err := Call(t.Context(), func() (int, error) { return 7, broken }); v != 7 || err != broken {
		t.Error(v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	defer close(stuck)
	if v, err := Call(ctx, func() (int, error) { cancel(); <-stuck; return 7, nil }); v != 0 || !errors.Is(err, context.Canceled) {
		t.Error(v, err)
	}
	if _, err := Call(ctx, func() (int, error) { t.Error("begun after the end"); return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	defer func() {
		if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "a fault") || !strings.Contains(v, "prompt_test.go") {
			t.Errorf("panic %v", v)
		}
	}()
	_, _ = Call(t.Context(), func() (int, error) { panic("a fault") })
}
