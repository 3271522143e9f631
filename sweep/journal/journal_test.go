package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func key(i int) Key { return Key{[8]byte{byte(i), byte(i >> 8)}, 7, uint32(i % 3)} }

func value(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i%50) }

func open(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), path, "test 1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// holds checks that runs 0..n-1 and no others are there.
func holds(t *testing.T, j *Journal, n int) {
	t.Helper()
	if j.Len() != n {
		t.Fatalf("%d runs, want %d", j.Len(), n)
	}
	for i := range n {
		got, ok, err := j.Get(nil, key(i))
		if err != nil || !ok || !bytes.Equal(got, value(i)) {
			t.Fatalf("run %d: %v %v %v", i, got, ok, err)
		}
	}
	if _, ok, _ := j.Get(nil, key(n)); ok || j.Has(key(n)) {
		t.Fatalf("run %d is there", n)
	}
}

func put(t *testing.T, j *Journal, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := j.Put(key(i), value(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// Values are there before a flush, after it, and after opening again.
func TestKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	put(t, j, 0, 100)
	holds(t, j, 100)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	put(t, j, 100, 150)
	holds(t, j, 150)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, open(t, path), 150)
}

// The last value of a run counts.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	put(t, j, 0, 3)
	if err := j.Put(key(1), []byte("new")); err != nil {
		t.Fatal(err)
	}
	j.Close()
	j = open(t, path)
	if got, _, _ := j.Get(nil, key(1)); string(got) != "new" || j.Len() != 3 {
		t.Errorf("%q of %d", got, j.Len())
	}
}

// Cut anywhere, a journal gives every whole record before the cut, and goes on.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	j := open(t, filepath.Join(dir, File))
	put(t, j, 0, 20)
	j.Close()
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for n := range len(whole) + 1 {
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		have := j.Len()
		if have < before || n == len(whole) && have != 20 {
			t.Fatalf("cut at %d: %d runs after %d", n, have, before)
		}
		holds(t, j, have)
		put(t, j, have, 25)
		j.Close()
		j = open(t, path)
		holds(t, j, 25)
		j.Close()
		before = have
	}
}

// A damaged byte costs its record and no other, wherever it is, and never gives a
// wrong value.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	j := open(t, filepath.Join(dir, File))
	put(t, j, 0, 20)
	j.Close()
	whole, _ := os.ReadFile(filepath.Join(dir, File))
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := bytes.Clone(whole)
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		path := filepath.Join(dir, "damaged")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, "test 1")
		if errors.Is(err, ErrForeign) {
			continue // the first line
		}
		if err != nil {
			t.Fatal(err)
		}
		if j.Cut() == 0 && j.Damaged() == 0 {
			t.Fatal("damage was not seen")
		}
		if lost := 20 - j.Len(); lost != 1 {
			t.Fatalf("%d runs are lost by %d and %d bytes", lost, j.Cut(), j.Damaged())
		}
		for i := range 20 {
			if got, ok, err := j.Get(nil, key(i)); err != nil || ok && !bytes.Equal(got, value(i)) {
				t.Fatalf("run %d: %v %v", i, got, err)
			}
		}
		j.Close()
		j = open(t, path) // what was cut is gone, what was passed over stays
		put(t, j, 0, 20)
		holds(t, j, 20)
		j.Close()
	}
}

// What is overwritten, missing or put between costs the runs it touches and no
// others, however much it is.
func TestHoles(t *testing.T) {
	dir := t.TempDir()
	j := open(t, filepath.Join(dir, File))
	const runs = 40_000
	put(t, j, 0, runs)
	j.Close()
	whole, _ := os.ReadFile(filepath.Join(dir, File))
	record := (len(whole) - 7) / runs // bytes, more or less
	for _, c := range []struct {
		name string
		text []byte
		hole int // bytes of records that are touched
	}{
		{"overwritten", slices.Concat(whole[:1000], make([]byte, 1_500_000), whole[1_501_000:]), 1_500_000},
		{"missing", slices.Concat(whole[:50_000], whole[60_001:]), 10_001},
		{"put between", slices.Concat(whole[:50_000], []byte("other words"), whole[50_000:]), 1},
		{"both ends of a window", slices.Concat(whole[:500], make([]byte, 1<<20), whole[500:]), 1},
	} {
		path := filepath.Join(dir, "holes")
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		if lost := runs - j.Len(); lost < c.hole/record*9/10 || lost > c.hole/record*11/10+2 || j.Cut() > 0 {
			t.Errorf("%s: %d runs of about %d bytes are lost by %d bytes", c.name, lost, record, c.hole)
		}
		j.Close()
	}
}

// A file made so that every byte may begin a long record ends the search, not the
// program's answer.
func TestSearchEnds(t *testing.T) {
	text := append([]byte("test 1\n"), bytes.Repeat([]byte{0, 0xf0, 0, 0}, 1<<20)...)
	path := filepath.Join(t.TempDir(), File)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if j := open(t, path); j.Len() != 0 || j.Cut() != int64(len(text)-7) {
		t.Errorf("%d runs, %d bytes cut", j.Len(), j.Cut())
	}
}

func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	put(t, j, 0, 3)
	j.Close()
	if _, err := Open(t.Context(), path, "test 2"); !errors.Is(err, ErrForeign) {
		t.Errorf("another kind: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Dir(path), "test 1"); err == nil {
		t.Error("a folder")
	}
	holds(t, open(t, path), 3) // refused, not touched
}

// A write that fails is an error of the next Put or Sync, and of all after.
func TestFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	put(t, j, 0, 3)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	j.file.Close()
	put(t, j, 3, 4) // waits in memory
	if err := j.Sync(); err == nil {
		t.Error("a lost value")
	}
	if err := j.Put(key(4), nil); err == nil {
		t.Error("taken after an error")
	}
	holds(t, open(t, path), 3)
}

// A journal that loses its name says so, and takes nothing any more.
func TestRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	put(t, j, 0, 3)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, j, 3, 4)
	if err := j.Sync(); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if err := j.Put(key(4), nil); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := w; i < 400; i += 4 {
				if err := j.Put(key(i), value(i)); err != nil {
					t.Error(err)
				}
				if got, ok, err := j.Get(nil, key(i)); !ok || err != nil || !bytes.Equal(got, value(i)) {
					t.Error(i, got, ok, err)
				}
				if i%50 == 0 {
					if err := j.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	holds(t, j, 400)
	n := 0
	for _, k := range j.Keys() {
		if _, ok, err := j.Get(nil, k); !ok || err != nil {
			t.Error(k, ok, err)
		}
		n++
	}
	if n != 400 {
		t.Errorf("%d of 400", n)
	}
}

// Whoever interrupts does not wait for a large journal to be read, and nothing is
// cut off it.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j, err := Open(t.Context(), path, "test 1")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		if err := j.Put(key(i), value(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, open := range map[string]func(context.Context, string, string) (*Journal, error){"open": Open, "look": Look} {
		if _, err := open(ctx, path, "test 1"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%d bytes of %d are left (%v)", len(after), len(before), err)
	}
}

// FuzzOpen: any file opens or is refused, and what opens takes new values.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	j, err := Open(f.Context(), filepath.Join(dir, File), "test 1")
	if err != nil {
		f.Fatal(err)
	}
	for i := range 3 {
		if err := j.Put(key(i), value(i)); err != nil {
			f.Fatal(err)
		}
	}
	j.Close()
	whole, _ := os.ReadFile(filepath.Join(dir, File))
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), File)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, "test 1")
		if err != nil {
			return
		}
		defer j.Close()
		if err := j.Put(key(9), value(9)); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := j.Get(nil, key(9)); !ok || err != nil || !bytes.Equal(got, value(9)) {
			t.Fatal(got, ok, err)
		}
	})
}

// Look sees what was flushed, changes nothing, and leaves the half of a record
// out that is being written.
func TestLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	if _, err := Look(t.Context(), path, "test 1"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	j := open(t, path)
	for i := range 5 {
		if err := j.Put(key(i), value(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Look(t.Context(), path, "test 1")
	if err != nil {
		t.Fatal(err)
	}
	holds(t, l, 5)
	if l.Cut() != 4 || l.Put(key(9), nil) == nil {
		t.Errorf("%d bytes left out", l.Cut())
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Error("the file has changed")
	}
	if _, err := Look(t.Context(), path, "test 2"); !errors.Is(err, ErrForeign) {
		t.Error(err)
	}
}
