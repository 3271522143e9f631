package engine

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"scoville/core/metrics"
)

// TestRunMatchesPlain is the engine's main property: jumping and stepping give
// the same requests, totals and latency distributions to 1e-9.
func TestRunMatchesPlain(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	var e Engine
	var out Output
	preempted := 0
	for seed := range n {
		preempted += compare(t, &e, &out, uint64(seed))
		if t.Failed() {
			return
		}
	}
	if preempted < n/20 {
		t.Errorf("only %d of %d trials preempted: the trials are too easy", preempted, n)
	}
}

func FuzzRunMatchesPlain(f *testing.F) {
	f.Add(uint64(1 << 40))
	var e Engine
	var out Output
	f.Fuzz(func(t *testing.T, seed uint64) { compare(t, &e, &out, seed) })
}

// compare runs trial seed both ways and returns 1 if it preempted.
func compare(t *testing.T, e *Engine, out *Output, seed uint64) int {
	t.Helper()
	tr := newTrial(seed)
	if err := tr.cfg.Fits(tr.reqs); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	var want Output
	if err := Plain(context.Background(), tr.m, tr.cfg, tr.reqs, &want); err != nil {
		t.Errorf("seed %d: plain: %v", seed, err)
		return 0
	}
	if err := e.Run(context.Background(), tr.m, tr.cfg, tr.reqs, out); err != nil {
		t.Errorf("seed %d: run: %v", seed, err)
		return 0
	}
	if diff := difference(out, &want); diff != "" {
		t.Errorf("seed %d: %s\n%+v", seed, diff, tr.cfg)
	}
	if want.Preemptions > 0 {
		return 1
	}
	return 0
}

// difference describes the first field in which two outputs disagree.
func difference(got, want *Output) string {
	for i := range want.Requests {
		g, w := reflect.ValueOf(got.Requests[i]), reflect.ValueOf(want.Requests[i])
		for f := range w.NumField() {
			name := w.Type().Field(f).Name
			if !same(g.Field(f), w.Field(f), want.End) {
				return fmt.Sprintf("request %d %s: run %v, plain %v", i, name, g.Field(f), w.Field(f))
			}
		}
	}
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for f := range w.NumField() {
		name := w.Type().Field(f).Name
		if name == "Requests" || name == "Gaps" || name == "Events" {
			continue
		}
		scale := 0.0
		if name == "Peaks" { // window ends are absolute times, which both clocks round
			scale = want.End / Window / 100
		}
		if !same(g.Field(f), w.Field(f), scale) {
			return fmt.Sprintf("%s: run %v, plain %v", name, g.Field(f), w.Field(f))
		}
	}
	a, b := summary(got), summary(want)
	for i, c := range metrics.Columns() {
		if !close(a[i], b[i], want.End) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return fmt.Sprintf("%s: run %v, plain %v", c.Name, a[i], b[i])
		}
	}
	return ""
}

// same compares numbers, and arrays of them, to 1e-9.
func same(a, b reflect.Value, scale float64) bool {
	switch a.Kind() {
	case reflect.Float64:
		return close(a.Float(), b.Float(), scale)
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i), scale) {
				return false
			}
		}
		return true
	}
	return a.Int() == b.Int()
}

func summary(o *Output) metrics.Summary {
	r := metrics.Run{Requests: o.Requests, Gaps: o.Gaps, Chips: 1, End: o.End, Active: o.Active}
	return r.Summarise(nil)
}
