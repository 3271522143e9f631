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
		whole, size, err := Whole(t.Context(), bytes.Clone(text[:n]))
		if err != nil || size != want || !bytes.Equal(whole, text[:want]) {
			t.Fatalf("cut at %d: %d bytes of records, want %d", n, size, want)
		}
	}
	for at := ends[1] - begin; at < ends[2]-begin; at++ { // in length, check, key and value of the third
		for _, bit := range []byte{1, 0x80} {
			broken := bytes.Clone(text)
			broken[at] ^= bit
			whole, size, err := Whole(t.Context(), broken)
			if want := append(bytes.Clone(text[:ends[1]-begin]), text[ends[2]-begin:]...); err != nil || size != len(text) || !bytes.Equal(whole, want) {
				t.Errorf("byte %d is damaged: %d bytes of %d, want %d", at, len(whole), size, len(want))
			}
		}
	}
}
