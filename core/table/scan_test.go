package table

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What a scanner gives group by group is what Read gives at once.
func TestScan(t *testing.T) {
	for _, rows := range []int{0, 1, rowGroupRows, 2*rowGroupRows + 17} {
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := os.WriteFile(path, encode(t, rows), 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Scan(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if h := s.Head(); h.Len() != 0 || !reflect.DeepEqual(h.Columns, whole.Columns) || !reflect.DeepEqual(h.Meta, whole.Meta) {
			t.Errorf("%d rows: head %+v", rows, h)
		}
		at := 0
		for {
			f, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if f.Len() > rowGroupRows {
				t.Fatalf("a group of %d rows", f.Len())
			}
			for i := range f.Len() {
				if !reflect.DeepEqual(f.Row(i), whole.Row(at)) {
					t.Fatalf("row %d: %v, want %v", at, f.Row(i), whole.Row(at))
				}
				at++
			}
		}
		if at != rows {
			t.Errorf("%d rows, want %d", at, rows)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestScanSome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, encode(t, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Scan(path, func(c Column) bool { return c.Name == "replicate" })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err := s.Next()
	if err != nil || len(f.Columns) != 1 || !reflect.DeepEqual(f.Row(1), Row{int64(1)}) {
		t.Errorf("%v, %v", f, err)
	}
}

// A byte that is not what it was is an error or another value, never a panic.
func TestScanDamaged(t *testing.T) {
	whole := encode(t, 40)
	path := filepath.Join(t.TempDir(), "t.parquet")
	for i := 0; i < len(whole); i += 11 {
		data := append([]byte(nil), whole...)
		data[i] ^= 0x55
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Scan(path, nil)
		if err != nil {
			continue
		}
		for err == nil {
			_, err = s.Next()
		}
		s.Close()
	}
	if _, err := Scan(filepath.Dir(path), nil); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestStageFromError(t *testing.T) {
	dir, full := t.TempDir(), errors.New("full")
	if _, err := StageFrom(filepath.Join(dir, "a"), func(w io.Writer) error {
		_, _ = w.Write([]byte("half"))
		return full
	}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	wantFiles(t, dir)
}

func TestBeside(t *testing.T) {
	f, err := decode(bytes.NewReader(encode(t, 3)))
	if err != nil {
		t.Fatal(err)
	}
	cols := []Column{{Name: "a", Kind: Float64}, {Name: "b", Kind: Int64}, {Name: "c", Kind: Bool}, {Name: "d", Kind: String}, {Name: "e", Kind: Int64}}
	row := Row{1.5, int64(2), true, "x", nil}
	g, err := Beside(f, cols, row)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got, want := g.Row(i), append(append(Row{}, row...), f.Row(i)...); !reflect.DeepEqual(got, want) {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	for _, bad := range []Row{{1, nil, nil, nil, nil}, {nil, 1.5, nil, nil, nil}, {nil}} {
		if _, err := Beside(f, cols, bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if _, err := Beside(f, testColumns[:1], Row{"x"}); err == nil {
		t.Error("a column twice")
	}
}
