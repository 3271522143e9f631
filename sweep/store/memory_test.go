package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"scoville/sweep/again"
	"scoville/sweep/journal"
	"scoville/sweep/results"
	"scoville/sweep/store/bucket"
)

// memory is a bucket that fails when it is told to.
type memory struct {
	mu      sync.Mutex
	objects map[string]object
	clock   int64
	fail    func(verb, key string) error // before the verb; nil = never
	after   func()                       // after each verb; nil = nothing
}

type object struct {
	text     string
	modified time.Time
}

func (m *memory) do(verb, key string, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(verb, key); err != nil {
			return err
		}
	}
	err := f()
	if m.after != nil {
		m.after()
	}
	return err
}

func (m *memory) Put(_ context.Context, key string, from io.Reader, once bool) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return m.do("put", key, func() error {
		if _, ok := m.objects[key]; ok && once {
			return bucket.ErrExists
		}
		m.clock++
		m.objects[key] = object{string(text), time.Unix(m.clock, 0)}
		return nil
	})
}

func (m *memory) Get(_ context.Context, key string, to io.Writer) error {
	return m.do("get", key, func() error {
		o, ok := m.objects[key]
		if !ok {
			return bucket.ErrNotFound
		}
		_, err := io.WriteString(to, o.text)
		return err
	})
}

func (m *memory) List(_ context.Context, prefix string) (out []bucket.Object, err error) {
	err = m.do("list", prefix, func() error {
		for key, o := range m.objects {
			if strings.HasPrefix(key, prefix) {
				out = append(out, bucket.Object{Key: key, Size: int64(len(o.text)), Modified: o.modified})
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b bucket.Object) int { return cmp.Compare(a.Key, b.Key) })
	return out, err
}

func (m *memory) Delete(_ context.Context, key string) error {
	return m.do("delete", key, func() error { delete(m.objects, key); return nil })
}

func (m *memory) Close() error { return nil }

// files are the objects but for leases and pieces, by name.
func (m *memory) files() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for key, o := range m.objects {
		if !strings.Contains(key, writers) && !strings.Contains(key, journal.File) {
			out[key] = o.text
		}
	}
	return out
}

func newMemory() *memory { return &memory{objects: map[string]object{}} }

// machine opens folders of a bucket from a scratch of its own.
type machine struct {
	t *testing.T
	o Options
}

func on(t *testing.T, m *memory) machine {
	return machine{t, Options{
		URL: "s3://bucket/prefix", Scratch: t.TempDir(), Every: time.Hour,
		open: func(context.Context, string) (bucket.Bucket, error) { return m, nil },
	}}
}

func (m machine) open() *Session {
	m.t.Helper()
	s, _, err := Open(context.Background(), m.o)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// killed ends a session as kill -9 does.
func killed(s *Session) {
	close(s.quit)
	s.done.Wait()
	s.lock.Release()
}

func key(i int) journal.Key { return journal.Key{Point: [8]byte{byte(i), byte(i >> 8)}, Seed: 7} }

const kind = "runs of version 1"

// ran adds runs to the local journal.
func ran(t *testing.T, s *Session, from, to int) {
	t.Helper()
	j, err := journal.Open(t.Context(), s.local(journal.File), kind)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		if err := j.Put(key(i), fmt.Appendf(nil, "run %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// knows checks that the local journal has runs 0..n-1 and no others.
func knows(t *testing.T, file string, n int) {
	t.Helper()
	j, err := journal.Open(t.Context(), file, kind)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i := range n {
		if v, ok, err := j.Get(nil, key(i)); !ok || err != nil || string(v) != fmt.Sprintf("run %d", i) {
			t.Fatalf("run %d: %q %v %v", i, v, ok, err)
		}
	}
	if j.Len() != n || j.Cut() > 0 {
		t.Fatalf("%d runs, want %d; %d bytes cut", j.Len(), n, j.Cut())
	}
}

// write writes files of results.
func write(t *testing.T, s *Session, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		file := s.local(files[i])
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := results.WriteFile(file, []byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
}

const begunManifest = `{"schema": 1, "study": "a"}`

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var ctx = context.Background()

// copyAll copies a bucket, and its journals if journals is set.
func copyAll(m *memory, dir string, journals bool) error {
	o := Options{}
	o.defaults()
	return copying{journals: journals, want: func(string) bool { return true }}.fetch(context.Background(), &o, m, dir)
}

func isInput(err error) bool {
	var input *again.InputError
	return errors.As(err, &input)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
