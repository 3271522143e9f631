package table

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
)

var testColumns = []Column{
	{Name: "point_id", Kind: String, Definition: "identity of the point"},
	{Name: "rate_rps", Kind: Float64, Path: "workload.rate_rps", Unit: "rps"},
	{Name: "replicate", Kind: Int64},
	{Name: "steady", Kind: Bool},
	{Name: "ttft_p99_ms", Kind: Float64, Unit: "ms", Better: "lower", Definition: "99th percentile of TTFT"},
}

// testRow gives every kind, with NULLs at different periods.
func testRow(i int) Row {
	r := Row{fmt.Sprintf("p%d", i/3), float64(i) / 8, int64(i % 3), i%2 == 0, 1e3 / float64(i+1)}
	if i%7 == 0 {
		r[i%5] = nil
	}
	return r
}

func encode(t testing.TB, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	e, err := newEncoder(&b, testColumns, map[string]string{"study": "grid", "schema": "1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := e.append(testRow(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decode reads a whole table.
func decode(r parquet.ReaderAtSeeker) (*Frame, error) { return decodeSome(r, nil) }

func TestRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 5000, rowGroupRows, 2*rowGroupRows + 17} {
		f, err := decode(bytes.NewReader(encode(t, rows)))
		if err != nil {
			t.Fatalf("%d rows: %v", rows, err)
		}
		if f.Len() != rows || !reflect.DeepEqual(f.Columns, testColumns) {
			t.Fatalf("%d rows: got %d, columns %v", rows, f.Len(), f.Columns)
		}
		if want := map[string]string{"study": "grid", "schema": "1"}; !reflect.DeepEqual(f.Meta, want) {
			t.Errorf("meta %v, want %v", f.Meta, want)
		}
		for i := range rows {
			if got, want := f.Row(i), testRow(i); !reflect.DeepEqual(got, want) {
				t.Fatalf("row %d of %d: %v, want %v", i, rows, got, want)
			}
		}
	}
}

func TestReadSome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, encode(t, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadSome(path, func(c Column) bool { return c.Name == "steady" || c.Name == "rate_rps" })
	if err != nil || f.Len() != 9 || len(f.Columns) != 2 || f.Index("point_id") >= 0 {
		t.Fatalf("%v, %+v", err, f)
	}
	all, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		for _, c := range f.Columns {
			if got, want := f.Row(i)[f.Index(c.Name)], all.Row(i)[all.Index(c.Name)]; got != want {
				t.Errorf("row %d: %s is %v, want %v", i, c.Name, got, want)
			}
		}
	}
}

func TestNotFiniteIsNull(t *testing.T) {
	var b bytes.Buffer
	e, err := newEncoder(&b, []Column{{Name: "x", Kind: Float64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := []float64{math.NaN(), 1, math.Inf(1), math.Copysign(0, -1), math.Inf(-1), math.MaxFloat64, 5e-324}
	for _, v := range in {
		if err := e.append(Row{v}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	f, err := decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range in {
		got, ok := f.Float(0, i)
		finite := !math.IsNaN(v) && !math.IsInf(v, 0)
		if ok != finite || finite && math.Float64bits(got) != math.Float64bits(v) {
			t.Errorf("%v reads as %v, %v", v, got, ok)
		}
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	w, err := Create(path, []Column{{Name: "error", Kind: String}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(Row{"a\xffb"}), w.Append(Row{""}), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := f.String(0, 0); s != "a\uFFFDb" {
		t.Errorf("got %q", s)
	}
	if s, ok := f.String(0, 1); s != "" || !ok {
		t.Errorf("the empty string reads as %q, %v", s, ok)
	}
}

func TestAccessors(t *testing.T) {
	f, err := decode(bytes.NewReader(encode(t, 8)))
	if err != nil {
		t.Fatal(err)
	}
	id, rate, rep, steady := f.Index("point_id"), f.Index("rate_rps"), f.Index("replicate"), f.Index("steady")
	absent := f.Index("no_such")
	if s, ok := f.String(id, 4); s != "p1" || !ok {
		t.Errorf("String: %q, %v", s, ok)
	}
	if v, ok := f.Float(rate, 4); v != 0.5 || !ok {
		t.Errorf("Float: %v, %v", v, ok)
	}
	if v, ok := f.Float(rep, 4); v != 1 || !ok {
		t.Errorf("Float of an integer: %v, %v", v, ok)
	}
	if v, ok := f.Int(rep, 4); v != 1 || !ok {
		t.Errorf("Int: %v, %v", v, ok)
	}
	if v, ok := f.Bool(steady, 4); !v || !ok {
		t.Errorf("Bool: %v, %v", v, ok)
	}
	if _, ok := f.String(id, 0); ok { // testRow(0)[0] is NULL
		t.Error("NULL string reads as a value")
	}
	for _, col := range []int{absent, steady} {
		_, isFloat := f.Float(col, 1)
		_, isInt := f.Int(col, 1)
		_, isString := f.String(col, 1)
		if isFloat || isInt || isString {
			t.Errorf("column %d reads as %v %v %v", col, isFloat, isInt, isString)
		}
	}
	if _, ok := f.Bool(absent, 1); ok {
		t.Error("an absent column reads as bool")
	}
}

func TestBytesAreDeterministic(t *testing.T) {
	sum := func() [32]byte { return sha256.Sum256(encode(t, rowGroupRows+999)) }
	first := sum()
	for _, procs := range []int{1, 2} {
		old := runtime.GOMAXPROCS(procs)
		again := sum()
		runtime.GOMAXPROCS(old)
		if again != first {
			t.Errorf("GOMAXPROCS=%d: other bytes for the same rows", procs)
		}
	}
}

func TestRefusedColumns(t *testing.T) {
	for _, c := range []struct {
		cols []Column
		want string
	}{
		{nil, "0 columns"},
		{[]Column{{Name: "TTFT", Kind: Float64}}, `"TTFT"`},
		{[]Column{{Name: "a.b", Kind: Float64}}, `"a.b"`},
		{[]Column{{Name: "", Kind: Float64}}, `""`},
		{[]Column{{Name: "1a", Kind: Float64}}, `"1a"`},
		{[]Column{{Name: "a"}, {Name: "b"}, {Name: "a"}}, "twice"},
		{[]Column{{Name: "a", Kind: 9}}, "kind 9"},
	} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		_, err := Create(path, c.cols, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v: %v, want %q", c.cols, err, c.want)
		}
		wantFiles(t, filepath.Dir(path))
	}
}

func TestRefusedRowsAndMeta(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{"p"}, "1 cells"},
		{Row{"p", 1.0, 2, true, 1.0}, `column "replicate": cell is int, want int64`},
		{Row{"p", int64(1), int64(2), true, 1.0}, `column "rate_rps": cell is int64, want float64`},
		{Row{1.0, 1.0, int64(2), true, 1.0}, `column "point_id": cell is float64, want string`},
		{Row{"p", 1.0, int64(2), "true", 1.0}, `column "steady": cell is string, want bool`},
		{Row{math.NaN(), 1.0, int64(2), true, 1.0}, `column "point_id": cell is float64, want string`},
	} {
		dir := t.TempDir()
		w, err := Create(filepath.Join(dir, "x.parquet"), testColumns, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(c.row); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.row, err, c.want)
		}
		if err := w.Append(testRow(1)); err == nil {
			t.Errorf("%v: a row after the error is taken", c.row)
		}
		if err := w.Close(); err == nil {
			t.Errorf("%v: the table closes", c.row)
		}
		wantFiles(t, dir)
	}
	for _, m := range []map[string]string{{"columns": "x"}, {"Study": "x"}, {"study": "\xff"}} {
		if _, err := newEncoder(&bytes.Buffer{}, testColumns, m); err == nil {
			t.Errorf("meta %q is taken", m)
		}
	}
}

// wantFiles checks the names in a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(entries))
	for i, e := range entries {
		got[i] = e.Name()
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestReadersSeeOnlyWholeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.parquet")
	write := func(rows int, end func(*Writer) error) {
		t.Helper()
		w, err := Create(path, testColumns, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		for i := range rows {
			if err := w.Append(testRow(i)); err != nil {
				t.Fatal(err)
			}
		}
		if m, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); len(m) > 1 {
			t.Errorf("a reader's glob finds %q while writing", m)
		}
		if err := end(w); err != nil {
			t.Fatal(err)
		}
	}
	abort := func(w *Writer) error { w.Abort(); return nil }
	write(10, abort)
	wantFiles(t, dir)
	write(10, func(w *Writer) error { return errors.Join(w.SetMeta("counts", "10"), w.Close()) })
	write(20, abort) // an existing file survives a writer that gives up
	wantFiles(t, dir, "runs.parquet")
	f, err := Read(path)
	if err != nil || f.Len() != 10 || f.Meta["counts"] != "10" {
		t.Fatalf("%v, %v", f, err)
	}
	write(20, (*Writer).Close)
	if f, err = Read(path); err != nil || f.Len() != 20 {
		t.Fatalf("%v, %v", f, err)
	}
}

func TestClosedTwice(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "x.parquet"), testColumns, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Close() == nil || w.Append(testRow(1)) == nil {
		t.Error("a closed table can be written")
	}
	w.Abort()
	if _, err := Read(w.path); err != nil {
		t.Errorf("after Abort of a closed table: %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "study.toml")
	for _, text := range []string{"schema = 1\n", ""} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Fatalf("%q, %v", got, err)
		}
	}
	wantFiles(t, dir, "study.toml")
	if err := WriteFile(filepath.Join(dir, "no", "x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if err := WriteFile(dir, nil); err == nil {
		t.Error("a folder is replaced by a file")
	}
}

func TestRemoveStale(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".runs.parquet.tmp-1", ".a.tmp-77", "runs.parquet", ".lock", "b.tmp-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveStale(dir); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, ".lock", "b.tmp-1", "runs.parquet")
}

// Two writers of one file, also of the same process number in two containers, never
// touch the other's bytes, and the clean-up leaves what a living writer holds. What a
// dead one left goes.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	a, err := Stage(path, []byte("of one"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Stage(path, []byte("of the other"))
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, ".report.html.tmp-1-X")
	if err := os.WriteFile(dead, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := RemoveStale(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of a dead writer: %v", err)
	}
	for _, c := range []struct {
		s    *Staged
		want string
	}{{a, "of one"}, {b, "of the other"}} {
		if err := c.s.Publish(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.want {
			t.Errorf("%q, %v, want %q", text, err, c.want)
		}
	}
	wantFiles(t, dir, "report.html")
}

func TestHeading(t *testing.T) {
	for _, c := range []struct {
		column Column
		want   string
	}{
		{Column{Name: "name", Path: "hardware.name"}, "hardware"},
		{Column{Name: "hardware_name", Path: "hardware.name"}, "hardware_name"},
		{Column{Name: "name"}, "name"},
		{Column{Name: "rate_rps", Path: "workload.rate_rps"}, "rate_rps"},
	} {
		if got := c.column.Heading(); got != c.want {
			t.Errorf("%+v is headed %q, want %q", c.column, got, c.want)
		}
	}
}

// A finished table has no name yet, takes no rows, and gets its name without
// writing; a staged file likewise.
func TestStaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.parquet")
	w, err := Create(path, []Column{{Name: "x", Kind: Int64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := errors.Join(w.Append(Row{int64(1)}), w.Finish()); err != nil {
		t.Fatal(err)
	}
	s, err := Stage(filepath.Join(dir, "note"), []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "[^.]*")); len(names) > 0 {
		t.Errorf("there is %v", names)
	}
	if w.Append(Row{int64(2)}) == nil || w.Finish() == nil {
		t.Error("a finished table goes on")
	}
	if err := errors.Join(w.Close(), s.Publish()); err != nil {
		t.Fatal(err)
	}
	s.Discard()
	w.Abort()
	if f, err := Read(path); err != nil || f.Len() != 1 {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "note")); err != nil || string(text) != "text" {
		t.Error(string(text), err)
	}
	gone, err := Stage(filepath.Join(dir, "gone"), nil)
	if err != nil {
		t.Fatal(err)
	}
	gone.Discard()
	if names, _ := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("%d files, want 2", len(names))
	}
}
