package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/sweep/results"
)

// TestShippedCalibrations: a study builds on shipped overlays of a chip. The one
// of a model acts on that model only, the one of the chip on every model of its
// engine era; what lies outside is flagged.
func TestShippedCalibrations(t *testing.T) {
	base, err := filepath.Abs("../studies/calibrations")
	if err != nil {
		t.Fatal(err)
	}
	study := `schema = 1
name = "shipped"
base = [` + "'" + filepath.Join(base, "h100-sxm.toml") + "', '" + filepath.Join(base, "h100-sxm.llama-3.1-70b.toml") + "'" + `]
[model]
kv_dtype = "bf16"
[hardware]
name = "h100-sxm"
[engine]
tp = 4
[workload]
requests = 50
arrival = "closed"
concurrency = 8
[[workload.class]]
name = "chat"
prompt_tokens = 1024
output_tokens = 1024
[zip.case]
"model.name" = ["llama-3.1-70b", "llama-3.1-70b", "llama-3.1-70b", "mistral-7b-v0.1", "llama-3.1-70b"]
"model.weight_dtype" = ["fp8", "fp8", "fp8", "bf16", "fp8"]
"workload.concurrency" = [8, 8, 1, 8, 8]
"engine.version" = ["", "vllm 0.18.0", "", "vllm 0.12.0", "vllm 0.12.0"]
`
	file := filepath.Join(t.TempDir(), "s.toml")
	if err := os.WriteFile(file, []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2})
	if err != nil || out.Counts[results.OK] != 5 {
		t.Fatalf("%+v, %v", out, err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tpot := make([]float64, d.Points.Len())
	for i, want := range []struct{ calibrated, extrapolated bool }{
		{true, false}, {false, false}, {true, true}, {true, false}, {true, false},
	} {
		calibrated, _ := d.Points.Bool(d.Points.Index("calibrated"), i)
		extrapolated, _ := d.Points.Bool(d.Points.Index("extrapolated"), i)
		if calibrated != want.calibrated || extrapolated != want.extrapolated {
			t.Errorf("point %d: calibrated %v, extrapolated %v, want %v", i, calibrated, extrapolated, want)
		}
		tpot[i], _ = d.Points.Float(d.Points.Index("tpot_mean_ms_mean"), i)
	}
	if tpot[0] == tpot[1] || tpot[0] != tpot[4] {
		t.Errorf("TPOT %v: another engine era has the values of the catalogue, one that is not said those of the overlay", tpot)
	}
}

// TestWhatIfOfCalibratedChip: a sweep of a rate around what an overlay was fitted
// at is an extrapolation but at the fitted value itself.
func TestWhatIfOfCalibratedChip(t *testing.T) {
	overlay, err := filepath.Abs("../studies/calibrations/h100-sxm.toml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.toml")
	study := `schema = 1
name = "whatif"
base = ['` + overlay + `']
model = { name = "llama-3.1-70b", weight_dtype = "fp8", kv_dtype = "bf16" }
hardware.name = "h100-sxm"
engine.tp = 4
[workload]
requests = 50
arrival = "closed"
concurrency = 8
[[workload.class]]
name = "chat"
prompt_tokens = 1024
output_tokens = 1024
[axes]
"hardware.memory_bandwidth_gb_s" = ["-20%", "x1", 20_000]
`
	if err := os.WriteFile(file, []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"hardware.memory_bandwidth_gb_s = 2680, fitted at 3350", "", "hardware.memory_bandwidth_gb_s = 20000, fitted at 3350"} {
		if got, _ := d.Points.String(d.Points.Index("outside"), i); got != want {
			t.Errorf("point %d: outside %q, want %q", i, got, want)
		}
	}
}

// TestOverlayThatDoesNotAct: a plan says which condition of an overlay does not
// hold, and where.
func TestOverlayThatDoesNotAct(t *testing.T) {
	const overlay = "calibrations/h100-sxm.toml"
	text := `schema = 1
name = "idle"
base = ["` + overlay + `"]
model = { name = "llama-3.1-70b", weight_dtype = "fp8", kv_dtype = "bf16" }
engine.tp = 4
[workload]
requests = 50
rate_rps = 1
[[workload.class]]
name = "chat"
prompt_tokens = 1024
output_tokens = 1024
[axes]
"hardware.name" = ["h100-sxm", "b200"]
`
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "calibrations"), 0o700); err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(filepath.Join("../studies", overlay))
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{overlay: string(shipped), "s.toml": text} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for set, want := range map[string]string{
		"model.kv_dtype=\"bf16\"":   overlay + " does not act at 1 of 2 points: hardware.name = b200, it was fitted to h100-sxm",
		"engine.version=\"sglang\"": overlay + " does not act at 1 of 2 points: engine.version = sglang, it was fitted to vllm 0.11 or vllm 0.12",
		"model.kv_dtype=\"fp8\"":    overlay + " does not act at 1 of 2 points: model.kv_dtype = fp8, it was fitted to bf16",
	} {
		p, err := Load(filepath.Join(dir, "s.toml"), []string{set})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.Notes {
			if strings.Contains(n, "does not act") {
				got = append(got, n)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}
