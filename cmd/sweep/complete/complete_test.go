package complete

import (
	"errors"
	"io"
	"testing"
)

// A table is read no further than points are suggested.
func TestBeginning(t *testing.T) {
	b := beginning{lines: 2}
	if n, err := b.Write([]byte("a,b\n1")); n != 5 || err != nil {
		t.Error(n, err)
	}
	if n, err := b.Write([]byte(",2\n3,4\n")); n != 3 || !errors.Is(err, io.ErrShortWrite) || b.String() != "a,b\n1,2\n" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
}
