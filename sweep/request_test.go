package sweep

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/request"
	"scoville/sweep/results"
)

const requestAxes = "[axes]\n\"engine.dp\" = [1, 2]\n\"engine.speculative_tokens\" = [0, 2]\n[[where]]\ndrop = 'dp > 1 && speculative_tokens > 0'\n[measurement]\nwarmup_requests = 20\n[replicates]\nn = 2\nseed = 7\n"

// The files of requests give the metrics of their runs: both engines, several
// replicas, warm-up left out.
func TestRequestsGiveTheMetrics(t *testing.T) {
	dir := t.TempDir()
	file := write(t, reference+requestAxes+"[output]\nrequests = \"all\"\n")
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if runs.Len() != 6 {
		t.Fatalf("%d runs", runs.Len())
	}
	for i := range runs.Len() {
		id, _ := runs.String(runs.Index("point_id"), i)
		replicate, _ := runs.Int(runs.Index("replicate"), i)
		f, err := table.Read(filepath.Join(dir, request.Dir, request.Name(id, 7, int(replicate))))
		if err != nil {
			t.Fatal(err)
		}
		for column, metric := range map[string]string{"ttft_ms": "ttft_mean_ms", "tpot_ms": "tpot_mean_ms"} {
			want, _ := runs.Float(runs.Index(metric), i)
			if got := mean(f, column); math.Abs(got-want) > 1e-9*want {
				t.Errorf("run %d: mean %s %g, want %g", i, column, got, want)
			}
		}
		if f.Len() != 300 || f.Meta["requests_run"] != "300" {
			t.Errorf("%d requests of %s", f.Len(), f.Meta["requests_run"])
		}
	}
}

// mean is that of a column over the counted requests.
func mean(f *table.Frame, column string) float64 {
	sum, n := 0.0, 0.0
	for i := range f.Len() {
		counted, _ := f.Bool(f.Index("counted"), i)
		if x, ok := f.Float(f.Index(column), i); ok && counted {
			sum += x
			n++
		}
	}
	return sum / n
}

// A sample is a part of the whole, the same requests in each run; files do not
// depend on the number of workers; those of runs that are gone go.
func TestRequestSamples(t *testing.T) {
	dir := t.TempDir()
	run := func(word string, jobs int) map[string]string {
		t.Helper()
		file := write(t, reference+requestAxes+"[output]\nrequests = \""+word+"\"\n")
		if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		entries, _ := os.ReadDir(filepath.Join(dir, request.Dir))
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, request.Dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			out[e.Name()] = string(text)
		}
		return out
	}
	one, two := run("sample:50", 1), run("sample:50", 2)
	if len(one) != 6 || len(two) != 6 {
		t.Errorf("%d and %d files, want 6", len(one), len(two))
	}
	for name, text := range one {
		if text != two[name] {
			t.Errorf("%s depends on the number of workers", name)
		}
	}
	var numbers []string
	for name := range one {
		f, err := table.Read(filepath.Join(dir, request.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if f.Len() != 50 || f.Meta["requests_kept"] != "50" {
			t.Errorf("%s: %d requests", name, f.Len())
		}
		var text strings.Builder
		for i := range f.Len() {
			n, _ := f.Int(0, i)
			text.WriteString(string(rune(n)))
		}
		numbers = append(numbers, text.String())
	}
	if slices.Sort(numbers); numbers[0] != numbers[5] {
		t.Error("runs keep different requests")
	}
	if left := run("none", 1); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
	if _, err := os.Stat(filepath.Join(dir, request.Dir)); !os.IsNotExist(err) {
		t.Error("the empty folder is left")
	}
}

// A search keeps the requests of its probes too.
func TestRequestsOfASearch(t *testing.T) {
	dir := t.TempDir()
	file := write(t, reference+"[slo]\nttft_p99_ms = { max = 500 }\n[search]\nover = \"workload.rate_rps\"\ngoal = \"max\"\nfrom = 0.5\nto = 64\ntol = \"20%\"\n[replicates]\nn = 2\n[output]\nrequests = \"sample:5\"\n")
	out, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, request.Dir))
	if err != nil || len(entries) != out.Counts[results.OK] {
		t.Errorf("%d files of %d runs, %v", len(entries), out.Counts[results.OK], err)
	}
}

// A folder that cannot be written to ends the sweep.
func TestRequestsNotWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, request.Dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := write(t, reference+"[output]\nrequests = \"all\"\n")
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1}); err == nil || !strings.Contains(err.Error(), "requests") {
		t.Errorf("%v", err)
	}
}

// requestFiles are the tables of requests in a folder of results, by name.
func requestFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, request.Dir, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(text)
	}
	return out
}

// A table of requests that is cut, all but empty, of another run, or blown up counts as
// missing: a merge names its run and takes no such table, and a sweep of any kind
// makes it anew, to the byte.
func TestRequestsDamaged(t *testing.T) {
	one, dir := t.TempDir(), t.TempDir()
	o := Options{File: write(t, reference+requestAxes+"[output]\nrequests = \"all\"\n"), Dir: one, Jobs: 2}
	run := func(o Options) {
		t.Helper()
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	run(o)
	want := requestFiles(t, one)
	o.Dir = dir
	shards := []string{"1/2", "2/2"}
	for _, s := range shards {
		o.Shard = s
		run(o)
	}
	damage := func(at, other string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, at, request.Dir, "*.parquet"))
		if err != nil || len(files) < 2 {
			t.Fatal(files, err)
		}
		if other == "" {
			text, err := os.ReadFile(files[1])
			if err != nil {
				t.Fatal(err)
			}
			other = string(text)
		}
		if err := os.Remove(files[0]); err != nil { // it may be a link
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := slices.Sorted(maps.Keys(want))[0]
	blown := strings.Replace(want[first], "PAR1", "PAR1"+strings.Repeat("x", 2<<20), 1)
	for name, text := range map[string]string{"cut": want[first][:1000], "a byte": " ", "of another run": "", "blown up": blown} {
		damage("shards/1-of-2", text)
		o.Shard, o.Fresh = "", false
		var missing *MissingError
		if _, err := Merge(t.Context(), o, nil); !errors.As(err, &missing) || missing.Runs != 1 || len(missing.Parts) != 1 {
			t.Fatalf("%s: merge: %v", name, err)
		}
		o.Shard = shards[0]
		run(o)
		o.Shard = ""
		if _, err := Merge(t.Context(), o, nil); err != nil {
			t.Fatalf("%s: merge: %v", name, err)
		}
		if got := requestFiles(t, dir); !maps.Equal(got, want) {
			t.Errorf("%s: the tables of a merge differ", name)
		}
		for _, o.Fresh = range []bool{false, true} {
			damage("", text)
			run(o)
			if got := requestFiles(t, dir); !maps.Equal(got, want) {
				t.Errorf("%s, fresh %t: the tables of a run differ", name, o.Fresh)
			}
		}
		for file := range want { // what the next merge is to take from the shards
			if err := os.Remove(filepath.Join(dir, request.Dir, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
