package plain

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func pack(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A bomb is given up early; a table that shrinks twentyfold is read.
func TestPackedFilesUnpackToSoMuch(t *testing.T) {
	bomb := pack(t, make([]byte, 60<<20))
	if _, _, err := Text(bomb, 64<<20); !errors.Is(err, ErrLarge) {
		t.Errorf("%d bytes: %v", len(bomb), err)
	}
	for _, text := range [][]byte{bytes.Repeat([]byte{'0'}, unpackFree), fmt.Append(nil, make([]float64, 1<<20))} {
		got, _, err := Text(pack(t, text), 64<<20)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

func TestObjectsWithoutACommonKey(t *testing.T) {
	var b strings.Builder
	for i := range MaxColumns + 1 {
		fmt.Fprintf(&b, "{\"k%d\":1}\n", i)
	}
	_, fault := Objects([]byte(b.String()))
	if want := "3163 objects with 3163 different keys"; fault == nil || !strings.HasPrefix(fault.Msg, want) || fault.Line != 3163 { // 3163 * 3163 > MaxCells
		t.Errorf("%+v, want %s", fault, want)
	}
}
