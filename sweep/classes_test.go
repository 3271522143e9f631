package sweep

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

const secondClass = `
[[workload.class]]
name = "long"
share = 0.25
prompt_tokens = 4096
output_tokens = 64
`

// TestClasses: a study with two classes leaves a row per point and class, the
// same for any number of workers; a class has the requests drawn for it, and the
// means of the classes weighted by them are the mean of all.
func TestClasses(t *testing.T) {
	file := write(t, reference+secondClass+"[axes]\n\"workload.rate_rps\" = [0.5, 1]\n[replicates]\nn = 2\n")
	var texts [][]byte
	var d *results.Dataset
	for _, jobs := range []int{1, 3} {
		dir := t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, results.ClassesFile))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
		if d, err = results.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("classes differ between 1 and 3 workers")
	}
	f, err := d.Classes()
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != 4 {
		t.Fatalf("%d rows for 2 points of 2 classes", f.Len())
	}
	value := func(f *table.Frame, row int, name string) float64 {
		x, ok := f.Row(row)[f.Index(name)].(float64)
		if !ok {
			t.Fatalf("no %s in row %d", name, row)
		}
		return x
	}
	for point := range 2 {
		n, sum := 0.0, 0.0
		for i, name := range []string{"chat", "long"} {
			row := 2*point + i
			if f.Row(row)[f.Index("class")] != name || f.Row(row)[f.Index("point_index")] != int64(point) {
				t.Errorf("row %d is class %v of point %v", row, f.Row(row)[f.Index("class")], f.Row(row)[f.Index("point_index")])
			}
			n += value(f, row, "requests_count_mean")
			sum += value(f, row, "requests_count_mean") * value(f, row, "ttft_closed_mean_ms_mean")
		}
		if all := value(d.Points, point, "ttft_closed_mean_ms_mean"); n != 300 || math.Abs(sum/n/all-1) > 1e-3 { // the mix differs between replicates
			t.Errorf("point %d: %v requests with a closed form of %v ms in the classes, 300 with %v ms in all", point, n, sum/n, all)
		}
		if chat, long := value(f, 2*point, "ttft_p50_ms_mean"), value(f, 2*point+1, "ttft_p50_ms_mean"); long < 10*chat {
			t.Errorf("point %d: median TTFT of long prompts %v ms, of short ones %v ms", point, long, chat)
		}
	}
}

// TestOneClass: no table of classes where there is nothing to tell apart, and
// none is left over from an earlier run.
func TestOneClass(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{reference + secondClass, reference} {
		if _, err := Run(t.Context(), Options{File: write(t, text), Dir: dir, Jobs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := d.Classes(); f != nil || err != nil {
		t.Errorf("classes of a study with one: %v, %v", f, err)
	}
}
