package doubt

import (
	"fmt"
	"strings"
	"testing"

	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/core/scenario"
)

// good are runs of llama-3.1-8b on one H100: prompt, concurrency, TTFT and TPOT in
// ms.
var good = [][4]float64{{512, 1, 26, 6.6}, {512, 16, 154, 8.4}, {2048, 4, 160, 8}, {8192, 1, 250, 7}, {8192, 16, 1300, 20}}

// read makes conditions of the runs with TTFT and TPOT changed.
func read(t *testing.T, change func(i int, ttft, tpot float64) (float64, float64)) ([]objective.Condition, []*measured.Observation) {
	t.Helper()
	var b strings.Builder
	b.WriteString("hardware,model,tp,engine_version,isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms\n")
	for i, g := range good {
		ttft, tpot := change(i, g[2], g[3])
		fmt.Fprintf(&b, "h100-sxm,llama-3.1-8b,1,vllm 0.11,%g,128,%g,%g,%g\n", g[0], g[1], ttft, tpot)
	}
	f, err := measured.Read("m.csv", []byte(b.String()), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []*measured.Observation
	for i := range f.Rows {
		if err := f.Rows[i].Fill("", ""); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, &f.Rows[i])
	}
	measured.Suspect(rows)
	conds, err := objective.Pair(t.Context(), rows, nil, scenario.NewCatalog("."))
	if err != nil {
		t.Fatal(err)
	}
	return conds, rows
}

// Columns in another unit and exchanged ones are told from a chip that is ten times
// as slow or twice as fast as expected, and from a warm prefix cache.
func TestFind(t *testing.T) {
	type change = func(i int, ttft, tpot float64) (float64, float64)
	by := func(a, b float64) change {
		return func(_ int, x, y float64) (float64, float64) { return a * x, b * y }
	}
	for name, c := range map[string]struct {
		change   change
		want     []string // in the doubts, in order
		sure     bool
		suspects string // in those of the rows
	}{
		"good":                {by(1, 1), nil, false, ""},
		"ten times as slow":   {by(10, 10), nil, false, ""},
		"twice as fast":       {by(0.5, 0.5), nil, false, ""},
		"a warm prefix cache": {func(_ int, _, y float64) (float64, float64) { return 1.5 * y, y }, nil, false, "warm prefix cache"},
		"TTFT in s":           {by(1e-3, 1), []string{"m.csv: ttft_mean_ms is about 1/"}, true, ""},
		"TPOT in s":           {by(1, 1e-3), []string{"m.csv: tpot_mean_ms is about 1/"}, true, ""},
		"both in s":           {by(1e-3, 1e-3), []string{"in 5 of 5 rows (m.csv:2 m.csv:3 m.csv:4 …): likely seconds; if so, call the column ttft_mean_s", "call the column tpot_mean_s"}, true, ""},
		"TPOT in us":          {by(1, 1e3), []string{"likely microseconds"}, true, ""},
		"TTFT in us":          {by(1e3, 1), []string{"m.csv: ttft_mean_ms is about "}, false, ""},
		"TPOT in ns":          {by(1, 1e6), []string{"likely another unit than ms"}, true, ""},
		"exchanged": {
			func(_ int, x, y float64) (float64, float64) { return y, x },
			[]string{"m.csv: ttft_mean_ms and tpot_mean_ms are likely exchanged"},
			true, "",
		},
		"one row in s": {func(i int, x, y float64) (float64, float64) {
			if i == 1 {
				return x / 1e3, y
			}
			return x, y
		}, nil, false, "another unit: ttft_mean_ms 0.154 ms is 1/"},
	} {
		conds, rows := read(t, c.change)
		got, err := Find(t.Context(), conds, rows, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %q", name, got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i].Text, want) || got[i].Sure != c.sure {
				t.Errorf("%s: %v, want %q, sure %v", name, got[i], want, c.sure)
			}
		}
		var suspects []string
		for _, o := range rows {
			suspects = append(suspects, o.Suspects...)
		}
		if text := strings.Join(suspects, "; "); (text == "") != (c.suspects == "") || !strings.Contains(text, c.suspects) {
			t.Errorf("%s: rows are suspected of %q, want %q", name, text, c.suspects)
		}
	}
}

// Rows that were dropped for their unit are evidence, even where no other is left.
func TestAllDropped(t *testing.T) {
	_, rows := read(t, func(_ int, _, _ float64) (float64, float64) { return 0.002, 0.002 })
	for _, o := range rows {
		if !strings.HasPrefix(o.Dropped, measured.WrongUnit) {
			t.Fatalf("not dropped: %q", o.Dropped)
		}
	}
	got, err := Find(t.Context(), nil, rows, 1)
	if err != nil || len(got) != 2 || !got[0].Sure || !strings.Contains(got[0].Text, "far below what is possible on the chip and the model, in 5 of 5 rows") {
		t.Errorf("%v, %v", got, err)
	}
}
