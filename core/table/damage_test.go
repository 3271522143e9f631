package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

var errSink = errors.New("sink is broken")

// brokenSink fails its n-th write, by an error or by writing half.
type brokenSink struct {
	n     int
	short bool
}

func (s *brokenSink) Write(p []byte) (int, error) {
	if s.n--; s.n != 0 {
		return len(p), nil
	}
	if s.short {
		return len(p) / 2, io.ErrShortWrite
	}
	return 0, errSink
}

func TestEveryFailedWriteIsReported(t *testing.T) {
	writes := func(sink io.Writer) error {
		e, err := newEncoder(sink, testColumns, nil)
		for i := 0; i < rowGroupRows+10 && err == nil; i++ {
			err = e.append(testRow(i))
		}
		if err == nil {
			err = e.close()
		}
		return err
	}
	count := &brokenSink{}
	if err := writes(count); err != nil {
		t.Fatal(err)
	}
	if -count.n < 20 {
		t.Fatalf("only %d writes", -count.n)
	}
	for n := 1; n <= -count.n; n += 1 + n/8 {
		for _, short := range []bool{false, true} {
			if err := writes(&brokenSink{n: n, short: short}); err == nil {
				t.Errorf("write %d of %d fails (short: %v) without an error", n, -count.n, short)
			}
		}
	}
	if err := writes(&brokenSink{n: -count.n}); err == nil {
		t.Error("the failed last write is lost")
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here: ", err)
	}
	defer full.Close()
	buf := bufio.NewWriterSize(full, 4096)
	e, err := newEncoder(buf, testColumns, nil)
	for i := 0; i < 5000 && err == nil; i++ {
		err = e.append(testRow(i))
	}
	if err == nil {
		err = errors.Join(e.close(), buf.Flush())
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full disk: %v", err)
	}
}

func TestFailedCloseLeavesNothing(t *testing.T) {
	for name, breakIt := range map[string]func(t *testing.T, w *Writer){
		"flush":  func(t *testing.T, w *Writer) { w.out.Close() },
		"rename": func(t *testing.T, w *Writer) { os.Mkdir(w.path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.parquet")
			w, err := Create(path, testColumns, nil)
			if err != nil {
				t.Fatal(err)
			}
			breakIt(t, w)
			if err := w.Close(); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, want an error naming %s", err, path)
			}
			if m, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(m) > 0 {
				t.Errorf("left behind: %q", m)
			}
			if _, err := Read(path); err == nil {
				t.Error("a reader finds a table")
			}
		})
	}
}

func TestDamagedFiles(t *testing.T) {
	whole := encode(t, 300)
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.parquet")
	read := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		return err
	}
	for n := 0; n < len(whole); n += 1 + n/50 {
		if err := read(whole[:n]); err == nil || !strings.Contains(err.Error(), path) {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
		}
	}
	if err := read([]byte("point_id,rate\n1,2\n")); err == nil || !strings.Contains(err.Error(), "not a whole Parquet file") {
		t.Errorf("a CSV file: %v", err)
	}
	// Flipped bytes may go unseen (there is no checksum on values) but must not panic.
	for i := range whole {
		data := bytes.Clone(whole)
		data[i] ^= 0xff
		decode(bytes.NewReader(data))
	}
	if _, err := Read(dir); err == nil {
		t.Error("a folder reads as a table")
	}
	if _, err := Read(filepath.Join(dir, "absent.parquet")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// foreign writes a Parquet file of one column x with no rows, as another tool would.
func foreign(t *testing.T, field schema.Node, meta map[string]string) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{field}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	for k, v := range meta {
		if err := w.AppendKeyValueMetadata(k, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestForeignFiles(t *testing.T) {
	optional, required := parquet.Repetitions.Optional, parquet.Repetitions.Required
	const key = "sweep.columns"
	for _, c := range []struct {
		field         schema.Node
		columns, want string
	}{
		{schema.NewInt32Node("x", optional, -1), "", "not a table of this tool"},
		{schema.NewInt32Node("x", optional, -1), `[{"name":"x","kind":"int64"}]`, "INT32"},
		{schema.NewInt64Node("x", required, -1), `[{"name":"x","kind":"int64"}]`, "describes"},
		{schema.NewInt64Node("x", parquet.Repetitions.Repeated, -1), `[{"name":"x","kind":"int64"}]`, "describes"},
		{schema.NewInt64Node("x", optional, -1), `[{"name":"y","kind":"int64"}]`, `"y"`},
		{schema.NewInt64Node("x", optional, -1), `[{"name":"x","kind":"date"}]`, `"date"`},
		{schema.NewInt64Node("x", optional, -1), `[{"name":"x"},{"name":"x"}]`, "twice"},
		{schema.NewInt64Node("x", optional, -1), `[{"name":"x"},{"name":"y"}]`, "describes 2"},
		{schema.NewInt64Node("x", optional, -1), `{`, key},
	} {
		meta := map[string]string{}
		if c.columns != "" {
			meta[key] = c.columns
		}
		_, err := decode(bytes.NewReader(foreign(t, c.field, meta)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.columns, err, c.want)
		}
	}
	ok := foreign(t, schema.NewInt64Node("x", optional, -1), map[string]string{key: `[{"name":"x","kind":"int64"}]`})
	if f, err := decode(bytes.NewReader(ok)); err != nil || f.Len() != 0 {
		t.Errorf("a matching file: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	whole := encode(f, 40)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range min(frame.Len(), 100) {
			frame.Row(i)
		}
	})
}
