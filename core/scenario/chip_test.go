package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChipOutside: an overlay fitted on a chip of the catalogue is extrapolated
// on a chip of that name with other rates, and only in what acts.
func TestChipOutside(t *testing.T) {
	const memory, fp8, bf16, link = "hardware.memory_bandwidth_gb_s", "hardware.peak_tflops.fp8", "hardware.peak_tflops.bf16", "hardware.link_bandwidth_gb_s"
	for _, c := range []struct {
		set  []any
		want []string
	}{
		{nil, nil},
		{[]any{memory, 3350, fp8, 1979}, nil}, // a sheet rounds
		{[]any{memory, 20000, bf16, 500}, []string{bf16 + " = 500, fitted at 989.4", memory + " = 20000, fitted at 3350"}},
		{[]any{memory, 2680}, []string{memory + " = 2680, fitted at 3350"}},
		{[]any{"hardware.memory_gib", 192, "hardware.peak_tflops.fp4", 9000, "hardware.w_idle", 90}, nil},
		{[]any{link, 100}, nil},
		{[]any{link, 100, "engine.tp", 2}, []string{link + " = 100, fitted at 900"}},
		{[]any{"hardware.kv_path", "separate", "hardware.weight_bandwidth_gb_s", 9000, "hardware.state_bandwidth_gb_s", 900}, []string{`hardware.kv_path = "separate", fitted at "shared"`}},
		{[]any{"hardware.ecc_tax", 0.1, "hardware.onchip_kv_mib", 64, "hardware.onchip_kv_gb_s", 5000}, []string{"hardware.onchip_kv_gb_s = 5000, fitted without", "hardware.onchip_kv_mib = 64, fitted at 0", "hardware.ecc_tax = 0.1, fitted at 0"}},
	} {
		r := resolve(t, overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)}, values(c.set...))
		if !r.Calibrated || !slices.Equal(r.Outside, c.want) {
			t.Errorf("%v: calibrated %v, got %q, want %q", c.set, r.Calibrated, r.Outside, c.want)
		}
	}
	derated := doc(t, "d.toml", "[[hardware.derate]]\npath = \"hardware.peak_tflops\"\n[[hardware.derate]]\npath = \"hardware.memory_bandwidth_gb_s\"\nfactor = 0.5\n")
	if r := resolve(t, overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)}, Layer{Doc: derated}); !slices.Equal(r.Outside, []string{"hardware.derate.1.factor = 0.5, fitted at 1"}) {
		t.Errorf("derated: %q", r.Outside)
	}
	twice := strings.ReplaceAll(fitted, "[calibration.range]", "[unused]")
	if r := resolve(t, overlay(t, fitted), overlay(t, strings.Split(twice, "[unused]")[0]), Layer{Doc: doc(t, "s.toml", plain)}, values(memory, 20000)); len(r.Outside) != 1 {
		t.Errorf("two overlays of the chip: %q", r.Outside)
	}
	freed := strings.Replace(fitted, "link_latency_us = 8", "link_latency_us = 8\necc_tax = 0.06", 1)
	if r := resolve(t, overlay(t, freed), Layer{Doc: doc(t, "s.toml", plain)}); r.Outside != nil {
		t.Errorf("an overlay outside of itself: %q", r.Outside)
	}
}

// TestChipFile: a chip file of another chip that calls itself by a fitted name.
func TestChipFile(t *testing.T) {
	dir := t.TempDir()
	text := `name = "h100-sxm"
kv_path = "separate"
weight_memory_gib = 48
weight_bandwidth_gb_s = 9000
state_memory_gib = 96
state_bandwidth_gb_s = 1600
overlap = 0.8
[peak_tflops]
bf16 = 400
[sources]
`
	for _, key := range []string{"kv_path", "weight_memory_gib", "weight_bandwidth_gb_s", "state_memory_gib", "state_bandwidth_gb_s", "overlap", "peak_tflops"} {
		text += key + " = \"assumed: made up\"\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "fake.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := NewCatalog(dir).Resolve(overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)}, values("hardware.name", "fake.toml"))
	want := []string{`hardware.kv_path = "separate", fitted at "shared"`, "hardware.peak_tflops.bf16 = 400, fitted at 989.4"}
	if err != nil || !r.Calibrated || !slices.Equal(r.Outside, want) {
		t.Errorf("%v: got %q, want %q", err, r.Outside, want)
	}
}

// TestRecordedChip: what an overlay says of its chip goes before the catalogue.
func TestRecordedChip(t *testing.T) {
	const memory = "hardware.memory_bandwidth_gb_s"
	said := fitted + "[calibration.hardware.\"h100-sxm\"]\nkv_path = \"shared\"\nmemory_bandwidth_gb_s = [3000, 3100]\npeak_tflops.bf16 = 989.4\n"
	for x, want := range map[float64][]string{3050: nil, 3110: nil, 3350: {memory + " = 3350, fitted at 3000 to 3100"}} {
		if r := resolve(t, overlay(t, said), Layer{Doc: doc(t, "s.toml", plain)}, values(memory, x)); !slices.Equal(r.Outside, want) {
			t.Errorf("%g: got %q, want %q", x, r.Outside, want)
		}
	}
	own := strings.NewReplacer(`"h100-sxm"`, `"my.chip"`).Replace(said)
	chip := []any{"hardware.name", "my.chip", memory, 9000, "hardware.memory_gib", 80, "hardware.peak_tflops.bf16", 989.4, "hardware.link_bandwidth_gb_s", 300}
	if r := resolve(t, overlay(t, own), Layer{Doc: doc(t, "s.toml", plain)}, values(chip...)); !r.Calibrated || !slices.Equal(r.Outside, []string{memory + " = 9000, fitted at 3000 to 3100"}) {
		t.Errorf("a chip of no catalogue: calibrated %v, %q", r.Calibrated, r.Outside)
	}
	r := resolve(t, Layer{Doc: doc(t, "s.toml", plain)})
	if got, want := fmt.Sprint(r.Scenario.Chip()), "[{hardware.kv_path shared} {hardware.peak_tflops.fp16 989.4} {hardware.peak_tflops.bf16 989.4} {hardware.memory_bandwidth_gb_s 3350}]"; got != want {
		t.Errorf("a chip as a fit sees it: %s, want %s", got, want)
	}
}

func TestChipErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[calibration.hardware]\nmemory_bandwidth_gb_s = 1\n":        `o.toml:2:1: calibration.hardware.memory_bandwidth_gb_s: no rate of a chip`,
		"[calibration.hardware.x]\nmemory_bandwith_gb_s = 1\n":       `o.toml:2:1: calibration.hardware.x.memory_bandwith_gb_s: no rate of a chip`,
		"[calibration]\nhardware = 3\n":                              `o.toml:2:1: calibration.hardware: no rate of a chip`,
		"[calibration.hardware.x]\nmemory_bandwidth_gb_s = [2, 1]\n": `o.toml:2:1: calibration.hardware.x.memory_bandwidth_gb_s: a list is not what the fitted chip had`,
		"[calibration.hardware.x]\nmemory_bandwidth_gb_s = \"1\"\n":  `o.toml:2:1: calibration.hardware.x.memory_bandwidth_gb_s: "1" is not what the fitted chip had`,
		"[calibration.hardware.x]\nkv_path = 1\n":                    `o.toml:2:1: calibration.hardware.x.kv_path: 1 is not what the fitted chip had`,
	} {
		if _, err := OverlayLayer(doc(t, "o.toml", text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got\n%v\nwant\n%s", text, err, want)
		}
	}
}
