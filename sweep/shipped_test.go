package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/sweep/results"
)

// impossible is how many points of a shipped study cannot run, by design.
var impossible = map[string]int{"memory.toml": 3}

// TestShippedStudies: every shipped study can be planned, is feasible but where
// that is its subject, asks a question at its head, and has its answer in
// studies/README.md.
func TestShippedStudies(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	files, err := filepath.Glob("../studies/*.toml")
	if err != nil || len(files) < 4 {
		t.Fatalf("studies: %v, %v", files, err)
	}
	readme, err := os.ReadFile("../studies/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		if name == "calibrated.toml" { // an overlay, made by calibrate fit
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"# Question:", "# Run time:", "# Expect:"} {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s has no %q at its head", name, word)
			}
		}
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("studies/README.md does not mention %s", name)
		}
		p, err := Load(f, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, _, why := p.Infeasible(); n != impossible[name] {
			t.Errorf("%s: %d infeasible points: %s", name, n, why)
		}
		for _, note := range p.Notes {
			if strings.Contains(note, " of the catalogue (") || strings.Contains(note, ": the lengths drawn have a mean of ") {
				t.Errorf("%s: what it means is called a slip: %s", name, note)
			}
		}
	}
}

// TestH100Study: the calibrated study rests on its calibration, keeps up at low
// rates and is saturated at the highest, and TPOT grows with the rate.
func TestH100Study(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: "../studies/h100.toml", Set: []string{"workload.requests=1000"}, Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for i := range d.Points.Len() {
		if ok, _ := d.Points.Bool(d.Points.Index("calibrated"), i); !ok {
			t.Errorf("point %d is not calibrated", i)
		}
		tpot, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_mean"), i)
		if tpot <= last {
			t.Errorf("point %d: TPOT %g ms after %g", i, tpot, last)
		}
		last = tpot
	}
	if load, _ := d.Points.Float(d.Points.Index("load_ratio"), d.Points.Len()-1); load < 0.9 {
		t.Errorf("the highest rate loads the machine to %.2f only", load)
	}
}

// TestReadmeStudy runs the study that the README shows.
func TestReadmeStudy(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```toml\n")
	text, _, ok := strings.Cut(rest, "```")
	if n := strings.Count(text, "\n"); !ok || n != 12 {
		t.Fatalf("the README shows %d lines of a study, want 12", n)
	}
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), Options{File: file, Dir: t.TempDir(), Jobs: 2})
	if err != nil || out.Counts[results.OK] != 45 {
		t.Errorf("%+v, %v", out, err)
	}
}
