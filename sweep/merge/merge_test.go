package merge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/memo"
)

// knows makes a folder that knows what one run gave.
func knows(t *testing.T, r core.Result, limit core.Limit) string {
	t.Helper()
	dir := t.TempDir()
	m, err := memo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	sim := m.Wrap(func(context.Context, *scenario.Scenario, core.Options) (core.Result, error) { return r, nil })
	_, err = sim(t.Context(), &scenario.Scenario{}, core.Options{Limit: limit})
	if err = errors.Join(err, m.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What is gathered is what the limits of the study ask for; results that differ are
// refused also where a timeout of these limits is taken before them.
func TestGatherLimits(t *testing.T) {
	few := core.Limit{Events: 100}
	long := knows(t, core.Result{Status: core.OK, Events: 300}, core.Limit{})
	other := knows(t, core.Result{Status: core.OK, Events: 301}, core.Limit{})
	over := knows(t, core.Result{Status: core.Timeout, Events: 100}, few)
	for _, limit := range []core.Limit{{}, few} {
		for _, from := range [][]string{{long, over, other}, {over, long, other}, {long, other, over}} {
			if _, err := Gather(t.Context(), t.TempDir(), from, limit); !errors.Is(err, ErrDisagree) || !strings.Contains(err.Error(), long+" and in "+other) {
				t.Error(err)
			}
		}
		for _, from := range [][]string{{long, over}, {over, long, over, long}} {
			dst := t.TempDir()
			if _, err := Gather(t.Context(), dst, from, limit); err != nil {
				t.Fatal(err)
			}
			m, err := memo.Look(t.Context(), dst)
			if err != nil {
				t.Fatal(err)
			}
			want := map[core.Limit]core.Status{{}: core.OK, few: core.Timeout}[limit]
			if r, err := m.Recall(t.Context(), &scenario.Scenario{}, core.Options{Limit: limit}); err != nil || r.Status != want {
				t.Errorf("%v: %s %v, want %s", limit, r.Status, err, want)
			}
			m.Close()
		}
	}
}
