package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const space = "[sample.space]\n\"hardware.weight_bandwidth_gb_s\" = { min = 3000, max = 6000 }\n\"engine.max_num_seqs\" = { min = 1, max = 8 }\n"

func planned(t *testing.T, design string) *Plan {
	t.Helper()
	p, err := New(load(t, design))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every outer combination has the same rows, in the order of the design, and no
// baseline.
func TestSampleInside(t *testing.T) {
	p := planned(t, "[axes]\n\"hardware.overlap\" = [0, 0.5, 1]\n[sample]\nmethod = \"random\"\nn = 5\n"+space)
	if p.Len() != 15 || p.Merged != 0 {
		t.Fatalf("%d points, %d merged", p.Len(), p.Merged)
	}
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			t.Fatal(err)
		}
		row, err := p.Study.Sample.Row(i % 5)
		if err != nil {
			t.Fatal(err)
		}
		sc := pt.Resolved.Scenario
		if want := []any{float64(i/5) / 2, row.Values[0].Value, int64(row.Values[1].Value.(int))}; !slices.Equal(pt.Cells, want) {
			t.Errorf("point %d has %v, want %v", i, pt.Cells, want)
		}
		if sc.Engine.MaxNumSeqs != row.Values[1].Value.(int) || pt.Baseline || pt.OATPath != "" {
			t.Errorf("point %d: %+v", i, pt)
		}
	}
	outer := []bool{}
	for _, c := range p.Columns {
		outer = append(outer, c.Outer)
	}
	if !slices.Equal(outer, []bool{true, false, false}) {
		t.Errorf("outer columns %v", outer)
	}
	if r := p.Sample(); r.Rows != nil || r.Combinations != 3 || r.Design.Rows() != 5 {
		t.Errorf("record %+v", r)
	}
	if p.Only(3).Sample() != nil || planned(t, "").Sample() != nil {
		t.Error("a plan that holds no whole sample has a record of one")
	}
}

// Every row still knows its point: merged rows share one, rows that a rule takes
// out have none, rows that cannot run have one.
func TestSampleRecord(t *testing.T) {
	p := planned(t, "[[where]]\ndrop = \"max_num_seqs == 3\"\n[sample]\nmethod = \"saltelli\"\nn = 16\ndummy = true\n[sample.space]\n\"engine.max_num_seqs\" = [1, 2, 3]\n\"hardware.weight_memory_gib\" = [1, 16]\n")
	r := p.Sample()
	if r == nil || len(r.Rows) != 1 || len(r.Rows[0]) != 16*5 {
		t.Fatalf("record %+v", r)
	}
	dropped, broken := 0, map[int]bool{}
	for i := range r.Design.Rows() {
		row, err := p.Study.Sample.Row(i)
		if err != nil {
			t.Fatal(err)
		}
		seqs, memory := row.Values[0].Value.(int), row.Values[1].Value.(float64)
		index, ok := r.Point(0, i)
		if ok != (seqs != 3) {
			t.Errorf("row %d with max_num_seqs = %d has a point: %t", i, seqs, ok)
		}
		if !ok {
			dropped++
			broken[i/r.Block()] = true
			continue
		}
		pt, err := p.Point(index)
		if err != nil {
			t.Fatal(err)
		}
		if sc := pt.Resolved.Scenario; sc.Engine.MaxNumSeqs != seqs || sc.Hardware.WeightMemoryGiB != memory {
			t.Errorf("row %d is point %d with %d and %g, want %d and %g", i, index, sc.Engine.MaxNumSeqs, sc.Hardware.WeightMemoryGiB, seqs, memory)
		}
	}
	if p.Len() != 4 || p.Removed[0] != dropped || p.Merged != 80-4-dropped {
		t.Errorf("%d points, %d merged, %d removed of %d", p.Len(), p.Merged, p.Removed[0], dropped)
	}
	if n, _, _ := p.Infeasible(); n != 2 {
		t.Errorf("%d infeasible points, want 2 with 1 GiB of weights", n)
	}
	want := fmt.Sprintf("warning: rules of [[where]] break %d of 16 blocks of 5 rows that belong together", len(broken))
	if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("no %q in %q", want, p.Notes)
	}
}

// A relative range acts on what the outer axes give.
func TestSampleRelative(t *testing.T) {
	p := planned(t, "[axes]\n\"hardware.weight_bandwidth_gb_s\" = [1000, 2000]\n[sample]\nmethod = \"morris\"\nn = 8\n[sample.space]\n\"hardware.state_bandwidth_gb_s\" = { min = \"-25%\", max = \"+50%\" }\n")
	base := planned(t, "")
	own, err := base.Point(0)
	if err != nil {
		t.Fatal(err)
	}
	middle := own.Resolved.Scenario.Hardware.StateBandwidthGBs
	seen := map[float64]bool{}
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			t.Fatal(err)
		}
		seen[pt.Resolved.Scenario.Hardware.StateBandwidthGBs/middle] = true
	}
	if len(seen) != 4 || !seen[0.75] || !seen[1] || !seen[1.25] || !seen[1.5] {
		t.Errorf("ratios %v, want 0.75, 1, 1.25, 1.5", seen)
	}
}

// Where names have no order, or some values come up more often, the plan says
// so.
func TestSampleNotes(t *testing.T) {
	for design, want := range map[string]string{
		"method = \"morris\"\nn = 1\n" + space:   "warning: n = 1 is too few for effects: n = ",
		"method = \"saltelli\"\nn = 2\n" + space: "warning: n = 2 is too few for indices: n = ",
		"method = \"lhs\"\nn = 3\n" + space:      "warning: n = 3 is too few for rank correlations: n = ",
		"method = \"morris\"\nn = 2\n[sample.space]\n\"engine.scheduler\" = [\"continuous\", \"sjf\", \"prefill-first\"]\n": "engine.scheduler: names have no order",
		"method = \"lhs\"\nn = 10\n[sample.space]\n\"engine.max_num_seqs\" = { min = 1, max = 4 }\n":                        "engine.max_num_seqs: 10 rows on 4 values",
		"method = \"lhs\"\nn = 8\n[sample.space]\n\"engine.max_num_seqs\" = { min = 1, max = 4 }\n":                         "4 of 8 designs resolve to the scenario of an earlier one and are merged with it",
	} {
		p := planned(t, "[sample]\n"+design)
		if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no %q in %q", want, p.Notes)
		}
	}
}

// The size is guarded before anything is resolved.
func TestSampleSize(t *testing.T) {
	_, err := New(load(t, "[axes]\n\"hardware.overlap\" = [0, 1]\n[sample]\nmethod = \"saltelli\"\nn = 1048576\n"+space))
	if err == nil || !strings.Contains(err.Error(), "8,388,608 runs are more than max_runs = 100000: hardware.overlap 2 x rows of the sample 4194304 x replicates 1") {
		t.Errorf("%v", err)
	}
}

// A search runs inside each row.
func TestSampleSearch(t *testing.T) {
	p := planned(t, "[slo]\nttft_mean_ms = { max = 100 }\n[search]\nover = \"workload.rate_rps\"\ngoal = \"max\"\nfrom = 0.5\nto = 64\n[sample]\nmethod = \"lhs\"\nn = 3\n"+space)
	if p.Len() != 3 || !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "no indices are made of it") }) {
		t.Fatalf("%d searches, notes %q", p.Len(), p.Notes)
	}
	ids := map[string]bool{}
	for i := range 3 {
		id, spec, err := p.Search(i)
		if err != nil || spec.From != 0.5 {
			t.Errorf("%v %+v", err, spec)
		}
		ids[id] = true
		pt, _, err := p.Probe(i, 4)
		if err != nil {
			t.Fatal(err)
		}
		row, err := p.Study.Sample.Row(i)
		if err != nil {
			t.Fatal(err)
		}
		if sc := pt.Resolved.Scenario; sc.Workload.RateRPS != 4 || sc.Hardware.WeightBandwidthGBs != row.Values[0].Value {
			t.Errorf("search %d probes %g at %g", i, sc.Workload.RateRPS, sc.Hardware.WeightBandwidthGBs)
		}
	}
	if len(ids) != 3 {
		t.Errorf("%d different searches", len(ids))
	}
	if p.Sample() != nil || !p.Columns[0].Outer || !p.Columns[1].Outer {
		t.Errorf("rows of a sample are no points of a search; columns %+v", p.Columns)
	}
}
