package scenario

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// Every study key that a template may vary: the scenario of a template is the
// one that Resolve gives, to its provenance, its canonical text and the first
// rule that it breaks.
func TestTemplateIsResolve(t *testing.T) {
	layers := []Layer{overlay(t, fitted), {Doc: doc(t, "s.toml", plain)}}
	c := NewCatalog(t.TempDir())
	tried := 0
	for _, f := range Fields() {
		path := strings.Replace(f.Path, "workload.class.NAME.", "workload.class.short.", 1)
		if !Plain(path) {
			continue
		}
		var works []any
		for _, v := range []any{0, 1, 2, 7, 300, 0.25, 0.75, 2.5, 1e4} {
			if x, err := Convert(path, v); err == nil && len(works) < 4 {
				works = append(works, x)
			}
		}
		if len(works) < 2 {
			t.Logf("%s has no two values to try", path)
			continue
		}
		tried++
		first, err := c.Resolve(append(layers[:2:2], values(path, works[0]))...)
		if err != nil {
			t.Fatalf("%s = %v: %v", path, works[0], err)
		}
		tm := first.Template([]string{path})
		for _, v := range works {
			want, err := c.Resolve(append(layers[:2:2], values(path, v))...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tm.Resolve([]Assignment{{path, v}})
			if err != nil {
				t.Fatal(err)
			}
			if !sameAll(got, want) {
				t.Errorf("%s = %v:\n%+v\nwant\n%+v", path, v, got, want)
			}
			if a, b := string(tm.Canonical(nil, got)), string(want.Canonical()); a != b {
				t.Errorf("%s = %v: canonical\n%s\nwant\n%s", path, v, a, b)
			}
			a, b := tm.Validate(got), want.Scenario.Validate()
			if (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
				t.Errorf("%s = %v: %v, want %v", path, v, a, b)
			}
		}
	}
	if tried < 80 {
		t.Errorf("tried %d keys only", tried)
	}
}

// sameAll compares all that Resolve gives; service levels may hold NaN.
func sameAll(a, b *Resolved) bool {
	x, y := *a, *b
	x.origin, y.origin = nil, nil
	for _, r := range []*Resolved{&x, &y} {
		for i := range r.Scenario.SLO {
			if math.IsNaN(r.Scenario.SLO[i].Min) {
				r.Scenario.SLO[i].Min = -math.MaxFloat64
			}
		}
	}
	return reflect.DeepEqual(x, y)
}

// What decides about other values is no number of a template.
func TestPlain(t *testing.T) {
	for path, want := range map[string]bool{
		"hardware.weight_bandwidth_gb_s": true, "engine.max_num_seqs": true, "workload.class.a.prompt_tokens": true,
		"workload.class.a.output_tokens.mean": true, "model.layers": true,
		"workload.duration_s": false, "engine.tp": false, "model.name": false, "engine.prefix_caching": false,
		"hardware.derate.0.factor": false, "slo.ttft_p99_ms.max": false, "no.such": false,
	} {
		if Plain(path) != want {
			t.Errorf("%s: %t", path, !want)
		}
	}
}
