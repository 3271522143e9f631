package sweep

import (
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
