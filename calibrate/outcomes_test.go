package calibrate

import (
	"strconv"
	"strings"
	"testing"
)

const (
	utilParam  = "schema = 1\n[params.compute_util]\npath = \"hardware.compute_util\"\ninit = 0.2\nmin = 0.05\n"
	layerParam = "[params.layer_overhead_us]\npath = \"engine.layer_overhead_us\"\ninit = 40\nmin = 1\nmax = 500\nscale = \"log\"\n"
	stepParam  = "[params.step_overhead_us]\npath = \"engine.step_overhead_us\"\ninit = 400\nmin = 1\nmax = 20_000\nscale = \"log\"\n"
	linkParam  = "schema = 1\n[params.link_util]\npath = \"hardware.link_util\"\ninit = 0.4\nmin = 0.05\n"
)

// same leaves measurements as they are.
func same(text string) string { return text }

// scaled divides a column of numbers.
func scaled(column int, by float64) func(string) string {
	return func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, line := range lines[1:] {
			cells := strings.Split(line, ",")
			x, _ := strconv.ParseFloat(cells[column], 64)
			cells[column] = strconv.FormatFloat(x/by, 'g', 6, 64)
			lines[i+1] = strings.Join(cells, ",")
		}
		return strings.Join(lines, "\n") + "\n"
	}
}

// A fit never returns silently wrong: each way to end is another text, and where
// nothing may be built on it a gate that does not hold, so that the command ends
// with 5. The overlay says it too.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		data       func(string) string // what becomes of the measurements
		iterations int
		want       []string
		gates      []string
	}{
		{"converged", threeParams, same, 0, []string{"result  converged after "}, nil},
		{"stopped early", threeParams, same, 1, []string{"result  not converged after ", "gate    FAIL fit not converged\n"}, []string{"fit not converged"}},
		{
			"at a bound", utilParam + "max = 0.4\n" + layerParam, same, 0,
			[]string{"result  converged after ", "AT ITS MAX"},
			nil,
		},
		{
			"without effect", linkParam, same, 0,
			[]string{"result  never moved after ", "NO EFFECT on these data", "gate    FAIL fit never moved\n", "gate    FAIL the data determine no parameter"},
			[]string{"fit never moved", "the data determine no parameter: every one is as its prior or without effect"},
		},
		{
			"hardly told apart", utilParam + layerParam + stepParam, same, 0,
			[]string{"result  converged after ", "identifiability  weakest: layer_overhead_us up with step_overhead_us down; condition number ", "layer_overhead_us and step_overhead_us are hardly told apart", "WEAK: interval spans "},
			nil,
		},
		{
			"far from the data", threeParams, scaled(7, 20), 0,
			[]string{"result  does not describe the data: ttft_mean_ms is off by ", "the search itself converged after ", "gate    FAIL fit does not describe the data\n", "gate    FAIL fitted ttft_mean_ms "},
			[]string{"fitted ttft_mean_ms", "fit does not describe the data"},
		},
	} {
		dir := t.TempDir()
		files := put(t, dir, "m.csv", c.data(demo()), "fit.toml", c.spec)
		in, j, err := prepare(t.Context(), Options{Files: files[:1], Spec: files[1], Jobs: 2})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		j.iterations = c.iterations
		f, err := j.run(t.Context(), in)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text := Text(f)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, text)
			}
		}
		var gates []string
		for _, g := range f.Gates {
			gates = append(gates, g.What)
		}
		if strings.Join(gates, ", ") != strings.Join(c.gates, ", ") {
			t.Errorf("%s: gates %v, want %v", c.name, gates, c.gates)
		}
		overlay := string(f.Overlay())
		if !strings.Contains(overlay, "\nstatus = \""+f.Status+"\"\n") || strings.Contains(overlay, "\"calibrated: ") != (f.Status == "converged") {
			t.Errorf("%s: the overlay calls %s numbers calibrated, or does not say so:\n%s", c.name, f.Status, overlay)
		}
	}
}
