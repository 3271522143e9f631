package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// dimension is an axis as a study writes it, and the cells of its levels.
type dimension struct {
	plain bool // in [axes]; else a table of its own
	text  string
	cells []string // of each level, one column or more
}

// dimensions draws the axes of a grid: plain ones, a zip and cases. Those in
// [axes] stand together, since a table is written once.
func dimensions(r *rand.Rand) []dimension {
	floats := func(path string) dimension {
		d := dimension{plain: true}
		n, from, step := 1+r.IntN(4), 1+r.IntN(9), 1+r.IntN(5) // in tenths: decimals without an exact binary value
		tenths := func(x int) string { return strings.TrimSuffix(fmt.Sprintf("%d.%d", x/10, x%10), ".0") }
		for i := range n {
			d.cells = append(d.cells, tenths(from+i*step))
		}
		d.text = fmt.Sprintf("%q = { from = %s, to = %s, step = %s }\n", path, d.cells[0], d.cells[n-1], tenths(step))
		return d
	}
	words := func(path string, all ...string) dimension {
		all = all[:1+r.IntN(len(all))]
		return dimension{true, fmt.Sprintf("%q = [\"%s\"]\n", path, strings.Join(all, `", "`)), all}
	}
	all := []dimension{
		floats("workload.rate_rps"),
		floats("engine.step_overhead_us"),
		words("model.kv_dtype", "int8", "fp16", "fp8"),
		words("engine.scheduler", "continuous", "sjf"),
		{false, "[zip.size]\n\"engine.max_num_seqs\" = [1, 2, 3]\n\"engine.max_num_batched_tokens\" = [300, 200, 100]\n", []string{"1 300", "2 200", "3 100"}},
		{false, "[[cases.load]]\nname = \"short\"\n\"workload.class.a.prompt_tokens\" = 10\n[[cases.load]]\nname = \"long\"\n\"workload.class.a.prompt_tokens\" = 20\n", []string{"short", "long"}},
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+r.IntN(len(all))]
	var out []dimension
	header := "[axes]\n"
	for i, d := range all {
		if !d.plain {
			out = append(out, d)
			continue
		}
		if header == "" {
			continue
		}
		for _, e := range all[i:] {
			if e.plain {
				e.text, header = header+e.text, ""
				out = append(out, e)
			}
		}
	}
	return out
}

// A plan is what nested loops over its axes give, the last fastest, and around each
// combination the baseline and its changes: counts, order and cells.
func TestPlanEqualsBruteForce(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		design, want := "", []string{""}
		for _, d := range dimensions(r) {
			design += d.text
			var next []string
			for _, row := range want {
				for _, cell := range d.cells {
					next = append(next, strings.TrimSpace(row+" "+cell))
				}
			}
			want = next
		}
		changes := []string{"%s]"}
		if r.IntN(2) == 1 {
			design += "[oat]\n\"hardware.overlap\" = [0.25, 0.5]\n\"engine.chunked_prefill\" = [false]\n"
			changes = []string{"%s 1 true] baseline", "%s 0.25 true] hardware.overlap 0.25 -0.75", "%s 0.5 true] hardware.overlap 0.5 -0.5", "%s 1 false] engine.chunked_prefill false NaN"}
		}
		var all []string
		for _, row := range want {
			for _, change := range changes {
				all = append(all, fmt.Sprintf("["+change, row))
			}
		}
		n := 1 + r.IntN(3)
		p, err := New(load(t, fmt.Sprintf("%s[replicates]\nn = %d\n", design, n)))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, design)
		}
		if got := rows(t, p); !slices.Equal(got, all) || p.Merged != 0 || p.Runs() != n*len(all) {
			t.Fatalf("seed %d: %d points, %d runs, %d merged\n%s\ngot\n%s\nwant\n%s", seed, p.Len(), p.Runs(), p.Merged, design, strings.Join(got, "\n"), strings.Join(all, "\n"))
		}
	}
}
