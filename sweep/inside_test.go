package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/details"
	"scoville/sweep/results"
	inside "scoville/sweep/results/details"
)

// studies that are looked into, and the points chosen of each.
var looked = map[string]struct {
	text   string
	points []int
}{
	"oat":   {resumed["oat"], []int{0, 1, 2, 3}},
	"front": {"[axes]\n\"hardware.weight_bandwidth_gb_s\" = [2000, 3000, 4000, 6000]\n[[objective]]\nmetric = \"tpot_mean_ms\"\ngoal = \"min\"\n[[objective]]\nmetric = \"output_tok_s\"\ngoal = \"max\"\n[replicates]\nn = 2\n", nil},
	"rate":  {"[axes]\n\"workload.rate_rps\" = [0.5, 2, 8, 400]\n", []int{0, 1, 2}},
	"alone": {"", nil},
	"kinds": {`[[cases.kind]]
name = "replicas"
"engine.dp" = 2
[[cases.kind]]
name = "static"
"engine.scheduler" = "static"
[[cases.kind]]
name = "first"
"engine.scheduler" = "prefill-first"
[[cases.kind]]
name = "drafts"
"engine.speculative_tokens" = 3
"engine.speculative_acceptance" = 0.6
[[cases.kind]]
name = "chunks"
"engine.max_num_batched_tokens" = 64
`, nil},
}

// readInside reads what is inside the points of results.
func readInside(t *testing.T, dir string) (*inside.Details, *results.Dataset) {
	t.Helper()
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := inside.Read(dir, d.Manifest.Digest)
	if err != nil || x == nil {
		t.Fatal(x, err)
	}
	return x, d
}

// TestInside: what is inside a few points is the same to the byte however the
// results were made, and agrees with the tables.
func TestInside(t *testing.T) {
	for name, study := range looked {
		file, whole, cut, parts := write(t, reference+study.text), t.TempDir(), t.TempDir(), t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 3}); err != nil {
			t.Fatal(name, err)
		}
		x, d := readInside(t, whole)
		if len(x.Points) == 0 || len(x.Notes) > 0 {
			t.Fatalf("%s: %d points, notes %v", name, len(x.Points), x.Notes)
		}
		var points []int
		for i := range x.Points {
			points = append(points, x.Points[i].Index)
			agrees(t, name, &x.Points[i], d)
		}
		if study.points != nil && !slices.Equal(points, study.points) {
			t.Errorf("%s: points %v, want %v", name, points, study.points)
		}
		if name != "alone" {
			interrupted(t, Options{File: file, Dir: cut, Jobs: 1}, 2)
			if _, err := os.Stat(filepath.Join(cut, inside.File)); err == nil {
				t.Errorf("%s: an interrupted sweep left %s", name, inside.File)
			}
			split(t, Options{File: file, Dir: parts, Jobs: 1}, 2)
			if _, err := Merge(t.Context(), Options{File: file, Dir: parts, Jobs: 2}, nil); err != nil {
				t.Fatal(name, err)
			}
			sameText(t, name+" in shards", filepath.Join(whole, inside.File), filepath.Join(parts, inside.File))
		}
		if _, err := Run(t.Context(), Options{File: file, Dir: cut, Jobs: 1}); err != nil {
			t.Fatal(name, err)
		}
		sameText(t, name+" resumed", filepath.Join(whole, inside.File), filepath.Join(cut, inside.File))
	}
}

func sameText(t *testing.T, what, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	if err := errors.Join(err, err2); err != nil || string(x) != string(y) {
		t.Errorf("%s: %s differs: %v", what, filepath.Base(a), err)
	}
}

// agrees holds a point against its first row in the runs table.
func agrees(t *testing.T, name string, p *inside.Point, d *results.Dataset) {
	t.Helper()
	runs, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	row := -1
	for i := range runs.Len() {
		if index, _ := runs.Int(runs.Index("point_index"), i); int(index) == p.Index && row < 0 {
			row = i
		}
	}
	near := func(what string, got inside.Number, want float64) {
		if math.Abs(float64(got)-want) > 1e-8*math.Abs(want) {
			t.Errorf("%s point %d: %s is %v, in the tables %v", name, p.Index, what, got, want)
		}
	}
	for _, q := range p.Latencies {
		for column, level := range map[string]int{"_p50_ms": 50, "_p90_ms": 90, "_p99_ms": 99, "_max_ms": 100} {
			if col := runs.Index(q.Metric + column); col >= 0 {
				want, _ := runs.Float(col, row)
				near(q.Metric+column, q.MS[level], want)
			}
		}
	}
	if len(p.Latencies) != 3 || !strings.Contains(p.Text, "reproduced: ") || !strings.Contains(p.Text, p.ID) {
		t.Errorf("%s point %d: %d latencies; %.200s", name, p.Index, len(p.Latencies), p.Text)
	}
	if len(p.Requests) < 2 {
		t.Errorf("%s point %d: only %d requests", name, p.Index, len(p.Requests))
	}
	apart := slices.ContainsFunc(p.Design, func(c inside.Place) bool { return c.Value == "static" || c.Value == "first" }) // steps that it only waits in
	for i := range p.Requests {
		r := &p.Requests[i]
		inSteps := float64(r.Split.Prefill.Seconds + r.Split.Decode.Seconds)
		waits := 0.0
		for _, part := range r.Parts {
			if part.Name == "ttft queue" {
				waits += float64(part.Seconds)
			}
		}
		if r.Preemptions == 0 && math.Abs(waits+inSteps-float64(r.E2E)/1e3) > 1e-6 { // nothing else takes time here
			t.Errorf("%s point %d request %d: %g s in steps and %g s of waiting, E2E is %v ms", name, p.Index, r.Number, inSteps, waits, r.E2E)
		}
		draft := r.Steps[len(r.Steps)-1].Drafts > 0
		if r.Split.Decode.Steps != r.Output-1 && !draft && !apart || len(r.Steps) < 2 {
			t.Errorf("%s point %d request %d: %d tokens in %d steps, %d of them told", name, p.Index, r.Number, r.Output, r.Split.Decode.Steps, len(r.Steps))
		}
		for _, s := range r.Steps {
			if s.Start < r.Arrival || float64(s.Start+s.Split.Seconds) > float64(r.Arrival)+float64(r.E2E)/1e3+1e-6 {
				t.Errorf("%s point %d request %d: a step at %v s lies outside its time", name, p.Index, r.Number, s.Start)
			}
		}
	}
}

// TestInsideLeavesOut: a point that does not give its row again, and one that would
// take long, is a note; an interrupt is an error.
func TestInsideLeavesOut(t *testing.T) {
	for want, result := range map[string]core.Result{
		"does not give the numbers of its row again": fine(1),
		"too many to simulate twice more beside the study": func() core.Result {
			r := fine(1)
			r.Events = 3_000_000
			return r
		}(),
	} {
		o := Options{File: write(t, reference+resumed["oat"]), Dir: t.TempDir(), Jobs: 2}
		o.newSimulate = fake(func(*scenario.Scenario, core.Options) core.Result { return result })
		out, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(o.Dir, inside.File)); err == nil {
			t.Errorf("numbers of no simulator are looked into")
		}
		in := details.Input{Plan: out.Plan, Dir: o.Dir, Jobs: 2}
		x, err := details.Make(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Points) > 0 || len(x.Notes) == 0 || !strings.Contains(x.Notes[0].Text, want) {
			t.Errorf("%d points, notes %v, want %q", len(x.Points), x.Notes, want)
		}
		if err := inside.Write(o.Dir, x); err != nil {
			t.Error(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := details.Make(ctx, in); !strings.HasPrefix(want, "too many") && !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
	}
}

// TestInsideOfASearch: of a search it is the value found and the first that fails,
// and what another study left goes.
func TestInsideOfASearch(t *testing.T) {
	o := Options{File: write(t, reference+resumed["oat"]), Dir: t.TempDir(), Jobs: 2}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.File = write(t, reference+resumed["search"])
	out, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	x, d := readInside(t, o.Dir)
	if len(x.Points) != 2 || len(x.Notes) > 0 {
		t.Fatalf("%d points, notes %v", len(x.Points), x.Notes)
	}
	want := map[string]float64{"the value found": out.Searches[0].Value, "the first value that fails": out.Searches[0].FirstFail}
	for i := range x.Points {
		p := &x.Points[i]
		agrees(t, "search", p, d)
		if c := p.Design[len(p.Design)-1]; c.Name != "hardware.weight_bandwidth_gb_s" || c.Value != fmt.Sprint(want[p.Chosen[0]]) {
			t.Errorf("%q is %v, want %v", p.Chosen, c, want[p.Chosen[0]])
		}
	}
}
