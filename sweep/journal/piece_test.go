package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Cut anywhere, or with a damaged byte, a part of a journal gives its whole records.
func TestWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	j := open(t, path)
	var ends []int
	for i := range 6 {
		put(t, j, i, i+1)
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(j.size))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := len("test 1\n")
	text = text[begin:]
	for n := range len(text) + 1 {
		want := 0
		for _, end := range ends {
			if end-begin <= n {
				want = end - begin
			}
		}
		whole, size := Whole(bytes.Clone(text[:n]))
		if size != want || !bytes.Equal(whole, text[:want]) {
			t.Fatalf("cut at %d: %d bytes of records, want %d", n, size, want)
		}
	}
	broken := bytes.Clone(text)
	broken[ends[2]-begin-1] ^= 1 // in the value of the third
	whole, size := Whole(broken)
	if want := append(bytes.Clone(text[:ends[1]-begin]), text[ends[2]-begin:]...); size != len(text) || !bytes.Equal(whole, want) {
		t.Errorf("damaged: %d bytes of %d, want %d", len(whole), size, len(want))
	}
}
