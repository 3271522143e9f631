package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"scoville/sweep/store/bucket"
)

// away fails the first times that keys ending in name are put, for ever if times is
// negative.
func away(m *memory, name string, times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = func(verb, key string) error {
		if verb != "put" || !strings.HasSuffix(key, name) || times == 0 {
			return nil
		}
		times--
		return fmt.Errorf("put %s: %w", key, bucket.ErrAway)
	}
}

// What could not be said at the beginning is said as soon as the store takes it,
// long before the sweep ends, and what runs gave follows; the user is told once.
func TestBehind(t *testing.T) {
	m := newMemory()
	a := on(t, m)
	a.o.Every = 320 * time.Millisecond
	var mu sync.Mutex
	var told []string
	a.o.Warn = func(text string) { mu.Lock(); defer mu.Unlock(); told = append(told, text) }
	s := a.open()
	write(t, s, "manifest.json", begunManifest)
	ran(t, s, 0, 3)
	away(m, "manifest.json", 4)
	s.Begin(ctx)
	if got := m.files(); len(got) > 0 {
		t.Fatalf("%v", got)
	}
	for i := 0; m.files()["manifest.json"] == ""; i++ {
		if i == 500 {
			t.Fatal("not tried again")
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, s.Close(ctx))
	dir := t.TempDir()
	must(t, copyAll(m, dir, true))
	knows(t, dir+"/runs.journal", 3)
	mu.Lock()
	defer mu.Unlock()
	if len(told) == 0 || len(told) > 2 || !strings.Contains(told[0], "manifest.json: the object store does not answer as it should; it is tried again") {
		t.Errorf("%q", told)
	}
}

// At its end a sweep tries for a while what a store does not answer, and not what
// it refuses.
func TestStubborn(t *testing.T) {
	for _, c := range []struct {
		times int
		want  error
	}{{3, nil}, {-1, ErrUnsent}} {
		m := newMemory()
		a := on(t, m) // where runs wait an hour for the bucket
		a.o.last = 640 * time.Millisecond
		s := a.open()
		write(t, s, "manifest.json", `{"schema": 1, "study": "a", "digest": "d"}`, "runs.parquet", "R")
		away(m, "runs.parquet", c.times)
		if err := s.Publish(ctx); !errors.Is(err, c.want) || c.want != nil && !errors.Is(err, ErrAway) {
			t.Errorf("%d times: %v", c.times, err)
		}
		if got := m.files(); (got["manifest.json"] != "") != (c.want == nil) {
			t.Errorf("%d times: %v", c.times, got)
		}
		away(m, "", 0)
		must(t, s.Close(ctx))
	}
	m := newMemory()
	s := on(t, m).open()
	tries := 0
	m.fail = func(verb, key string) error {
		if verb == "put" && key == "runs.parquet" {
			tries++
			return bucket.ErrDenied
		}
		return nil
	}
	write(t, s, "manifest.json", "M", "runs.parquet", "R")
	if err := s.Publish(ctx); !errors.Is(err, ErrUnsent) || !errors.Is(err, bucket.ErrDenied) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	m.fail = nil
}

// A store that does not answer when a folder is opened is no mistake of the user's.
func TestAway(t *testing.T) {
	m := newMemory()
	m.fail = func(string, string) error { return fmt.Errorf("list: %w", bucket.ErrAway) }
	if _, _, err := Open(ctx, on(t, m).o); !errors.Is(err, ErrAway) || isInput(err) {
		t.Errorf("%v", err)
	}
	m.fail = func(string, string) error { return bucket.ErrDenied }
	if _, _, err := Open(ctx, on(t, m).o); !errors.Is(err, bucket.ErrDenied) || !isInput(err) {
		t.Errorf("%v", err)
	}
}

// A glance takes manifests, journals and leases that hold, and no tables.
func TestGlance(t *testing.T) {
	m := newMemory()
	a := on(t, m)
	s := a.open()
	ran(t, s, 0, 3)
	write(t, s, "manifest.json", "M", "runs.parquet", "R", ".standing", "S")
	must(t, s.Publish(ctx))
	b := on(t, m)
	b.o.Part = "shards/1-of-2"
	part := b.open()
	ran(t, part, 3, 4)
	write(t, part, "manifest.json", "M", "shard.json", "D")
	must(t, part.Publish(ctx))
	must(t, part.Close(ctx))
	for _, c := range []struct {
		at     time.Time
		writes bool
	}{{time.Now(), true}, {time.Now().Add(Lease), false}} {
		dir := t.TempDir()
		o := Options{now: func() time.Time { return c.at }}
		o.defaults()
		var cost Cost
		w := copying{journals: true, writers: true, cost: &cost, want: glanced}
		must(t, w.fetch(context.Background(), &o, m, dir))
		knows(t, dir+"/runs.journal", 3)
		for name, want := range map[string]bool{
			"manifest.json": true, ".standing": true, "runs.parquet": false, ".lock": c.writes,
			"shards/1-of-2/shard.json": true, "shards/1-of-2/runs.journal": true, "shards/1-of-2/.lock": false,
		} {
			if exists(dir+"/"+name) != want {
				t.Errorf("%v: %s: want %t", c.at, name, want)
			}
		}
		if cost.Objects != 6 || cost.Bytes < 100 {
			t.Errorf("%+v", cost)
		}
	}
}
