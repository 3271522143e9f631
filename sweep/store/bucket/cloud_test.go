//go:build cloud

package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// s3 serves buckets "results" and "root" in this process, and returns the end of the URLs
// that find it.
func s3(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	backend := s3mem.New()
	if err := errors.Join(backend.CreateBucket("results"), backend.CreateBucket("root")); err != nil {
		t.Fatal(err)
	}
	h := gofakes3.New(backend).Server()
	if wrap != nil {
		h = wrap(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return "?region=eu-central-1&use_path_style=true&endpoint=" + server.URL
}

var ctx = context.Background()

func open(t *testing.T, url string) Bucket {
	t.Helper()
	b, err := Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func names(t *testing.T, b Bucket, prefix string) string {
	t.Helper()
	list, err := b.List(ctx, prefix)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range list {
		out = append(out, fmt.Sprint(o.Key, "=", o.Size))
	}
	return strings.Join(out, " ")
}

// Every store behaves the same.
func TestStores(t *testing.T) {
	query := s3(t, nil)
	for name, url := range map[string]string{"s3": "s3://results/a/b" + query, "s3 root": "s3://root" + query, "file": "file://" + filepath.Join(t.TempDir(), "made")} {
		t.Run(name, func(t *testing.T) { conforms(t, open(t, url)) })
	}
	b := open(t, "s3://results"+query)
	if err := b.Put(ctx, "a/bc", strings.NewReader("x"), false); err != nil {
		t.Fatal(err)
	}
	if got := names(t, open(t, "s3://results/a/b"+query), ""); strings.Contains(got, "c=") {
		t.Errorf("a neighbour is seen: %s", got)
	}
}

func conforms(t *testing.T, b Bucket) {
	put := func(key, text string, once bool) error { return b.Put(ctx, key, strings.NewReader(text), once) }
	if got := names(t, b, ""); got != "" {
		t.Errorf("at first: %s", got)
	}
	if err := errors.Join(put("x/1", "one", true), put("x/2", "two", false), put("y", "", false), put("x/2", "again", false)); err != nil {
		t.Fatal(err)
	}
	if err := put("x/1", "other", true); !errors.Is(err, ErrExists) {
		t.Errorf("once, twice: %v", err)
	}
	if got := names(t, b, "x/"); got != "x/1=3 x/2=5" {
		t.Errorf("list: %s", got)
	}
	var text bytes.Buffer
	if err := errors.Join(b.Get(ctx, "x/1", &text), b.Get(ctx, "x/2", &text)); err != nil || text.String() != "oneagain" {
		t.Errorf("get: %q %v", text.String(), err)
	}
	if err := b.Get(ctx, "x", io.Discard); !errors.Is(err, ErrNotFound) {
		t.Errorf("get nothing: %v", err)
	}
	for _, once := range []bool{true, false} { // what cannot be read to its end is not written
		if err := b.Put(ctx, "torn", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), once); err == nil {
			t.Error("half an object")
		}
	}
	if err := errors.Join(b.Delete(ctx, "y"), b.Delete(ctx, "y")); err != nil {
		t.Errorf("delete: %v", err)
	}
	if got := names(t, b, ""); got != "x/1=3 x/2=5" {
		t.Errorf("at last: %s", got)
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 12<<20/16) // several parts
	if err := b.Put(ctx, "large", bytes.NewReader(large), true); err != nil {
		t.Fatal(err)
	}
	text.Reset()
	if err := b.Get(ctx, "large", &text); err != nil || !bytes.Equal(text.Bytes(), large) {
		t.Errorf("large: %d bytes, %v", text.Len(), err)
	}
	race(t, b)
}

// race has many write one name: one does.
func race(t *testing.T, b Bucket) {
	t.Helper()
	var group sync.WaitGroup
	results := make([]error, 16)
	for i := range results {
		group.Go(func() { results[i] = b.Put(ctx, "race", strings.NewReader(fmt.Sprint(i)), true) })
	}
	group.Wait()
	won := -1
	for i, err := range results {
		switch {
		case err == nil && won >= 0:
			t.Errorf("%d and %d wrote", won, i)
		case err == nil:
			won = i
		case !errors.Is(err, ErrExists):
			t.Error(err)
		}
	}
	var text bytes.Buffer
	if err := b.Get(ctx, "race", &text); err != nil || text.String() != fmt.Sprint(won) {
		t.Errorf("%d wrote, %q is there: %v", won, text.String(), err)
	}
}

func TestWrong(t *testing.T) {
	query := s3(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/secret") {
				w.WriteHeader(http.StatusForbidden)
				io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	for url, want := range map[string]error{"s3://nowhere/p": ErrNotFound, "s3://secret/p": ErrDenied} {
		b := open(t, url+query)
		_, err := b.List(ctx, "")
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), url) {
			t.Errorf("list %s: %v", url, err)
		}
		if err := b.Put(ctx, "x", strings.NewReader("x"), true); !errors.Is(err, want) {
			t.Errorf("put %s: %v", url, err)
		}
	}
	if _, err := Open(ctx, "s3://results?colour=blue"); err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("a query of no meaning: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, "file://"+dir+"/file"); err == nil {
		t.Error("a file is no folder")
	}
}
