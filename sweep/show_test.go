package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

const shown = `schema = 1
name = "shown"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
requests = 50
rate_rps = 2
[[workload.class]]
name = "a"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 64, cv = 0.8 }
[axes]
"engine.max_num_seqs" = [4, 16]
[replicates]
n = 2
`

// A table that holds another number than the simulator gives is found, and
// the number named.
func TestShowFindsWhatIsNotReproduced(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shown.toml")
	if err := os.WriteFile(file, []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := Run(context.Background(), Options{File: file, Dir: filepath.Join(dir, "out"), Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Show(context.Background(), ShowOptions{Dir: out.Dir, Point: "1", Jobs: 1, Quick: true})
	if err != nil || x.Reproduced == "" || x.Differs != "" {
		t.Fatalf("%v, reproduced %q, differs %q", err, x.Reproduced, x.Differs)
	}
	tamper(t, filepath.Join(out.Dir, results.RunsFile), "tpot_p50_ms", 3)
	x, err = Show(context.Background(), ShowOptions{Dir: out.Dir, Point: x.ID[:6], Jobs: 1, Quick: true})
	if !errors.Is(err, ErrNotReproduced) || !strings.HasPrefix(x.Differs, "replicate 1: tpot_p50_ms was ") || x.Reproduced != "" {
		t.Errorf("%v, differs %q", err, x.Differs)
	}
	if _, err = Show(context.Background(), ShowOptions{Dir: out.Dir, Point: "0", Jobs: 1, Quick: true}); err != nil {
		t.Errorf("the other point: %v", err)
	}
}

// tamper changes the last bit of a number of a table.
func tamper(t *testing.T, file, column string, row int) {
	t.Helper()
	f, err := table.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	w, err := table.Create(file, f.Columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Len() {
		cells := f.Row(i)
		if i == row {
			cells[f.Index(column)] = cells[f.Index(column)].(float64) * (1 + 0x1p-52)
		}
		if err := w.Append(cells); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range f.Meta {
		if err := w.SetMeta(k, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
