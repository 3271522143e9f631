package chart

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func line(name string, y func(x float64) float64, xs ...float64) Line {
	l := Line{Name: name}
	for _, x := range xs {
		l.Points = append(l.Points, Point{X: x, Y: y(x), Lo: math.NaN(), Hi: math.NaN()})
	}
	return l
}

// Crossings of power laws are exact in logarithms, those of straight lines on
// linear axes.
func TestCrossings(t *testing.T) {
	xs := []float64{1, 3, 10, 100, 1000}
	straight := func(a, b float64) func(float64) float64 { return func(x float64) float64 { return a + b*x } }
	power := func(a, b float64) func(float64) float64 {
		return func(x float64) float64 { return a * math.Pow(x, b) }
	}
	for _, c := range []struct {
		name string
		log  bool
		a, b Line
		want []Crossing
	}{
		{"straight", false, line("a", straight(0, 1), xs...), line("b", straight(20, 0.5), xs...), []Crossing{{A: "a", B: "b", X: 40, Y: 40, Sure: true}}},
		{"power", true, line("a", power(1, 1), xs...), line("b", power(5, 0), xs...), []Crossing{{A: "a", B: "b", X: 5, Y: 5, Sure: true}}},
		{"other points", true, line("a", power(1, 1), 1, 1000), line("b", power(5, 0), 2, 7, 900), []Crossing{{A: "a", B: "b", X: 5, Y: 5, Sure: true}}},
		{"falling x", false, line("a", straight(0, 1), 1000, 1), line("b", straight(20, 0.5), 1, 1000), []Crossing{{A: "a", B: "b", X: 40, Y: 40, Sure: true}}},
		{"parallel", false, line("a", straight(0, 1), xs...), line("b", straight(1, 1), xs...), nil},
		{"apart in x", false, line("a", straight(0, 1), 1, 2), line("b", straight(9, -1), 3, 4), nil},
		{"touching", false, line("a", straight(5, 0), 0, 5, 10), line("b", func(x float64) float64 { return 5 + math.Abs(x-5) }, 0, 5, 10), nil},
		{"equal, then apart", false, line("a", straight(5, 0), 0, 5, 10), line("b", func(x float64) float64 { return 5 * (1 + 1e-13) * max(1, x/5) }, 0, 5, 10), nil},
		{"through equal points", false, line("a", straight(5, 0), 0, 4, 6, 10), line("b", func(x float64) float64 { return map[float64]float64{0: 1, 4: 5, 6: 5, 10: 9}[x] }, 0, 4, 6, 10), []Crossing{{A: "b", B: "a", X: 4, Y: 5, Sure: true}}},
	} {
		chart := Chart{X: Axis{Log: c.log}, Y: Axis{Log: c.log}, Lines: []Line{c.a, c.b}}
		got := chart.Crossings()
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i, w := range c.want {
			if got[i].A != w.A || got[i].B != w.B || got[i].Sure != w.Sure || math.Abs(got[i].X/w.X-1) > 1e-9 || math.Abs(got[i].Y/w.Y-1) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.name, got[i], w)
			}
		}
	}
}

// Nothing is interpolated across a hollow point, nor on a loose line; one that
// turns back is compared piece by piece.
func TestPieces(t *testing.T) {
	rising := func(xs ...float64) Line { return line("a", func(x float64) float64 { return x }, xs...) }
	b := line("b", func(float64) float64 { return 5 }, 0, 20)
	a := rising(0, 10, 20)
	a.Points[1].Hollow = true
	loose := rising(0, 20)
	loose.Loose = true
	for _, c := range []struct {
		name string
		line Line
		want int
	}{
		{"hollow", a, 0},
		{"loose", loose, 0},
		{"there and back", rising(0, 10, 3), 2},
		{"turns beyond", rising(0, 6, 12, 10, 11), 1},
		{"two values at one x", rising(0, 4, 4, 20), 1},
	} {
		chart := Chart{Lines: []Line{c.line, b}}
		got := chart.Crossings()
		if len(got) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		for _, g := range got {
			if g.X != 5 {
				t.Errorf("%s: %v", c.name, g)
			}
		}
	}
}

// A crossing is sure only where the error bars part on both sides of it.
func TestSureCrossings(t *testing.T) {
	bars := func(l Line, half float64) Line {
		for i := range l.Points {
			p := &l.Points[i]
			p.Lo, p.Hi = p.Y-half, p.Y+half
		}
		return l
	}
	flat := func() Line { return line("b", func(float64) float64 { return 5 }, 0, 2, 4, 6, 8, 10) }
	rising := func() Line { return line("a", func(x float64) float64 { return x }, 0, 2, 4, 6, 8, 10) }
	for _, c := range []struct {
		half, from, to float64
		sure           bool
	}{{0, 4, 6, true}, {0.4, 4, 6, true}, {1, 2, 8, true}, {2.4, 0, 10, true}, {2.6, 0, 0, false}} {
		chart := Chart{Lines: []Line{bars(rising(), c.half), bars(flat(), c.half)}}
		got := chart.Crossings()
		if len(got) != 1 || got[0].Sure != c.sure || got[0].From != c.from || got[0].To != c.to {
			t.Errorf("error bars of %v: %+v", c.half, got)
		}
	}
	back := rising() // crosses at 5 and comes back: neither side is sure
	for i := range back.Points {
		back.Points[i].Y = 6 - math.Abs(back.Points[i].X-5)/2
	}
	chart := Chart{Lines: []Line{bars(back, 1.5), bars(flat(), 0.2)}}
	got := chart.Crossings()
	if len(got) != 2 || got[0].Sure || got[1].Sure {
		t.Errorf("a bump inside its error bars: %+v", got)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 1.14: "1.14", 0.0012345: "0.001234", 999.96: "1000", 1234: "1,234", 8568: "8,568", 12850.4: "12,850",
		20000: "20,000", 131072: "131,072", 2.5e6: "2.5M", 3e9: "3G", -1500: "-1,500", 1e-9: "1e-09",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		values []float64
		want   string
	}{
		{Axis{}, []float64{1, 9}, "1 2 3 4 5 6 7 8 9"},
		{Axis{}, []float64{1.13, 1.17}, "1.13 1.135 1.14 1.145 1.15 1.155 1.16 1.165 1.17"},
		{Axis{}, []float64{2e6, 2e6 + 0.002}, "2000000.0000 2000000.0005 2000000.0010 2000000.0015 2000000.0020"},
		{Axis{}, []float64{12345, 12349}, "12345.0 12345.5 12346.0 12346.5 12347.0 12347.5 12348.0 12348.5 12349.0"},
		{Axis{Log: true}, []float64{1, 1000}, "1 2 5 10 20 50 100 200 500 1000"},
		{Axis{Log: true}, []float64{1, 9}, "1 1.5 2 3 4 5 6 8 10"},
		{Axis{Log: true}, []float64{4.5, 17}, "5 6 8 10 15"},
		{Axis{Log: true}, []float64{2.2, 11}, "3 4 5 6 8 10"},
		{Axis{Log: true}, []float64{10, 14}, "10 10.5 11 11.5 12 12.5 13 13.5 14"},
		{Axis{Log: true, Ticks: []float64{1024, 8192, 131072}}, []float64{1024, 131072}, "1,024 8,192 131,072"},
		{Axis{Ticks: []float64{1, 2, 1000}}, []float64{1, 1000}, "0 200 400 600 800 1000"},
		{Axis{Words: []string{"fcfs", "static"}}, []float64{0, 1}, "fcfs static"},
		{Axis{}, []float64{5, 5}, "2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5"},
		{Axis{}, nil, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"},
	} {
		s := newScale(&c.axis, c.values, 640)
		var got []string
		for _, k := range s.ticks(60) {
			if k.label != "" {
				got = append(got, k.label)
			}
		}
		if strings.Join(got, " ") != strings.ReplaceAll(c.want, "1000", "1,000") {
			t.Errorf("%+v %v: %q, want %q", c.axis, c.values, strings.Join(got, " "), c.want)
		}
	}
}

// A vertical axis begins at 0 where the smallest value, with its interval, lies far
// below the largest.
func TestBegin(t *testing.T) {
	for _, c := range []struct {
		log    bool
		values []float64
		zero   bool
	}{
		{false, []float64{1.23, 2.2}, true},
		{false, []float64{1.4, 2.2}, false},
		{false, []float64{-1, 2}, false},
		{true, []float64{1, 9}, false},
	} {
		s := newScale(&Axis{Log: c.log}, c.values, 300)
		if s.begin(); (s.lo == 0) != c.zero {
			t.Errorf("%+v: begins at %g", c, s.lo)
		}
	}
}

// An error bar that a logarithmic axis has no end for runs down to it without a cap,
// and parts from no line below it.
func TestOpenWhisker(t *testing.T) {
	paths := func(lo float64) int {
		c := &Chart{Y: Axis{Log: true}, Lines: []Line{{Points: []Point{{X: 1, Y: 10, Lo: lo, Hi: 20}, {X: 2, Y: 100, Lo: math.NaN(), Hi: math.NaN()}}}}}
		return bytes.Count(c.SVG(), []byte("<path"))
	}
	if closed, open := paths(10.0/3), paths(-3); open != closed-1 {
		t.Errorf("%d paths, %d with both caps", open, closed)
	}
	c := &Chart{Y: Axis{Log: true}, Lines: []Line{
		{Name: "a", Points: []Point{{X: 1, Y: 10, Lo: -1, Hi: 30}, {X: 2, Y: 10, Lo: -1, Hi: 30}}},
		{Name: "b", Points: []Point{{X: 1, Y: 1, Lo: 1, Hi: 1}, {X: 2, Y: 100, Lo: 100, Hi: 100}}},
	}}
	if found := c.Crossings(); len(found) != 1 || found[0].Sure {
		t.Errorf("%+v, want one that is not sure", found)
	}
}

// headline is a chart with everything on it.
func headline() *Chart {
	xs := []float64{500, 1000, 2000, 4000, 8000, 16000, 32000, 64000}
	c := &Chart{
		Title: "TPOT against resident tokens <three designs & more>",
		X:     Axis{Label: "resident_mean_tok (tokens)", Log: true},
		Y:     Axis{Label: "tpot_mean_ms (ms)", Log: true},
		Lines: []Line{
			line("separate", func(x float64) float64 { return max(1.123, x*131e-6) + 0.02 }, xs...),
			line("shared-6", func(x float64) float64 { return 1.123 + x*44e-6 + 0.02 }, xs...),
			line("shared-8", func(x float64) float64 { return 0.842 + x*33e-6 + 0.02 }, xs...),
		},
		Levels: []Level{{1.123, "W / B = 1.123 ms"}},
		Marks:  []MarkStyle{{Name: "weight_memory"}, {Name: "kv_memory"}},
		Legend: [2]string{"design", "bound"},
		Notes:  []string{"hollow: saturated, requests arrive faster than they are served; not a steady value"},
	}
	for i, l := range c.Lines {
		for j := range l.Points {
			p := &c.Lines[i].Points[j]
			p.Mark = "weight_memory"
			if p.X > 8568 && i == 0 || p.X > 20000 {
				p.Mark = "kv_memory"
			}
			p.Lo, p.Hi = p.Y*0.93, p.Y*1.07
			p.Hollow = i == 2 && j == 7
		}
	}
	c.Lines[2].Points[7].Y = 900
	c.Cross = c.Crossings()
	return c
}

// drawing is what has a golden file.
type drawing interface{ SVG() []byte }

func golden(t *testing.T, name string, c drawing) {
	t.Helper()
	got := c.SVG()
	if err := wellFormed(got); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !bytes.Equal(got, c.SVG()) {
		t.Errorf("%s: two drawings differ", name)
	}
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from its golden file; see it, then run with -update", file)
	}
}

func wellFormed(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestSVG(t *testing.T) {
	golden(t, "headline", headline())
	few := &Chart{Title: "one line", X: Axis{Label: "scheduler", Words: []string{"fcfs", "static", "dynamic"}}, Y: Axis{Label: "ttft_mean_ms (ms)"}}
	few.Lines = []Line{line("", func(x float64) float64 { return 10 + x }, 0, 1, 2)}
	golden(t, "words", few)
	many := &Chart{Title: "many lines with long names, and a title that is longer than one line of the picture has room for, so that it takes two", X: Axis{Label: "rate_rps (req/s)"}, Y: Axis{Label: "ttft_p99_ms (ms)"}}
	for i := range 16 {
		many.Lines = append(many.Lines, line(strings.Repeat("scheduler = continuous, ", 2)+string(rune('a'+i)), func(x float64) float64 { return float64(i+1) / (1.05 - x/10) }, 1, 2, 4, 6, 8, 10))
	}
	golden(t, "many", many)
	golden(t, "empty", &Chart{Title: "nothing"})
}

// Characters that do not print, of which XML forbids some and others turn text
// around, are blanks.
func TestTextPrints(t *testing.T) {
	c := &Chart{Title: "a\x1b\u009bb\u202ec\ufffed\uffffe\xfff\u2028g<±"}
	svg := c.SVG()
	if err := wellFormed(svg); err != nil {
		t.Error(err)
	}
	if want := "<title>a  b c d e?f g&lt;±</title>"; !bytes.Contains(svg, []byte(want)) {
		t.Errorf("no %q in %s", want, svg)
	}
}

// No text or number makes bytes that are no XML.
func FuzzSVG(f *testing.F) {
	f.Add("a<b>", 1.0, 2.0, true)
	f.Add("\ufffe\u0085", 0.0, 0.0, true)
	f.Add("\x00\xff", -1.0, math.Inf(1), false)
	f.Fuzz(func(t *testing.T, s string, x, y float64, log bool) {
		c := &Chart{Title: s, X: Axis{Label: s, Log: log}, Y: Axis{Log: log}, Marks: []MarkStyle{{Name: s}}, Notes: []string{s}, Levels: []Level{{y, s}}}
		for _, v := range []float64{x, y, 1, 2} {
			c.Lines = append(c.Lines, Line{Name: s, Points: []Point{{X: v, Y: x, Lo: y, Hi: x}, {X: 2 * v, Y: y, Mark: s}, {X: 3, Y: v, Hollow: true}}})
		}
		c.Cross = c.Crossings()
		svg := c.SVG()
		if err := wellFormed(svg); err != nil || bytes.Contains(svg, []byte("NaN")) && !strings.Contains(s, "NaN") {
			t.Errorf("%v: %s", err, svg)
		}
	})
}
