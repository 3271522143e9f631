package fitted

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/results"
	"scoville/report/page"
)

// fit is a record with a parameter of each kind, and rows of two levels of load.
func fit() (*results.Fit, []Row) {
	f := &results.Fit{
		Status: "converged", Rows: 4, Conditions: 4, HeldOut: "each of concurrency = 8 in turn", Agreement: "2 of 3 starts agree", Condition: 42, Weak: "b up with c down",
		AppliesTo: results.AppliesTo{Hardware: []string{"h100-sxm"}, Model: []string{"llama-3.1-70b"}},
		Dropped:   []results.Dropped{{Reason: "saturated", Rows: []string{"m.csv:9"}}},
		Parameters: []results.Parameter{
			{Name: "a", Value: 0.5, Lo: 0.45, Hi: 0.55, Min: 0.1, Max: 1, Init: 0.6, Prior: &results.Prior{Center: 0.6, SDLn: 0.3}},
			{Name: "b", Value: 400, Lo: 100, Hi: 1600, Min: 1, Max: 2000, Init: 450, Notes: []string{"WEAK: interval spans 16x"}},
			{Name: "c", Value: 8, Lo: 2, Hi: 32, AsPrior: true},
			{Name: "d", Value: 1, Lo: 0.9, Hi: 1, AtBound: true},
			{Name: "e", Value: 3, Held: true, Notes: []string{"held"}},
		},
		Free:       []string{"a", "b", "c", "d"},
		Covariance: [][]float64{{1, 0, 0, 0}, {0, 4, -3.8, 0}, {0, -3.8, 4, 0}, {0, 0, 0, 1}},
		Errors: []results.Error{
			{Metric: "ttft_mean_ms", Split: results.Fitted, Rows: 4, Median: 0.03, P90: 0.06},
			{Metric: "ttft_mean_ms", Split: results.HeldOut, Rows: 20, Median: 0.05, P90: 0.08},
		},
		Baselines: []results.Error{{Metric: "ttft_mean_ms", Split: results.LogLinear, Rows: 2, Median: 0.04, P90: 0.2}},
		Coverage:  []results.Coverage{{Metric: "ttft_mean_ms", Share: 0.9, Rows: 20, Inside: 10, Width: 1.2}},
		Starts:    []results.Start{{To: []float64{0.5, 400, 8, 1, 3}, Cost: 10, Status: "converged", Polished: true}, {To: []float64{0.4, 300, 8, 1, 3}, Cost: 5, Status: "converged"}},
		Validity:  []results.Range{{Path: "workload.concurrency", Lo: 4, Hi: 64}, {Path: "engine.tp", Lo: 2, Hi: 2}},
	}
	nan := math.NaN()
	var rows []Row
	for i, c := range []float64{4, 8, 32, 64} {
		r := Row{File: "m.csv", Line: i + 2, Hardware: "h100-sxm", Model: "llama-3.1-70b", TP: 2, Prompt: 1024, Output: 256, Concurrency: c, Rate: nan, Metric: "ttft_mean_ms", Split: results.Fitted, Measured: 100 * c, Predicted: 103 * c, Lo: nan, Hi: nan}
		rows = append(rows, r)
		if c == 8 {
			r.Split, r.Predicted, r.Lo, r.Hi = results.HeldOut, 100*c*1.2, 100*c, 100*c*1.5
			rows = append(rows, r)
		}
	}
	rows = append(rows, Row{File: "m.csv", Line: 9, Rate: nan, Concurrency: 256, Metric: "output_tok_s", Split: results.Saturated, Measured: 1000, Predicted: 1100, Lo: nan, Hi: nan})
	return f, rows
}

// The page answers first, and says what its numbers rest on.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		change func(*results.Fit)
		want   string
	}{
		{func(*results.Fit) {}, "Can be trusted for llama-3.1-70b on h100-sxm, inside what was measured: on rows it had not seen it is off by 5.0 % in mean TTFT (90th percentile 8.0 %)."},
		{func(f *results.Fit) { f.Errors[1].Median = 0.15 }, "Good for trends, not for limits, of llama"},
		{func(f *results.Fit) { f.Errors[1].Rows = 1 }, "Too little was held out, 1 row, to trust it for llama-3.1-70b on h100-sxm, inside what was measured: on rows it had not seen it is off by 5.0 % in mean TTFT."},
		{func(f *results.Fit) { f.Errors[1].Median = 0.5 }, "Not to be trusted for llama"},
		{func(f *results.Fit) { f.Errors = f.Errors[:1] }, "but nothing was held out"},
		{func(f *results.Fit) { f.Status = "not converged" }, "Not to be trusted: the search ended not converged."},
		{func(f *results.Fit) {
			f.Errors[0].Median = 585
			f.Judge()
		}, "The fit does not describe the data: ttft_mean_ms is off by 58500.0 % in the median. A column in another unit"},
		{func(f *results.Fit) {
			f.Gates = []results.Gate{{What: "held-out ttft_mean_ms", Value: 0.2, Limit: 0.1}}
		}, "Not good enough by its own requirements: held-out ttft_mean_ms is 20.0 %, over its limit of 10.0 %."},
	} {
		f, rows := fit()
		c.change(f)
		if p := Page("x.toml", f, rows); !strings.Contains(p.Answer, c.want) {
			t.Errorf("%q, want %q", p.Answer, c.want)
		}
	}
	f, rows := fit()
	lead := strings.Join(Page("x.toml", f, rows).Lead, "\n")
	for _, want := range []string{"does not beat log-linear interpolation", "they hold 10 of 20", "1 known, 1 weak, 1 as its prior, 1 at a bound, 1 held", "1 row left out: 1 saturated"} {
		if !strings.Contains(lead, want) {
			t.Errorf("no %q in\n%s", want, lead)
		}
	}
}

func charts(p *page.Page, section string) (out []page.Chart) {
	for _, s := range p.Sections {
		if s.ID == section {
			out = append(out, s.Charts...)
		}
	}
	return out
}

// Every row is drawn, of its split, with the row that it is of; conditions that do
// not vary have no picture.
func TestCharts(t *testing.T) {
	f, rows := fit()
	p := Page("x.toml", f, rows)
	m := charts(p, "measured")
	if len(m) != 2 || len(m[0].Series) != 2 || len(m[0].Series[0].Points) != 4 || m[1].X.Unit != "tok/s" || m[1].Series[0].Name != results.Saturated {
		t.Fatalf("%+v", m)
	}
	if !strings.Contains(m[0].Reading, "4 of 4 fitted rows and 0 of 1 held out rows") || !m[0].X.Log {
		t.Error(m[0].Reading)
	}
	held := m[0].Series[1].Points[0]
	if held.Ref != "m.csv:3" || held.Lo != 800 || held.Text != "+20.0 %, held out" || p.Points.Rows["m.csv:3"][8] != "8" {
		t.Errorf("%+v %q", held, p.Points.Rows["m.csv:3"])
	}
	r := charts(p, "residuals")
	if len(r) != 1 || r[0].X.Label != "concurrency" || !r[0].X.Log || r[0].Y.Max < 20 {
		t.Errorf("%+v", r)
	}
	for i := range rows {
		rows[i].Prompt = 256 * rows[i].Concurrency
	}
	p = Page("x.toml", f, rows)
	if lines := strings.Join(p.Sections[2].Lines, "\n"); len(charts(p, "residuals")) != 1 || !strings.Contains(lines, "The input length moves with the concurrency in every row") {
		t.Error(lines)
	}
	c := charts(p, "parameters")[0]
	if row := c.Table.Rows[2]; strings.Join(row, "|") != "b|fitted|400|100 to 1600|" || c.Rows[1].Bars[0].Hi != widest {
		t.Errorf("the ends of the interval, not where the bar is cut: %q", row)
	}
	if i := charts(p, "measured")[0].Interval; i != "90 % interval" {
		t.Error(i)
	}
	if c := charts(p, "apart"); len(c) != 1 || len(c[0].Cells) != 6 || c[0].Cells[2].Text != "-0.95" {
		t.Errorf("%+v", c)
	}
	if c := charts(p, "parameters"); len(c) != 1 || len(c[0].Rows) != 4 || len(c[0].Rows[0].Bars) != 2 || c[0].Rows[1].Bars[0].Hi != widest {
		t.Errorf("%+v", c)
	}
	if c := charts(p, "starts"); len(c) != 1 || len(c[0].Series) != 2 || c[0].Series[0].Points[0].Y != 1 || c[0].Series[1].Points[0].Y != 1 {
		t.Errorf("%+v", c)
	}
	if _, err := p.HTML(); err != nil {
		t.Error(err)
	}
}

// Many rows are thinned, with a note.
func TestThin(t *testing.T) {
	f, _ := fit()
	var rows []Row
	for i := range 10_000 {
		rows = append(rows, Row{File: "m.csv", Line: i + 1, Concurrency: float64(1 + i%7), Metric: "tpot_mean_ms", Split: results.Fitted, Measured: 10, Predicted: 11})
	}
	c := charts(Page("x.toml", f, rows), "measured")[0]
	if n := len(c.Series[0].Points); n > maxPoints || n < maxPoints/2 || !strings.Contains(strings.Join(c.Notes, "\n"), fmt.Sprintf("%d of 10000 rows are drawn", n)) {
		t.Errorf("%d points, %q", n, c.Notes)
	}
}

// The page is made of the files that a fit leaves, and the same files give the same
// bytes.
func TestWrite(t *testing.T) {
	f, _ := fit()
	overlay := filepath.Join(t.TempDir(), "x.toml")
	residual := results.Residual{File: "m.csv", Line: 2, Hardware: "<i>x9</i>", Concurrency: 4, Rate: math.NaN(), Metric: "ttft_mean_ms", Split: results.Fitted, Measured: 10, Predicted: 11, Sigma: 0.1, Lo: math.NaN(), Hi: math.NaN()}
	if err := results.Write(overlay, f, []results.Residual{residual}); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for range 2 {
		if err := Write(overlay); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(Path(overlay))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "m.csv:2") || strings.Contains(texts[0], "<i>x9") {
		t.Error("not the same, not of the files, or not escaped")
	}
	if Write(filepath.Join(t.TempDir(), "none.toml")) == nil {
		t.Error("a page of nothing")
	}
}

// A score has a page of its own, which fits nothing and claims nothing of a fit.
func TestScorePage(t *testing.T) {
	_, rows := fit()
	for i := range rows {
		if rows[i].Split == results.Fitted {
			rows[i].Split = results.Inside
		}
	}
	s := &results.Score{Overlay: "h100.toml", Rows: 4, Conditions: 4, Errors: []results.Error{{Metric: "ttft_mean_ms", Split: results.Inside, Rows: 4, Median: 0.03}, {Metric: "ttft_mean_ms", Split: results.Elsewhere, Rows: 4, Median: 0.3}}}
	p := ScorePage("out.score.json", s, rows)
	if want := "h100.toml is off by 3.0 % in mean TTFT, on the 4 rows where it holds."; p.Answer != want || p.Title != "out" || p.Kind != "calibrate score" {
		t.Errorf("%q, want %q", p.Answer, want)
	}
	if lead := strings.Join(p.Lead, "\n"); !strings.Contains(lead, "not applicable: off by 30.0 %") {
		t.Error(lead)
	}
	for _, section := range p.Sections {
		if slices.Contains([]string{"parameters", "apart", "starts", "next"}, section.ID) || strings.Contains(strings.Join(section.Lines, " "), "pattern") {
			t.Errorf("%+v", section)
		}
	}
	if _, err := p.HTML(); err != nil {
		t.Error(err)
	}
	s.Errors = s.Errors[1:]
	if p := ScorePage("out.score.json", s, rows); !strings.Contains(p.Answer, "holds for none") {
		t.Error(p.Answer)
	}
	s.Gates = []results.Gate{{What: "ttft_mean_ms", Value: 0.3, Limit: 0.1}}
	if p := ScorePage("out.score.json", s, rows); !strings.Contains(p.Answer, "does not meet what was asked") {
		t.Error(p.Answer)
	}
}
