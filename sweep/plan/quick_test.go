package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A plan is the same with and without templates: points, ids, numbers, notes,
// rules and errors.
func TestQuickIsResolve(t *testing.T) {
	for _, design := range []string{
		whereGrid,
		whereGrid + "[[where]]\ndrop = 'weight_bandwidth_gb_s < state_bandwidth_gb_s'\n",
		"[axes]\n\"model.kv_dtype\" = [\"int8\", \"fp16\"]\n\"hardware.state_bandwidth_gb_s\" = [1000, 1000.0, 3000]\n\"hardware.overlap\" = [0, 1]\n[replicates]\nn = 2\n",
		"[axes]\n\"workload.class.a.output_tokens\" = [16, { dist = \"uniform\", min = 10, max = 50 }]\n\"engine.max_num_seqs\" = [1, 4]\n",
		"[axes]\n\"hardware.state_memory_gib\" = [0.001, 8]\n\"engine.bucket_tokens\" = [64, 128]\n\"engine.tp\" = [1, 3]\n\"hardware.link_bandwidth_gb_s\" = [10, 20]\n",
		"[axes]\n\"engine.max_num_batched_tokens\" = [2, 64]\n\"engine.max_num_seqs\" = [1, 4]\n",
		"[axes]\n\"model.layers\" = [16, 32]\n\"workload.arrival\" = [\"closed\", \"poisson\"]\n",
		"[axes]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n\"engine.max_num_seqs\" = [1, 4]\n",
		"[axes]\n\"engine.max_num_seqs\" = [1, 4]\n\"hardware.overlap\" = [0, 1]\n[[where]]\ndrop = 'state_bandwidth_gb_s > 5000'\n[sample]\nmethod = \"saltelli\"\nn = 4\ndummy = true\n[sample.space]\n\"hardware.weight_bandwidth_gb_s\" = { min = \"-20%\", max = \"+20%\" }\n\"hardware.state_bandwidth_gb_s\" = { min = 3000, max = 6000, step = 1000 }\n\"engine.scheduler\" = [\"continuous\", \"sjf\"]\n\"engine.tp\" = [1, 2]\n\"workload.class.a.output_tokens\" = { dist = \"lognormal\", mean = 100, cv = 1 }\n",
		"[[cases.c]]\nname = \"x\"\n\"hardware.weight_bandwidth_gb_s\" = 1000\n[[cases.c]]\nname = \"y\"\n\"hardware.state_bandwidth_gb_s\" = 1000\n[sample]\nmethod = \"morris\"\nn = 4\n[sample.space]\n\"hardware.state_memory_gib\" = { min = 0.001, max = 8, scale = \"log\" }\n\"hardware.link_bandwidth_gb_s\" = { min = \"x0.5\", max = \"x2\" }\n",
		"[sample]\nmethod = \"lhs\"\nn = 4\n[sample.space]\n\"hardware.state_bandwidth_gb_s\" = { dist = \"normal\", mean = 0, sd = 1 }\n",
		"[sample]\nmethod = \"lhs\"\nn = 1\n[sample.space]\n\"hardware.state_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n",
		"[sample]\nmethod = \"lhs\"\nn = 4\n[sample.space]\n\"engine.max_num_batched_tokens\" = [1, 64]\n\"engine.max_num_seqs\" = [1, 4]\n",
		"[sample]\nmethod = \"lhs\"\nn = 8\n[sample.space]\n\"workload.requests\" = { dist = \"lognormal\", mean = 900, cv = 2 }\n\"hardware.overlap\" = { min = 0, max = 1 }\n",
		"[sample]\nmethod = \"lhs\"\nn = 8\n[sample.space]\n\"workload.requests\" = { min = 10, max = 9000, scale = \"log\" }\n\"hardware.overlap\" = { min = 0, max = 1 }\n",
		"[sample]\nmethod = \"lhs\"\nn = 8\n[sample.space]\n\"workload.requests\" = { min = 10, max = 9000 }\n\"hardware.overlap\" = { min = 0, max = 1 }\n",
		"[sample]\nmethod = \"lhs\"\nn = 8\n[sample.space]\n\"workload.requests\" = { dist = \"lognormal\", mean = 900, cv = 2 }\n",
	} {
		if got, want := whole(t, design, true), whole(t, design, false); got != want {
			t.Errorf("%s\n got %s\nwant %s", design, got, want)
		}
	}
}

// whole prints all of a plan, or its error.
func whole(t *testing.T, design string, quickly bool) string {
	t.Helper()
	st := load(t, design)
	p := fresh(st)
	if !quickly {
		p.quick = &quick{}
	}
	if err := p.fill(); err != nil {
		return err.Error()[strings.Index(err.Error(), "demo.toml"):]
	}
	text := fmt.Sprintln(rows(t, p), p.Notes, p.Numbers, p.Merged, p.Removed, p.first, p.census)
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintln(pt.ID, pt.Infeasible, pt.Resolved.Origin, pt.Resolved.WeakestSource)
	}
	return text
}

// Templates are found where the values alone differ, and only there.
func TestSmooth(t *testing.T) {
	for design, want := range map[string][]bool{
		whereGrid: {true, true, false, true},
		"[axes]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n\"engine.max_num_seqs\" = [1, 4]\n": nil,
		"[axes]\n\"engine.max_num_seqs\" = [1, 4]\n[oat]\n\"hardware.overlap\" = [0.5]\n":                       nil,
		"[axes]\n\"engine.tp\" = [1, 2]\n": nil,
	} {
		if got := fresh(load(t, design)).quick.smooth; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", design, got, want)
		}
	}
}

// A million points take no more memory than their list, and the templates stay
// few.
func TestManyTemplates(t *testing.T) {
	p, err := New(load(t, "[axes]\n\"workload.requests\" = { from = 1, to = 700, step = 1 }\n\"engine.max_num_seqs\" = [1, 4]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Len() != 1400 || len(p.quick.templates) > maxTemplates {
		t.Errorf("%d points, %d templates", p.Len(), len(p.quick.templates))
	}
}
