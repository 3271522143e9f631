//go:build cloud

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"scoville/sweep"
	"scoville/sweep/store"
)

// bucket is an S3 in this process with one bucket, "results".
type bucket struct {
	t      *testing.T
	url    string
	refuse atomic.Pointer[string] // requests whose method and path contain it are refused
	hook   atomic.Pointer[hook]   // sees every other request first
	dir    string                 // of studies and scratches
	local  map[string]string      // folder of a sweep into a folder, by study
}

// hook may answer a request, and says whether it has.
type hook func(w http.ResponseWriter, r *http.Request) bool

func newBucket(t *testing.T) *bucket {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := s3mem.New()
	if err := backend.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	b := &bucket{t: t, dir: t.TempDir(), local: map[string]string{}}
	h := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := b.refuse.Load(); p != nil && strings.Contains(r.Method+" "+r.URL.Path, *p) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
			return
		}
		if f := b.hook.Load(); f == nil || !(*f)(w, r) {
			h.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	b.url = server.URL
	text := script(t, "testdata/resume.txtar", "-- demo.toml --")
	for name, axis := range map[string]string{"few.toml": "[1, 2, 4]", "more.toml": "[1, 2, 4, 8, 16]"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), bytes.Replace(text, []byte("[1, 2, 4]"), []byte(axis), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// at is the URL of a folder in the bucket.
func (b *bucket) at(name string) string {
	return "s3://" + name + "?region=eu-central-1&use_path_style=true&endpoint=" + b.url
}

// sweeps runs the command and wants its exit code; it returns what it wrote.
func (b *bucket) sweeps(want int, args ...string) string {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	err := run(context.Background(), args, &stdout, &stderr)
	if err != nil {
		stderr.WriteString(message(err))
	}
	if got := exitCode(err); got != want {
		b.t.Fatalf("sweep %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, &stdout, &stderr)
	}
	return stdout.String() + stderr.String()
}

func (b *bucket) has(text, want string) {
	b.t.Helper()
	if !strings.Contains(text, want) {
		b.t.Errorf("%q is not in\n%s", want, text)
	}
}

// object reads an object; nil if there is none.
func (b *bucket) object(name string) []byte {
	b.t.Helper()
	r, err := http.Get(b.url + "/results/" + name)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return nil
	}
	return text
}

// same wants the tables in the bucket to be those of a sweep into a folder.
func (b *bucket) same(prefix, study string) {
	b.t.Helper()
	dir := b.local[study]
	if dir == "" {
		dir = filepath.Join(b.t.TempDir(), "local")
		b.sweeps(0, "run", study, "-o", dir)
		b.local[study] = dir
	}
	for _, name := range []string{"runs.parquet", "points.parquet", "effects.parquet", "study.toml", "report.html"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			b.t.Fatal(err)
		}
		if got := b.object(prefix + "/" + name); !bytes.Equal(got, want) {
			b.t.Errorf("%s/%s: %d bytes that are not those of a sweep into a folder", prefix, name, len(got))
		}
	}
	if b.object(prefix+"/manifest.json") == nil || b.object(prefix+"/report.md") == nil {
		b.t.Errorf("%s: no manifest or report", prefix)
	}
}

// A study goes to S3 and to files, goes on from another machine, and is read from
// there.
func TestCloudRun(t *testing.T) {
	b := newBucket(t)
	few, more := filepath.Join(b.dir, "few.toml"), filepath.Join(b.dir, "more.toml")
	for _, url := range []string{b.at("results/a/b"), "file://" + filepath.Join(b.dir, "files")} {
		b.sweeps(0, "run", few, "-o", url, "--scratch", b.dir+"/one")
		text := b.sweeps(0, "run", more, "-o", url, "--scratch", b.dir+"/two")
		b.has(text, "5 runs planned, 3 already done, 2 to run")
		b.has(b.sweeps(0, "show", url, "--point", "0", "--quick"), "reproduced")
		b.has(b.sweeps(0, "diff", url, url), "geomean")
		b.sweeps(0, "report", url, "-o", filepath.Join(b.dir, "page.html"))
		if page, err := os.ReadFile(filepath.Join(b.dir, "page.html")); err != nil || !bytes.Contains(page, []byte("sweep report")) {
			t.Errorf("%s: a page of %d bytes, %v", url, len(page), err)
		}
		b.has(b.sweeps(2, "report", url), "give -o FILE")
	}
	b.same("a/b", more)
	other := filepath.Join(b.dir, "other.toml")
	if err := os.WriteFile(other, bytes.Replace(script(t, "testdata/resume.txtar", "-- demo.toml --"), []byte(`"demo"`), []byte(`"other"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	b.has(b.sweeps(6, "run", other, "-o", b.at("results/a/b")), "not of this study")
}

// A manifest that the store does not take leaves a folder without one; all runs
// are there for another machine.
func TestCloudRefused(t *testing.T) {
	b := newBucket(t)
	few := filepath.Join(b.dir, "few.toml")
	refuse := "PUT /results/a/runs.parquet"
	b.refuse.Store(&refuse)
	text := b.sweeps(4, "run", few, "-o", b.at("results/a"), "--scratch", b.dir+"/one")
	b.has(text, "access is denied")
	b.has(text, "the same command on this machine sends them")
	if text := b.object("a/manifest.json"); !bytes.Contains(text, []byte(`"digest": ""`)) {
		t.Errorf("a manifest before its tables: %s", text)
	}
	b.refuse.Store(nil)
	b.has(b.sweeps(2, "show", b.at("results/a")), "holds no results yet")
	b.has(b.sweeps(0, "run", few, "-o", b.at("results/a"), "--scratch", b.dir+"/two"), "3 already done, 0 to run")
	b.same("a", few)
}

// One process at a time writes to a URL.
func TestCloudTwo(t *testing.T) {
	b := newBucket(t)
	few := filepath.Join(b.dir, "few.toml")
	s, _, err := store.Open(context.Background(), store.Options{URL: b.at("results/a"), Scratch: b.dir + "/one"})
	if err != nil {
		t.Fatal(err)
	}
	b.has(b.sweeps(6, "run", few, "-o", b.at("results/a"), "--scratch", b.dir+"/two"), "the folder can be taken over from")
	b.has(b.sweeps(6, "run", few, "-o", b.at("results/a"), "--scratch", b.dir+"/one"), "folder is in use")
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	b.sweeps(0, "run", few, "-o", b.at("results/a"), "--scratch", b.dir+"/two")
}

// Shards write to one URL at the same time, and merge makes the tables there.
func TestCloudShards(t *testing.T) {
	b := newBucket(t)
	more := filepath.Join(b.dir, "more.toml")
	for _, shard := range []string{"1/2", "2/2"} {
		text := b.sweeps(0, "run", more, "-o", b.at("results/a"), "--shard", shard, "--scratch", b.dir+"/"+shard)
		b.has(text, "sweep merge 's3://results/a?")
		if shard == "1/2" {
			text = b.sweeps(4, "merge", more, "-o", b.at("results/a"), "--scratch", b.dir+"/three")
			again := "\n    sweep run " + more + " -o " + sweep.Quote(b.at("results/a"))
			b.has(text, again+" --shard 2/2\n")
			b.has(text, "all of them on this machine:"+again)
			if strings.Contains(text, b.dir+"/three") {
				b.t.Errorf("a command names the copy:\n%s", text)
			}
		}
	}
	b.sweeps(0, "merge", b.at("results/a"), "--scratch", b.dir+"/four")
	b.same("a", more)
	text, err := os.ReadFile(more)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(b.dir, "other.toml")
	if err := os.WriteFile(other, bytes.Replace(text, []byte(`"demo"`), []byte(`"other"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	b.has(b.sweeps(6, "run", other, "-o", b.at("results/a"), "--shard", "1/2", "--scratch", b.dir+"/five"), b.at("results/a")+" holds tables of study demo")
}

func TestCloudWrong(t *testing.T) {
	b := newBucket(t)
	few := filepath.Join(b.dir, "few.toml")
	b.has(b.sweeps(2, "run", few, "-o", b.at("nowhere/a")), "there is no such bucket")
	refuse := "/secret"
	b.refuse.Store(&refuse)
	b.has(b.sweeps(2, "run", few, "-o", b.at("secret/a")), "access is denied")
	b.has(b.sweeps(2, "run", few, "-o", "ftp://host/a"), "no object store is known by ftp://")
	b.has(b.sweeps(2, "show", b.at("results/a")), "holds no results")
	if err := os.WriteFile(few, append(script(t, "testdata/resume.txtar", "-- demo.toml --"), "[run]\nmax_runs = 1\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	b.sweeps(2, "run", few, "-o", b.at("results/a"))
	if b.object("a/manifest.json") != nil {
		t.Error("a study with a mistake left a manifest")
	}
}
