package scene

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/page"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

func open(t *testing.T, meta results.Meta, points []sample.Point) *Scene {
	t.Helper()
	v := sample.Open(t, meta, points...)
	return New(v, v.Metrics())
}

var loadAxes = []results.Axis{
	{Path: "workload.load", Kind: table.Float64},
	{Path: "engine.max_num_seqs", Kind: table.Int64},
	{Path: "hardware.bandwidth_gb_s", Kind: table.Float64, Unit: "GB/s"},
	{Path: "hardware.name", Kind: table.String},
}

// grid is 4 loads x 3 caps x 4 bandwidths x 2 machines that differ in nothing; a
// load beyond 1 saturates.
func grid() (out []sample.Point) {
	for i := range 96 {
		load, seqs, bandwidth := []float64{0.3, 0.6, 0.9, 1.2}[i%4], []int64{1, 2, 4}[i/4%3], 1000*float64(1+i/12%4)
		p := sample.Point{Axes: []any{load, seqs, bandwidth, []string{"a", "b"}[i/48]}, TPOT: []float64{float64(seqs) + 10/(1.3-load) + 1000/bandwidth}, State: view.Steady}
		if load > 1 {
			p.State = view.Saturated
		}
		out = append(out, p)
	}
	return out
}

// Axes that change nothing fold; too many lines become a slice that says what it
// leaves out; loads beyond 1 are shaded, and hollow.
func TestRates(t *testing.T) {
	s := open(t, results.Meta{Axes: loadAxes}, grid()).Rates()
	if len(s.Charts) != 2 {
		t.Fatalf("%d charts", len(s.Charts))
	}
	c := s.Charts[0]
	if c.Title != "tpot_mean_ms against load, at bandwidth_gb_s = 1000" || len(c.Series) != 3 || c.Series[1].Name != "max_num_seqs = 2" {
		t.Errorf("%q %+v", c.Title, c.Series)
	}
	if !strings.Contains(c.Notes[0], "a slice of the grid: the other 72 points") || !strings.Contains(c.Notes[1], "hollow: saturated (3 points)") {
		t.Errorf("%q", c.Notes)
	}
	if b := c.Bands; len(b) != 1 || b[0].From != 1 || !math.IsInf(b[0].To, 1) || b[0].Label != "all saturated: beyond capacity" {
		t.Errorf("%+v", b)
	}
	if c.Reading != "Lowest tpot_mean_ms 12.00 ms at load = 0.3, max_num_seqs = 1; highest 30.00 ms at load = 0.9, max_num_seqs = 4." {
		t.Error(c.Reading)
	}
	if s := open(t, results.Meta{Axes: loadAxes[1:2]}, []sample.Point{{Axes: []any{int64(1)}, TPOT: []float64{1}}}).Rates(); s.Charts != nil {
		t.Error("latency against a load that nobody gives")
	}
}

// Service levels and the interval of predictions belong to their metric alone.
func TestLimits(t *testing.T) {
	most, least := 20.0, 5.0
	meta := results.Meta{Axes: loadAxes, Report: results.ReportSpec{Limits: []results.Limit{{Metric: "tpot_mean_ms", Max: &most}, {Metric: "output_tok_s", Min: &least}}}}
	m := open(t, meta, grid())
	if l := m.limits("tpot_mean_ms"); len(l) != 1 || l[0].At != 20 || l[0].Label != "SLO: at most 20 ms" {
		t.Errorf("%+v", l)
	}
	if l := m.limits("output_tok_s"); len(l) != 1 || l[0].Label != "SLO: at least 5 tok/s" {
		t.Errorf("%+v", l)
	}
	if l := m.limits("ttft_mean_ms"); l != nil {
		t.Errorf("%+v", l)
	}
	if c := m.Rates().Charts[0]; len(c.Levels) != 1 {
		t.Errorf("%+v %q", c.Levels, c.Notes)
	}
	most = 1e9 // nobody's limit: it would flatten what is drawn
	if c := open(t, meta, grid()).Rates().Charts[0]; len(c.Levels) != 0 || !strings.Contains(strings.Join(c.Notes, " "), "SLO: at most 1000000000 ms, which is far from all values and not drawn") {
		t.Errorf("%+v %q", c.Levels, c.Notes)
	}
}

// Two axes make a map of each metric: numbers upwards, words downwards, no value
// where there is none to rely on. Further axes slice it; more of them make none.
func TestMaps(t *testing.T) {
	axes := loadAxes[:3]
	var points []sample.Point
	for _, p := range grid()[:48] {
		p.Axes = p.Axes[:3]
		points = append(points, p)
	}
	s := open(t, results.Meta{Axes: axes}, points).Maps()
	if len(s.Charts) != 8 || !strings.HasSuffix(s.Charts[2].Title, ", at max_num_seqs = 4") {
		t.Fatalf("%d charts, %+v", len(s.Charts), s.Charts)
	}
	c := s.Charts[0]
	if got := strings.Join(c.Y.Words, " ") + " / " + strings.Join(c.X.Words, " "); got != "4000 3000 2000 1000 / 0.3 0.6 0.9 1.2" {
		t.Error(got)
	}
	if a, b := c.Colour, s.Charts[2].Colour; a.Min != b.Min || a.Max != b.Max || !(a.Max > a.Min) {
		t.Errorf("slices of other colours: %+v %+v", a, b)
	}
	hollow := 0
	for _, e := range c.Cells {
		if e.Hollow && e.Text == "saturated" && math.IsNaN(e.Value) {
			hollow++
		}
	}
	if hollow != 4 || c.Notes[0] != "4 points saturated: no value that may be drawn" {
		t.Errorf("%d hollow, %q", hollow, c.Notes)
	}
	if s := open(t, results.Meta{Axes: loadAxes}, grid()).Maps(); s.Charts != nil {
		t.Error("a map of four axes")
	}
}

// A front is sorted along x and joined, drawn before a bounded number of the
// others; saturated and infeasible points are counted, not drawn.
func TestFronts(t *testing.T) {
	meta := results.Meta{
		Axes:       []results.Axis{{Path: "x", Kind: table.Float64}},
		Objectives: []results.Objective{{Metric: "tpot_mean_ms", Goal: "min"}, {Metric: "output_tok_s", Goal: "max"}},
	}
	var points []sample.Point
	for i := range 2500 {
		points = append(points, sample.Point{Axes: []any{float64(i)}, TPOT: []float64{10 + float64(i)}, State: view.Steady})
	}
	points = append(points, sample.Point{Axes: []any{-1.0}, TPOT: []float64{1}, State: view.Saturated}, sample.Point{Axes: []any{-2.0}, TPOT: []float64{1}, Reason: "too large"})
	charts := open(t, meta, points).Fronts()
	if len(charts) != 1 {
		t.Fatalf("%d charts", len(charts))
	}
	c := charts[0]
	if len(c.Series) != 2 || len(c.Series[0].Points) != maxRest || c.Series[1].Role != page.Front || !c.Series[1].Joined || c.Series[1].Points[0].Ref != "0" {
		t.Errorf("%d series of %d", len(c.Series), len(c.Series[0].Points))
	}
	if got := fmt.Sprint(c.Notes); got != "[2,000 of 2,499 points behind the front are drawn, evenly over the plan 1 point saturated: not drawn, their values are not steady 1 point infeasible, failed or without a value: not drawn]" {
		t.Error(got)
	}
	if !strings.HasSuffix(c.Reading, "Lower and to the right is better.") {
		t.Error(c.Reading)
	}
	if open(t, results.Meta{Axes: meta.Axes}, points[:3]).Fronts() != nil {
		t.Error("a front without objectives")
	}
}

// Fractions are shortened, whole numbers and small ones are not.
func TestWord(t *testing.T) {
	for x, want := range map[any]string{2315.7894736842104: "2315.79", 1234567.0: "1234567", 0.25: "0.25", int64(81920): "81920", "fp8": "fp8", 1e-5: "1e-05", nil: "-"} {
		if got := Word(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

// Two lines are all saturated from the load at which the later of them is; not
// where one is steady further on, or never saturates.
func TestSaturation(t *testing.T) {
	axes := []results.Axis{{Path: "workload.rate_scale", Kind: table.Float64}, {Path: "hardware.name", Kind: table.String}}
	for _, c := range []struct {
		a, b string // of each machine: steady, saturated, unjudged, closed at 1, 2, …
		from float64
	}{
		{"+s", "++ss", 3},
		{"+ss", "+uss", 3},
		{"+sss", "++ss", 3},
		{"+sss", "+s+s", 4},
		{"+sss", "++++", 0},
		{"+sss", "+", 0},
		{"ssss", "ssss", 1},
		{"++++", "++++", 0},
		{"+sss", "cccc", 0},
	} {
		var points []sample.Point
		for k, states := range []string{c.a, c.b} {
			for i, s := range states {
				state := map[rune]view.State{'+': view.Steady, 's': view.Saturated, 'u': view.Unjudged, 'c': view.Bounded}[s]
				points = append(points, sample.Point{Axes: []any{float64(i + 1), []string{"a", "b"}[k]}, TPOT: []float64{10}, State: state})
			}
		}
		m := open(t, results.Meta{Axes: axes}, points)
		x := m.Axes[0]
		l := &curve{x: x, others: m.Axes[1:]}
		l.split(m, m.All)
		bands := m.saturation(l)
		if c.from == 0 && bands != nil || c.from > 0 && (len(bands) != 1 || bands[0].From != c.from || bands[0].Label != "all saturated") {
			t.Errorf("%q and %q: %+v, want from %v", c.a, c.b, bands, c.from)
		}
	}
}

// The ribbon of other runs breaks where a point is saturated.
func TestForecast(t *testing.T) {
	var points []sample.Point
	for i := range 6 {
		nan := math.NaN()
		p := sample.Point{Axes: []any{float64(i + 1)}, TPOT: []float64{float64(10 + i)}, State: view.Steady, Forecast: &results.Forecast{Draws: 9, Lo: []float64{float64(i), nan, nan, nan}, Hi: []float64{float64(i + 20), nan, nan, nan}}}
		if i == 2 {
			p.State = view.Saturated
		}
		points = append(points, p)
	}
	s := open(t, results.Meta{Axes: loadAxes[:1]}, points).Rates()
	if len(s.Charts) == 0 {
		t.Fatal("no chart")
	}
	var got []string
	for _, b := range s.Charts[0].Bands {
		if b.Axis == "" {
			got = append(got, fmt.Sprint(b.Lower))
		}
	}
	if strings.Join(got, " ") != "[[1 0] [2 1]] [[4 3] [5 4] [6 5]]" {
		t.Error(got)
	}
}

// An interval that is larger than its mean is not hidden behind digits.
func TestTold(t *testing.T) {
	m := open(t, results.Meta{Axes: loadAxes[:1]}, []sample.Point{{Axes: []any{0.5}, TPOT: []float64{10, 100, 1000}, State: view.Steady}, {Axes: []any{0.6}, TPOT: []float64{10, 10.1, 9.9}, State: view.Steady}})
	if got := m.Told(m.Metrics[0], 0); got != "370.0 ms, uncertain by more than that (± 1360 ms)" {
		t.Error(got)
	}
	if got := m.Told(m.Metrics[0], 1); got != m.Mean(m.Metrics[0], 1) {
		t.Error(got)
	}
}

// A sentence of several lines names the line of each end, with its place as it
// is; one line runs from one to the other.
func TestReading(t *testing.T) {
	line := func(name string, xy ...float64) page.Series {
		s := page.Series{Name: name}
		for i := 0; i < len(xy); i += 2 {
			s.Points = append(s.Points, page.XYPoint(xy[i], xy[i+1]))
		}
		return s
	}
	one, other := line("short", 32768, 1.1, 65536, 1.3), line("long", 10614.1, 9, 32768, 9.000001, 65536, 2)
	for _, c := range []struct {
		names  string
		series []page.Series
		want   string
	}{
		{"", []page.Series{one}, "y from 1.100 ms at x = 32768 to 1.300 ms at 65536."},
		{"context", []page.Series{one, other}, "Lowest y 1.100 ms at x = 32768, context = short; highest 9.000 ms at x = 10614.1, context = long (the first of 2 equal points)."},
		{"a, b", []page.Series{one, other}, "Lowest y 1.100 ms at x = 32768, short; highest 9.000 ms at x = 10614.1, long (the first of 2 equal points)."},
		{"context", []page.Series{one, {Name: "crossing", Role: page.Cross, Points: []page.Point{page.XYPoint(1, 99)}}}, "y from 1.100 ms at x = 32768 to 1.300 ms at 65536."},
		{"", []page.Series{line("a", 1, 5, 2, 5.0000001)}, "y is 5.000 ms everywhere."},
		{"", []page.Series{line("a", 1, math.NaN())}, "No point has a value that may be relied on."},
	} {
		chart := page.Chart{Names: c.names, X: page.Axis{Label: "x"}, Y: page.Axis{Label: "y", Unit: "ms"}, Series: c.series}
		if got := Reading(&chart); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A large grid of many axes says how many are left out, and draws the worst
// point, at which the colours end.
func TestParallel(t *testing.T) {
	for n, want := range map[int]string{9: "1 further axis not drawn", 11: "3 further axes not drawn"} {
		meta := results.Meta{}
		for k := range n {
			meta.Axes = append(meta.Axes, results.Axis{Path: fmt.Sprintf("x%c", 'a'+k), Kind: table.Float64})
		}
		var points []sample.Point
		for i := range 500 {
			p := sample.Point{TPOT: []float64{1 + float64(i)}, State: view.Steady}
			for k := range n {
				p.Axes = append(p.Axes, float64(i*(k+3)%(11+k)))
			}
			points = append(points, p)
		}
		c := open(t, meta, points).Parallel().Charts[0]
		if got := strings.Join(c.Notes, "|"); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if worst := c.Lines[len(c.Lines)-bestLines-1]; worst.Colour != 500 {
			t.Errorf("the worst line drawn is %v", worst.Colour)
		}
	}
}

// Rounding does not decide which of equal points is named: the next metric does,
// or the plan; and the sentence says how many they are.
func TestTied(t *testing.T) {
	var points []sample.Point
	for i, x := range []float64{17.216000001, 17.216, 17.2160000005, 30} {
		points = append(points, sample.Point{Axes: []any{float64(i)}, TPOT: []float64{x}, State: view.Steady})
	}
	m := open(t, results.Meta{Axes: loadAxes[:1]}, points)
	const want = "lowest 17.22 ms at load = 0 (in the order of the plan the first of 3 equal points); highest 30.00 ms at load = 3"
	if got := m.ranges(m.Metrics[0], m.All); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := m.thin(m.All, m.Metrics[0]); len(got) != 4 {
		t.Error(got)
	}
}
