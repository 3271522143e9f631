//go:build cloud

package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A store that falls silent is given up, whatever it is asked, and is no interrupt;
// one that is slow is not.
func TestStoreQuiet(t *testing.T) {
	var mode atomic.Value // "", "silent", "slow"
	mode.Store("")
	ended := make(chan struct{})
	query := s3(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch mode.Load() {
			case "silent":
				_, _ = io.Copy(io.Discard, r.Body)
				<-ended
				return
			case "slow":
				w = &slow{w}
			}
			h.ServeHTTP(w, r)
		})
	})
	t.Cleanup(func() { close(ended) }) // before the server's, which waits for all requests
	b := open(t, "s3://results/q"+query)
	text := strings.Repeat("0123456789", 5000)
	if err := b.Put(ctx, "x", strings.NewReader(text), false); err != nil {
		t.Fatal(err)
	}
	b.(*cloud).most = 300 * time.Millisecond
	mode.Store("slow")
	var got bytes.Buffer
	begun := time.Now()
	if err := b.Get(ctx, "x", &got); err != nil || got.String() != text {
		t.Errorf("slow: %d bytes, %v", got.Len(), err)
	}
	if took := time.Since(begun); took < 300*time.Millisecond {
		t.Errorf("it was not slow: %v", took) // the server sleeps as long
	}
	mode.Store("silent")
	for name, err := range map[string]error{
		"get":    b.Get(ctx, "x", io.Discard),
		"put":    b.Put(ctx, "y", strings.NewReader("y"), false),
		"once":   b.Put(ctx, "z", strings.NewReader("z"), true),
		"delete": b.Delete(ctx, "x"),
		"list":   listed(b),
	} {
		if !errors.Is(err, ErrAway) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nothing was heard of it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	brief, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if err := b.Get(brief, "x", io.Discard); !errors.Is(err, ErrAway) || errors.Is(err, context.Canceled) {
		t.Errorf("no time left: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := b.Get(gone, "x", io.Discard); !errors.Is(err, context.Canceled) || errors.Is(err, ErrAway) {
		t.Errorf("interrupted: %v", err)
	}
}

func listed(b Bucket) error {
	_, err := b.List(ctx, "")
	return err
}

// slow writes a part at a time.
type slow struct{ http.ResponseWriter }

func (s *slow) Write(b []byte) (int, error) {
	done := 0
	for len(b) > 0 {
		time.Sleep(70 * time.Millisecond)
		n, err := s.ResponseWriter.Write(b[:min(len(b), 8000)])
		done += n
		if f, ok := s.ResponseWriter.(http.Flusher); ok {
			f.Flush()
		}
		if err != nil {
			return done, err
		}
		b = b[n:]
	}
	return done, nil
}
