package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is drawn has replicates, the rest runs once.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		arrival, sets string
		want          int
	}{
		{"rate_rps = 1", "", 3}, // Poisson arrivals
		{"rate_rps = 1\narrival = \"gamma\"", "", 3},
		{"rate_rps = 1\narrival = \"constant\"", "", 1},
		{"arrival = \"burst\"", "", 1},
		{"arrival = \"closed\"\nconcurrency = 2", "", 1},
		{"arrival = \"burst\"", "measurement.length_range=0.5", 3},
		{"arrival = \"burst\"", "engine.speculative_tokens=2", 3},
		{"arrival = \"burst\"", "engine.speculative_tokens=2 engine.speculative_acceptance=1", 1},
		{"arrival = \"burst\"", "workload.class.a.output_tokens.dist=lognormal workload.class.a.output_tokens.cv=0.5", 3},
		{"arrival = \"burst\"", "workload.class.a.output_tokens.dist=lognormal workload.class.a.output_tokens.cv=0", 1},
	} {
		st := loadText(t, strings.Replace(base, "rate_rps = 1.0", c.arrival, 1)+"[replicates]\nn = 3\n", strings.Fields(c.sets)...)
		p, err := New(st)
		if err != nil {
			t.Fatal(err)
		}
		note := strings.Contains(fmt.Sprint(p.Notes), "nothing is drawn at random at 1 of 1 points")
		if p.Runs() != c.want || note != (c.want == 1) {
			t.Errorf("%s %s: %d runs, notes %q", c.arrival, c.sets, p.Runs(), p.Notes)
		}
	}
	two := strings.Replace(base, "rate_rps = 1.0", "arrival = \"burst\"", 1) + "[[workload.class]]\nname = \"b\"\nprompt_tokens = 1\noutput_tokens = 1\n[replicates]\nn = 3\n"
	for sets, want := range map[string]int{"": 3, "workload.class.b.share=0": 1} {
		if p, err := New(loadText(t, two, strings.Fields(sets)...)); err != nil || p.Runs() != want {
			t.Errorf("two classes, %s: %v, want %d", sets, err, want)
		}
	}
}

// Runs are numbered by point, then replicate, however many each point has.
func TestRunNumbers(t *testing.T) {
	p, err := New(load(t, "[axes]\n\"workload.arrival\" = [\"poisson\", \"constant\", \"gamma\"]\n[replicates]\nn = 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range p.Runs() {
		point, replicate := p.Run(i)
		got += fmt.Sprintf("%d.%d ", point, replicate)
	}
	if want := "0.0 0.1 0.2 1.0 2.0 2.1 2.2 "; got != want || len(p.Order()) != 7 {
		t.Errorf("%s, want %s", got, want)
	}
}

// A trace replayed ten times is one observation.
func TestTraceRunsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("arrival_s,prompt_tokens,output_tokens\n0,10,10\n1,10,10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(base, "[workload]")
	st := loadText(t, head+fmt.Sprintf("[workload]\narrival = \"trace\"\ntrace = %q\n[replicates]\nn = 10\n", file))
	p, err := New(st)
	if err != nil {
		t.Fatal(err)
	}
	if p.Runs() != 1 {
		t.Errorf("%d runs", p.Runs())
	}
}

// Keys without effect are noted once each.
func TestRemarks(t *testing.T) {
	p, err := New(load(t, "[axes]\n\"engine.bucket_tokens\" = [64, 128]\n", "workload.arrival_cv=3", "engine.routing=least-loaded"))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(p.Notes)
	for _, key := range []string{"engine.bucket_tokens", "workload.arrival_cv", "engine.routing"} {
		if strings.Count(text, key) != 1 {
			t.Errorf("%s in %s", key, text)
		}
	}
	if p, err = New(load(t, "[axes]\n\"engine.scheduler\" = [\"continuous\", \"bucketed\"]\n[replicates]\nn = 2\n", "engine.bucket_tokens=64")); err != nil || strings.Contains(fmt.Sprint(p.Notes), "bucket_tokens") {
		t.Errorf("a key that acts at one of two points: %q, %v", p.Notes, err)
	}
}

// What independent streams cost is said, and that a race takes different loads for
// designs.
func TestScheduleNotes(t *testing.T) {
	const race = "[run]\nrace = true\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[replicates]\nn = 9\n"
	for design, want := range map[string]string{
		"[replicates]\nn = 2\ncrn = false\n":                "crn = false: every point",
		"[axes]\n\"workload.rate_rps\" = [1, 2]\n" + race:   "those that differ in workload.rate_rps too",
		"[axes]\n\"engine.max_num_seqs\" = [1, 2]\n" + race: "",
	} {
		p, err := New(load(t, design))
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(p.Notes, "\n")
		if !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "race") {
			t.Errorf("%s: %q", design, notes)
		}
	}
	p, err := New(load(t, "[axes]\n\"workload.rate_rps\" = [1, 2, 3]\n[replicates]\nn = 2\ncrn = false\n"))
	if err != nil || p.Capacities() != 3 {
		t.Errorf("%v: %d capacity runs of three points with a seed each", err, p.Capacities())
	}
}
