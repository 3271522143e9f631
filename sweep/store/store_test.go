package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"scoville/sweep/journal"
	"scoville/sweep/results"
	"scoville/sweep/results/lock"
	"scoville/sweep/store/bucket"
)

// A sweep that ends is whole in the bucket, and goes on from another machine.
func TestOtherMachine(t *testing.T) {
	m := newMemory()
	s := on(t, m).open()
	ran(t, s, 0, 5)
	write(t, s, "manifest.json", begunManifest)
	s.Begin(ctx)
	if got := m.files(); len(got) != 1 || got["manifest.json"] != begunManifest {
		t.Fatalf("begun: %v", got)
	}
	must(t, s.push(ctx))
	ran(t, s, 5, 9)
	must(t, s.Close(ctx))

	s = on(t, m).open()
	knows(t, s.local(journal.File), 9)
	ran(t, s, 9, 12)
	write(t, s, "manifest.json", `{"schema": 1, "study": "a", "digest": "d"}`, "runs.parquet", "R", "plots/a.svg", "A", "requests/x.parquet", "X", ".lock", "no")
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	if got := m.files(); len(got) != 4 || got["runs.parquet"] != "R" || got["plots/a.svg"] != "A" {
		t.Fatalf("published: %v", got)
	}

	dir := t.TempDir()
	must(t, copyAll(m, dir, true))
	knows(t, filepath.Join(dir, journal.File), 12)
	for name, want := range m.files() {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("copy of %s: %q %v", name, text, err)
		}
	}
}

// What a sweep removes is removed; objects of others and shards are not.
func TestRemoves(t *testing.T) {
	m := newMemory()
	m.objects["notes.txt"] = object{text: "mine"}
	m.objects["shards/1-of-2/manifest.json"] = object{text: "S"}
	a := on(t, m)
	s := a.open()
	write(t, s, "manifest.json", "M", "classes.parquet", "C", "plots/a.svg", "A")
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	s = on(t, m).open() // from another machine
	must(t, os.Remove(s.local("classes.parquet")))
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	got := m.files()
	if _, ok := got["classes.parquet"]; ok || len(got) != 4 {
		t.Errorf("%v", got)
	}
	s = a.open()
	if _, err := os.Stat(s.local("classes.parquet")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the first machine still has what the second removed")
	}
}

// The bucket emptied by hand, a machine does not go on with what it was.
func TestEmptied(t *testing.T) {
	m := newMemory()
	a := on(t, m)
	s := a.open()
	ran(t, s, 0, 3)
	write(t, s, "manifest.json", "M")
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	clear(m.objects)
	s = a.open()
	for _, name := range []string{"manifest.json", journal.File} {
		if _, err := os.Stat(s.local(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", name)
		}
	}
}

// After a kill the same machine goes on at once, and what was not sent is not
// lost; another has to wait.
func TestKilled(t *testing.T) {
	m := newMemory()
	a, b := on(t, m), on(t, m)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	a.o.now, b.o.now = func() time.Time { return now }, func() time.Time { return now }
	s := a.open()
	ran(t, s, 0, 4)
	s.Begin(ctx)
	must(t, s.push(ctx))
	ran(t, s, 4, 6)
	f, err := os.OpenFile(s.local(journal.File), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("half a record")
	must(t, errors.Join(err, f.Close()))
	killed(s)

	if _, _, err := Open(ctx, b.o); !errors.Is(err, lock.ErrLocked) || !strings.Contains(err.Error(), "taken over from 2030-01-01T00:02:00Z") {
		t.Fatalf("another machine: %v", err)
	}
	s = a.open()
	knows(t, s.local(journal.File), 6)
	killed(s)

	now = now.Add(Lease)
	s = b.open()
	knows(t, s.local(journal.File), 6)
	must(t, s.Close(ctx))
}

// Damage in the local journal costs the runs that it touches and none behind them:
// those go up in pieces that others read.
func TestDamagedBeforeSent(t *testing.T) {
	for _, c := range []struct {
		name string
		hole int // bytes put before the fourth run, besides its damaged length
		tail string
	}{{"a length", 0, ""}, {"a length and half a record", 0, "half"}, {"more than a piece", maxPiece + 1000, ""}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory()
			a := on(t, m)
			var told []string
			a.o.Warn = func(text string) { told = append(told, text) }
			s := a.open()
			ran(t, s, 0, 9)
			s.Begin(ctx)
			text, err := os.ReadFile(s.local(journal.File))
			must(t, err)
			size := (len(text) - len(kind) - 1) / 9
			at := len(kind) + 1 + 3*size
			text[at+3] ^= 0x40
			text = slices.Concat(text[:at], bytes.Repeat([]byte{0xff}, c.hole), text[at:], []byte(c.tail))
			must(t, os.WriteFile(s.local(journal.File), text, 0o600))
			killed(s)

			s = a.open()
			look := func(file string, damaged int64) {
				t.Helper()
				j, err := journal.Open(t.Context(), file, kind)
				must(t, err)
				defer j.Close()
				if j.Len() != 8 || j.Has(key(3)) || j.Damaged() != damaged || j.Cut() > 0 {
					t.Errorf("%d runs, %d bytes damaged, %d cut", j.Len(), j.Damaged(), j.Cut())
				}
			}
			look(s.local(journal.File), int64(c.hole+size))
			if cut := strings.Join(told, ""); (cut != "") != (c.tail != "") || c.tail != "" && cut != "runs.journal: 4 bytes that were half written are cut off" {
				t.Errorf("said: %q", told)
			}
			dir := t.TempDir()
			must(t, copyAll(m, dir, true))
			look(filepath.Join(dir, journal.File), 0)
			ran(t, s, 3, 4)
			s.Begin(ctx)
			must(t, s.Close(ctx))
			knows(t, on(t, m).open().local(journal.File), 9)
		})
	}
}

// What a killed writer left under a temporary name, and what others put beside pieces
// and leases, is neither read nor fetched.
func TestLeftovers(t *testing.T) {
	m := newMemory()
	s := on(t, m).open()
	ran(t, s, 0, 3)
	write(t, s, "manifest.json", "M", "runs.parquet", "R")
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	for _, name := range []string{"runs.journal/.once-7.tmp", "runs.journal/notes", "writer/.once-7.tmp", "writer/notes", "runs.parquet.18f3a0b1c2d3e4f5.tmp", "runs.journal/000001-000009.18f3a0b1c2d3e4f5.tmp"} {
		m.objects[name] = object{text: "x"}
		m.objects["shards/1-of-2/"+name] = object{text: "x"}
	}
	s = on(t, m).open()
	knows(t, s.local(journal.File), 3)
	dir := t.TempDir()
	must(t, copyAll(m, dir, true))
	knows(t, filepath.Join(dir, journal.File), 3)
	for _, at := range []string{dir, s.Dir()} {
		must(t, filepath.WalkDir(at, func(file string, d fs.DirEntry, err error) error {
			if err == nil && (strings.HasSuffix(file, ".tmp") || d.Name() == "notes") {
				t.Errorf("fetched: %s", file)
			}
			return err
		}))
	}
}

// A writer that was thought dead stops, and spoils nothing.
func TestTakenOver(t *testing.T) {
	m := newMemory()
	a, b := on(t, m), on(t, m)
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	b.o.now = func() time.Time { return now.Add(Lease) }
	a.o.now = func() time.Time { return now }
	a.o.Every = 20 * time.Millisecond
	a.o.Warn = func(string) {}
	s, inner, err := Open(ctx, a.o)
	must(t, err)
	s.mu.Lock() // it sleeps
	ran(t, s, 0, 3)
	write(t, s, "manifest.json", "old", "runs.parquet", "old")
	s.begun = true

	other := b.open()
	ran(t, other, 3, 5)
	write(t, other, "manifest.json", "new", "runs.parquet", "new")
	must(t, other.Publish(ctx))

	s.mu.Unlock()
	<-inner.Done()
	if err := context.Cause(inner); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("woken: %v", err)
	}
	if err := s.Publish(ctx); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("publish: %v", err)
	}
	if err := s.Close(ctx); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("close: %v", err)
	}
	must(t, other.Close(ctx))
	if got := m.files(); got["manifest.json"] != "new" || got["runs.parquet"] != "new" {
		t.Errorf("%v", got)
	}
}

// Of many that begin at once, one writes.
func TestAtOnce(t *testing.T) {
	m := newMemory()
	var group sync.WaitGroup
	var mu sync.Mutex
	var won []*Session
	for range 16 {
		a := on(t, m)
		group.Go(func() {
			s, _, err := Open(ctx, a.o)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = append(won, s)
			case !errors.Is(err, lock.ErrLocked):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(won) != 1 {
		t.Fatalf("%d writers", len(won))
	}
	must(t, won[0].Close(ctx))
	must(t, on(t, m).open().Close(ctx))
}

// Shards of one study write to one bucket at the same time, and a merge reads
// them.
func TestShards(t *testing.T) {
	m := newMemory()
	a := on(t, m)
	var all []*Session
	for i := range 3 {
		a.o.Part = fmt.Sprintf("shards/%d-of-3", i+1)
		s := a.open()
		ran(t, s, i, i+1)
		write(t, s, "manifest.json", "M", "shard.json", "S")
		must(t, s.Publish(ctx))
		all = append(all, s)
	}
	for _, s := range all {
		must(t, s.Close(ctx))
	}
	b := on(t, m)
	b.o.Shards = true
	s := b.open()
	for i := range 3 {
		dir := filepath.Join(s.Dir(), "shards", fmt.Sprintf("%d-of-3", i+1))
		j, err := journal.Open(t.Context(), filepath.Join(dir, journal.File), kind)
		must(t, err)
		if !j.Has(key(i)) || j.Len() != 1 {
			t.Errorf("shard %d: %d runs", i+1, j.Len())
		}
		must(t, j.Close())
		if _, err := os.Stat(filepath.Join(dir, "shard.json")); err != nil {
			t.Error(err)
		}
	}
	write(t, s, "manifest.json", "merged")
	must(t, s.Publish(ctx))
	if got := m.files(); len(got) != 7 || got["manifest.json"] != "merged" || got["shards/2-of-3/shard.json"] != "S" {
		t.Errorf("%v", got)
	}
}

// --fresh forgets runs when the sweep begins, not before.
func TestFresh(t *testing.T) {
	m := newMemory()
	s := on(t, m).open()
	ran(t, s, 0, 3)
	write(t, s, "manifest.json", "M")
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	a := on(t, m)
	a.o.Fresh = true
	must(t, a.open().Close(ctx)) // its study had a mistake
	s = on(t, m).open()
	knows(t, s.local(journal.File), 3)
	must(t, s.Close(ctx))

	s = a.open()
	ran(t, s, 0, 1)
	must(t, s.Publish(ctx))
	must(t, s.Close(ctx))
	s = on(t, m).open()
	knows(t, s.local(journal.File), 1)
}

func TestRefuses(t *testing.T) {
	piece := func(kind string) string {
		file := filepath.Join(t.TempDir(), "j")
		j, err := journal.Open(t.Context(), file, kind)
		must(t, err)
		must(t, j.Put(key(1), []byte("v")))
		must(t, j.Close())
		text, err := os.ReadFile(file)
		must(t, err)
		return string(text)
	}
	good := piece(kind)
	for _, c := range []struct {
		name, key, text, want string
		is                    error
	}{
		{"another version", "runs.journal/000001-000002", piece("runs of version 2"), "--fresh", results.ErrForeign},
		{"half a piece", "runs.journal/000001-000002", good[:len(good)-1], "damaged", nil},
		{"no piece", "runs.journal/000001-000002", "x", "no piece", nil},
		{"a name above", "../x", "x", "cannot be a file", nil},
		{"an absolute name", "/etc/x", "x", "cannot be a file", nil},
		{"a name for Windows", `a\b`, "x", "cannot be a file", nil},
		{"no lease", "writer/000007", "x", "not of this program", nil},
		{"a large lease", "writer/000007", strings.Repeat("x", maxLease+1), "more than", nil},
	} {
		m := newMemory()
		m.objects["runs.journal/000001-000001"] = object{text: good}
		m.objects[c.key] = object{text: c.text}
		_, _, err := Open(ctx, on(t, m).o)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, ok := m.objects[c.key]; !ok {
			t.Errorf("%s: removed", c.name)
		}
	}
}

// sweepOnce does what a sweep of runs 0..n-1 does, in steps, and gives the first
// error.
func sweepOnce(t *testing.T, a machine, n int) error {
	s, _, err := Open(ctx, a.o)
	if err != nil {
		return err
	}
	defer killed(s)
	s.Begin(ctx)
	for i := range n {
		ran(t, s, i, i+1)
		write(t, s, fmt.Sprintf("requests/%d.parquet", i), "Q")
		_ = s.push(ctx) // as the beat, which tries again
	}
	write(t, s, "runs.parquet", "R", "points.parquet", "P", "manifest.json", "M")
	return s.Publish(ctx)
}

// Whatever request fails, for once or from then on, before or after it was done:
// the manifest is there only with all its tables, and the same command ends whole,
// here and on another machine.
func TestFaults(t *testing.T) {
	broken := errors.New("connection reset")
	complete := func(m *memory) error {
		if _, ok := m.objects["manifest.json"]; ok {
			for _, name := range []string{"runs.parquet", "points.parquet", "requests/0.parquet", "requests/1.parquet"} {
				if _, ok := m.objects[name]; !ok {
					return fmt.Errorf("a manifest without %s", name)
				}
			}
		}
		return nil
	}
	for _, forever := range []bool{false, true} {
		for at, step := 0, 1; ; at += step { // every request at first
			if step = 1; at > 8 {
				step = 3
			}
			m := newMemory()
			n := 0
			m.fail = func(string, string) error {
				if n++; n == at+1 || forever && n > at {
					return broken
				}
				return nil
			}
			m.after = func() {
				if err := complete(m); err != nil {
					t.Error(err)
				}
			}
			a := on(t, m)
			err := sweepOnce(t, a, 2)
			reached := n > at
			m.fail = nil
			now := time.Now().Add(Lease)
			b := on(t, m)
			b.o.now = func() time.Time { return now }
			if at%2 == 0 {
				b.o.Scratch = a.o.Scratch
			}
			if err := sweepOnce(t, b, 2); err != nil {
				t.Fatalf("request %d, forever %t: again: %v", at, forever, err)
			}
			if got := m.files(); len(got) != 5 {
				t.Fatalf("request %d, forever %t: %v", at, forever, got)
			}
			dir := t.TempDir()
			must(t, copyAll(m, dir, true))
			knows(t, filepath.Join(dir, journal.File), 2)
			if !reached {
				if err != nil || at < 10 {
					t.Fatalf("%d requests: %v", at, err)
				}
				break
			}
		}
	}
}

// A copy made while results are replaced is of one making.
func TestCopyMeanwhile(t *testing.T) {
	m := newMemory()
	for _, name := range []string{"manifest.json", "runs.parquet"} {
		m.objects[name] = object{text: "old"}
	}
	gets := 0
	m.after = func() {
		if gets++; gets == 2 {
			for _, name := range []string{"manifest.json", "runs.parquet"} {
				m.objects[name] = object{text: "new", modified: time.Unix(9, 0)}
			}
		}
	}
	dir := t.TempDir()
	must(t, copyAll(m, dir, false))
	for _, name := range []string{"manifest.json", "runs.parquet"} {
		if text, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Equal(text, []byte("new")) {
			t.Errorf("%s is %s", name, text)
		}
	}
	if err := copyAll(newMemory(), t.TempDir(), true); !errors.Is(err, bucket.ErrNotFound) {
		t.Errorf("nothing there: %v", err)
	}
}
