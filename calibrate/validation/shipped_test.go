package validation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/calibrate"
	"scoville/calibrate/results"
	"scoville/core/scenario"
)

// calibrations is the folder of the shipped overlays.
var calibrations = filepath.Join("..", "..", "studies", "calibrations")

// shippedOverlay is an overlay and the specification it was made by.
type shippedOverlay struct {
	file, spec string
	doc        *scenario.Document
}

// shippedOverlays lists the overlays NAME.toml and NAME.MODEL.toml of each
// NAME.spec.toml.
func shippedOverlays(t *testing.T) (out []shippedOverlay) {
	t.Helper()
	specs, err := filepath.Glob(filepath.Join(calibrations, "*.spec.toml"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specifications in %s: %v", calibrations, err)
	}
	for _, spec := range specs {
		stem := strings.TrimSuffix(spec, ".spec.toml")
		more, err := filepath.Glob(stem + ".*.toml")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append([]string{stem + ".toml"}, more...) {
			if strings.HasSuffix(file, ".spec.toml") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%s has no overlay: %v", spec, err)
			}
			doc, err := scenario.ParseTOML(file, text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, shippedOverlay{file, spec, doc})
		}
	}
	return out
}

// stated are the fitted errors that an overlay states, by metric.
func (o *shippedOverlay) stated(t *testing.T) map[string]results.Error {
	out := map[string]results.Error{}
	const table = "calibration.errors.fitted"
	for _, e := range o.doc.Under(table) {
		metric, field, ok := strings.Cut(strings.TrimPrefix(e.Key(), table+"."), ".")
		x, isNumber := e.Value.(float64)
		if n, whole := e.Value.(int64); whole {
			x, isNumber = float64(n), true
		}
		if !ok || !isNumber {
			continue
		}
		s := out[metric]
		switch field {
		case "rows":
			s.Rows = int(x)
		case "median":
			s.Median = x
		case "p90":
			s.P90 = x
		}
		out[metric] = s
	}
	if len(out) == 0 {
		t.Errorf("%s states no errors", o.file)
	}
	return out
}

// TestShippedCalibrations scores each shipped overlay on the measurements it was
// fitted to: it is as far off as it says. An overlay of several models states the
// errors of the models' own; its are only printed.
func TestShippedCalibrations(t *testing.T) {
	shared(t)
	for _, o := range shippedOverlays(t) {
		name := filepath.Base(o.file)
		mean := strings.Contains(o.doc.Text, "with its own parameters")
		opt := calibrate.Options{Spec: o.spec, Jobs: 2}
		if models, ok := o.doc.Value("calibration.applies_to.model").([]any); ok && len(models) == 1 {
			opt.Where = fmt.Sprintf("model.name == %q", models[0])
		}
		s, err := calibrate.Score(context.Background(), o.file, 0, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stated := o.stated(t)
		for _, e := range s.Errors {
			if e.Split != results.Inside {
				t.Errorf("%s: %d rows of its own data are %s", name, e.Rows, e.Split)
				continue
			}
			want, ok := stated[e.Metric]
			if !ok {
				continue
			}
			t.Logf("%-38s %-13s stated %5.1f / %5.1f %%, scored %5.1f / %5.1f %% on %d rows", name, e.Metric, 100*want.Median, 100*want.P90, 100*e.Median, 100*e.P90, e.Rows)
			slack := 0.005
			if e.Rows != want.Rows { // rows held out by the specification are scored too
				slack = 0.02
			}
			if off := max(math.Abs(e.Median-want.Median), math.Abs(e.P90-want.P90)); !mean && off > slack+0.1*want.Median {
				t.Errorf("%s: %s is off by %.4f / %.4f, the overlay states %.4f / %.4f: run make calibrations", name, e.Metric, e.Median, e.P90, want.Median, want.P90)
			}
		}
	}
}

// TestCalibrationsReadme: the table of studies/calibrations/README.md names each
// overlay with the errors that it states, and each specification has one.
func TestCalibrationsReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(calibrations, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range shippedOverlays(t) {
		if strings.TrimSuffix(o.file, ".toml") != strings.TrimSuffix(o.spec, ".spec.toml") {
			continue // of one model
		}
		_, line, ok := strings.Cut(string(readme), "| `"+filepath.Base(o.file)+"` |")
		line, _, _ = strings.Cut(line, "\n")
		for metric, e := range o.stated(t) {
			if text := fmt.Sprintf(" %.1f / %.1f %%", 100*e.Median, 100*e.P90); !ok || !strings.Contains(line, text) {
				t.Errorf("README.md: %s has %s%s: %s", filepath.Base(o.file), metric, text, line)
			}
		}
	}
}
