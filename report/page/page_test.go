package page

import (
	"bytes"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

var nan = math.NaN()

// demo has a chart of every kind, and names that would break a page that does
// not escape them.
func demo() *Page {
	evil := "</script><script>alert(\"1\")</script>' \x07\u202e"
	lines := Chart{
		Kind: XY, Title: "TPOT against rate " + evil, Reading: "TPOT grows with the rate until the queue does " + evil,
		X: Axis{Label: "rate", Unit: "rps"}, Y: Axis{Label: "tpot_mean_ms", Unit: "ms"},
		Series: []Series{
			{Name: "h100-sxm", Joined: true, Points: []Point{{X: 1, Y: 14, Lo: 13.5, Hi: 14.5, Ref: "0"}, {X: 2, Y: 15, Lo: 14.4, Hi: 15.6, Ref: "1"}, {X: 4, Y: nan, Lo: nan, Hi: nan}, {X: 8, Y: 19, Lo: 18, Hi: 20, Ref: "2"}, {X: 16, Y: 400, Lo: nan, Hi: nan, Hollow: true}}},
			{Name: evil, Joined: true, Dashed: true, Points: []Point{XYPoint(1, 10), XYPoint(2, 11), XYPoint(8, 12), XYPoint(16, 16)}},
		},
		Bands:  []Band{{Label: "saturated", Axis: "x", From: 12, To: math.Inf(1)}},
		Levels: []Level{{Axis: "y", At: 18, Label: "SLO 18 ms"}},
	}
	fit := Chart{
		Kind: XY, Title: "measured against simulated", Reading: "points inside the band are within 10 %",
		X: Axis{Label: "measured", Unit: "ms", Log: true}, Y: Axis{Label: "simulated", Unit: "ms", Log: true}, Marks: "metric",
		Series: []Series{{Name: "fitted", Points: []Point{{X: 10, Y: 11, Lo: nan, Hi: nan, Mark: "TTFT"}, {X: 120, Y: 110, Lo: nan, Hi: nan, Mark: "TPOT"}}}, {Name: "held out", Points: []Point{{X: 1100, Y: 1400, Lo: nan, Hi: nan, Mark: "TTFT"}}}},
		Bands:  []Band{{Label: "within 10 %", Lower: [][2]float64{{5, 4.5}, {2000, 1800}}, Upper: [][2]float64{{5, 5.5}, {2000, 2200}}}},
		Levels: []Level{{Line: [][2]float64{{5, 5}, {2000, 2000}}}},
	}
	cdf := Chart{
		Kind: XY, Title: "distribution of TTFT", Reading: "nine of ten below 210 ms", X: Axis{Label: "TTFT", Unit: "ms", Log: true}, Y: Axis{Label: "share of requests", Min: 0, Max: 1},
		Series: []Series{{Name: "short", Joined: true, Step: true, Points: []Point{XYPoint(20, 0), XYPoint(30, 0.5), XYPoint(210, 0.9), XYPoint(700, 1)}}},
	}
	tornado := Chart{Kind: Bars, Title: "change of TPOT", Reading: "weight bandwidth matters most", X: Axis{Label: "change of tpot_mean_ms", Unit: "%"}, Kinds: []string{"parameter lower", "parameter higher"}, Rows: []Row{
		{Name: "weight_bandwidth_gb_s", Bars: []Bar{{24.9, 24.1, 25.7, 0, "-20%: +24.9%", "1"}, {-16.2, -17, -15.4, 1, "+20%: -16.2%", ""}}},
		{Name: "onchip_kv_mib", Bars: []Bar{{nan, nan, nan, 0, "-20%: saturated", ""}}},
	}, Floor: Level{At: 3, Label: "chance"}}
	stack := Chart{Kind: Stack, Title: "where a run spends its time", Reading: "memory bounds it", X: Axis{Label: "time", Unit: "ms"}, Kinds: []string{"compute", "memory", "host"}, Rows: []Row{{Name: "decode", Ref: "0/step", Bars: []Bar{{2, nan, nan, 0, "16.7 %", ""}, {9, nan, nan, 1, "75.0 %", ""}, {1, nan, nan, 2, "8.3 %", ""}}}, {Name: "prefill", Bars: []Bar{{8, nan, nan, 0, "", ""}, {2, nan, nan, 1, "", ""}, {0.5, nan, nan, 2, "", ""}}}}}
	heat := Chart{Kind: Heat, Title: "TTFT over two axes", Reading: "best at the top right", X: Axis{Label: "rate", Unit: "rps", Words: []string{"1", "2", "4"}}, Y: Axis{Label: "bandwidth", Unit: "GB/s", Words: []string{"3000", "6000"}}, Colour: Axis{Label: "ttft_p99_ms", Unit: "ms", Better: "lower"}, Cells: []Cell{{0, 0, 120, "", false, "0"}, {1, 0, 240, "", false, ""}, {2, 0, nan, "saturated", true, ""}, {0, 1, 80, "", false, ""}, {1, 1, 100, "", false, ""}, {2, 1, 300, "", false, ""}}}
	parallel := Chart{Kind: Parallel, Title: "every point", Reading: "dark lines are fast", Axes: []Axis{{Label: "chips"}, {Label: "rate", Unit: "rps", Log: true}, {Label: "model", Words: []string{"7b", "70b"}}, {Label: "tpot", Unit: "ms"}}, Colour: Axis{Label: "tpot", Unit: "ms", Better: "lower"}, Lines: []Line{{[]float64{1, 1, 0, 14}, 14, "0"}, {[]float64{2, 8, 1, 40}, 40, "1"}, {[]float64{4, 64, 0, nan}, nan, ""}}}
	return &Page{
		Title: "demo " + evil, Kind: "sweep report", Answer: "The answer " + evil, Lead: []string{"3 points", evil},
		Sections: []Section{
			{ID: "lines", Title: "Lines " + evil, Charts: []Chart{lines, fit, cdf}, Tables: []Table{{Title: "t", Head: []string{"name", "ms"}, Rows: [][]string{{evil, "12.3 ± 0.1"}, {"b", "~"}}, Notes: []string{evil}}}, Notes: []string{evil}},
			{ID: "rows", Title: "Rows", Charts: []Chart{tornado, stack, heat, parallel}, Texts: []Text{{"explanation", "a  b\n\x1b[31m" + evil}}},
			{ID: "more", Title: "More", Folded: true, Charts: []Chart{{Kind: XY, Title: "none", Reading: "nothing", Series: []Series{{Name: "x"}}}}},
		},
		Footer:  []string{evil},
		Points:  Points{Head: []string{"hardware", "rate"}, Rows: map[string][]string{"0": {"h100", "1"}, "1": {evil, "2"}, "2": {"h200", "8"}}, Command: "sweep show DIR --point %s"},
		Details: map[string]Detail{"0": {Title: "point 0", Lines: []string{evil}, Charts: []Chart{stack}, Texts: []Text{{"sweep show", evil}}}, "0/step": {Title: "a step of point 0", Up: "0", Charts: []Chart{stack}, Tables: []Table{{Head: []string{"a", "b"}, Rows: [][]string{{"x", "1"}}}}}},
	}
}

// The same value gives the same bytes, and text of others stays text.
func TestHTML(t *testing.T) {
	first, err := demo().HTML()
	if err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("PAGE_DEMO"); path != "" {
		if err := os.WriteFile(path, first, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second, _ := demo().HTML()
	if !bytes.Equal(first, second) {
		t.Error("the same page has other bytes")
	}
	own := string(first)
	for _, name := range append([]string{"page.css"}, scripts...) {
		own = strings.Replace(own, asset(name), "", 1)
	}
	if n := strings.Count(own, "<script"); n != len(scripts)+1 {
		t.Errorf("%d scripts", n)
	}
	if bad := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x{202e}]|alert\("|style=|\son[a-z]+=|https?://`).FindString(own); bad != "" {
		t.Errorf("%q in the page", bad)
	}
	for _, want := range []string{
		"default-src &#39;none&#39;; script-src &#39;sha256-", "; style-src &#39;sha256-", `role="img"`, "12.3 ± 0.1", `\u003c/script\u003e`, `id="plot-rows-c3"`,
		"13.5 to 14.5", `<td class="n">14</td>`, "saturated", `\\u0007`, `\u001b`, `<details class="fold">`, "Apache License 2.0",
	} {
		if !strings.Contains(own, want) {
			t.Errorf("no %q", want)
		}
	}
}

// Numbers without a value are null, and what is missing at the end is left out.
func TestEncode(t *testing.T) {
	c := Chart{ID: "a", Kind: XY, Marks: "m", Series: []Series{{Name: "s", Points: []Point{XYPoint(1, 2.5), {X: 1e-9, Y: nan, Lo: nan, Hi: nan, Ref: "7"}, {X: 1, Y: 2, Lo: 1, Hi: 3, Mark: "b"}}}}, Bands: []Band{{Axis: "x", From: 1, To: math.Inf(1)}}}
	p := Page{Title: "t", Sections: []Section{{Charts: []Chart{c}}}}
	out, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"points":[[1,2.5],[1e-09,null,null,null,0,0,"7"],[1,2,1,3,0,1]]`, `{"axis":"x","from":1,"label":"","to":null}`, `"markNames":["b"]`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
}

// A page that contradicts itself is refused.
func TestCheck(t *testing.T) {
	for name, p := range map[string]Page{
		"twice":   {Sections: []Section{{ID: "a"}, {ID: "a"}}},
		"letters": {Sections: []Section{{ID: "a b"}}},
		"kind":    {Sections: []Section{{Charts: []Chart{{Kind: "pie"}}}}},
		"detail":  {Details: map[string]Detail{"1": {Charts: []Chart{{Kind: "pie"}}}}},
	} {
		if _, err := p.HTML(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What is a number with its interval or unit, and what a name that begins with
// one.
func TestNumeric(t *testing.T) {
	for text, want := range map[string]bool{
		"12.3 ± 0.1": true, "+16304.6% ± 671.7": true, "-20%: +24.9%": true, "80.6 ± 0.7 [71.10 .. 92.71]": true, "1,234": true, "< 0.001": true, "17.30 ms": true, "0 %": true, "1e-05": true,
		"16384_x_16": false, "h100": false, "": false, "4 more of 5 points that are not what they seem": false, "~": false,
	} {
		if got := numeric(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A saturated point has no latency among the numbers, neither along x nor y; its
// throughput stays, and the word stands beside it.
func TestHollow(t *testing.T) {
	points := []Point{{X: 8, Y: 228.776, Lo: 115.752, Hi: 341.799, Hollow: true}}
	latency, rate := Axis{Label: "ttft_mean_ms", Unit: "ms", Lost: true}, Axis{Label: "rate_rps"}
	for _, c := range []struct {
		x, y Axis
		want string
	}{
		{rate, latency, "series a, rate_rps 8, ttft_mean_ms (ms) saturated"},
		{rate, Axis{Label: "output_tok_s"}, "series a, rate_rps 8, output_tok_s 228.776, 95 % interval 115.752 to 341.799,  saturated"},
		{latency, latency, "series a, ttft_mean_ms (ms) saturated, ttft_mean_ms (ms) saturated"},
		{latency, rate, "series a, ttft_mean_ms (ms) saturated, rate_rps 228.776, 95 % interval 115.752 to 341.799,  saturated"},
	} {
		n := (&Chart{Kind: XY, X: c.x, Y: c.y, Series: []Series{{Name: "a", Points: points}}}).numbers()
		var got []string
		for i, h := range n.Head {
			got = append(got, h+" "+n.Rows[0][i])
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where lines cross nothing was simulated: it is not among the numbers.
func TestCrossIsNoNumber(t *testing.T) {
	c := &Chart{Kind: XY, Series: []Series{{Name: "a", Points: []Point{XYPoint(1, 2)}}, {Name: "crossing", Role: Cross, Points: []Point{XYPoint(1.5, 2.5)}}}}
	if n := c.numbers(); len(n.Rows) != 1 || n.Rows[0][0] != "a" {
		t.Errorf("%+v", n.Rows)
	}
}

// Long tables are cut and say so; columns of numbers stand to the right.
func TestTable(t *testing.T) {
	rows := make([][]string, 10)
	for i := range rows {
		rows[i] = []string{"a", "+1.0 ± 0.2", "saturated", "3 of 4 points are what this says at length"}
	}
	v := (&Table{Head: []string{"w", "x", "y", "z"}, Rows: rows, Notes: []string{"n"}, Max: 4, Whole: "points.parquet"}).view()
	if len(v.Rows) != 4 || v.Notes[0] != "the first 4 of 10 rows: all are in points.parquet" || v.Notes[1] != "n" {
		t.Errorf("%+v", v)
	}
	if h := (&Table{Head: []string{"point", "figure"}, Rows: [][]string{{"7 (not judged)", "8 K tokens"}}}).view().Head; h[0].Class != "n" || h[1].Class != "n" {
		t.Errorf("%+v", h)
	}
	if h := (&Table{Head: []string{"figure"}, Rows: [][]string{{"8 K tokens"}, {"32 K tokens"}}}).view().Head; h[0].Class != "" {
		t.Errorf("%+v", h)
	}
	if v.Head[0].Class+v.Head[1].Class+v.Head[2].Class+v.Head[3].Class != "n" || v.Rows[0][1].Class != "n" {
		t.Errorf("%+v", v.Head)
	}
}
