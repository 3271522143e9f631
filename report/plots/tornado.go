package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/report/chart"
	"scoville/report/number"
	"scoville/report/view"
)

// Bounds of the tornado pictures.
const (
	maxTornados = 8
	maxBarRows  = 20
	maxBars     = 4 // of a parameter
	fewPaths    = 3 // parameters of which more bars have room
	moreBars    = 6 // of each of these, if their levels are names
)

// kinds are the colours of a tornado's bars.
var kinds = []string{"parameter lower", "parameter higher", "other value"}

// baseline is the baseline of some one-at-a-time points.
type baseline struct {
	row     int
	changes []int
}

// baselines lists the baselines with what is changed from each.
func baselines(v *view.View) (out []baseline) {
	for i := range v.Points.Len() {
		switch is, _ := v.Points.Bool(v.Points.Index("baseline"), i); {
		case is:
			out = append(out, baseline{row: i})
		case v.Value("oat_path", i) != nil && len(out) > 0:
			b := &out[len(out)-1]
			b.changes = append(b.changes, i)
		}
	}
	return slices.DeleteFunc(out, func(b baseline) bool { return len(b.changes) == 0 })
}

// tornados draws what each one-at-a-time change does to each main metric, the
// largest effect at the top: a picture a baseline.
func tornados(v *view.View, main []string) (out []Plot) {
	bases := baselines(v)
	for _, metric := range main[:min(len(main), maxSuggested)] {
		for k, b := range bases {
			bars := tornado(v, metric, b)
			if bars == nil || len(out) == maxTornados {
				continue
			}
			p := Plot{Name: fileName("tornado-" + metric), Y: metric, Bars: bars, Notes: bars.Notes}
			if len(bases) > 1 {
				p.Name += fmt.Sprintf("-%d", k+1)
			}
			out = append(out, p)
		}
	}
	return out
}

// tornado is one picture; nil where the baseline has no steady value, or no
// change has an effect to draw.
func tornado(v *view.View, metric string, b baseline) *chart.Bars {
	if unusable(v, b.row) != "" {
		return nil
	}
	c := &chart.Bars{Title: fmt.Sprintf("%s: change from the baseline%s, one parameter at a time", metric, at(v, b.row)), Label: "change of " + metric + " (%)"}
	var paths []string
	rows := map[string]*chart.BarRow{}
	intervals, used := false, map[int]bool{}
	for _, i := range b.changes {
		path, _ := v.Points.String(v.Points.Index("oat_path"), i)
		if rows[path] == nil {
			paths = append(paths, path)
			rows[path] = &chart.BarRow{Name: path[strings.LastIndexByte(path, '.')+1:]}
		}
		bar := change(v, metric, i)
		rows[path].Bars = append(rows[path].Bars, bar)
		if !math.IsNaN(bar.Value) {
			used[bar.Kind] = true
		}
		intervals = intervals || !math.IsNaN(bar.Lo)
	}
	if len(used) == 0 {
		return nil
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(reach(rows[b]), reach(rows[a])) })
	thinned := false
	for _, path := range paths[:min(len(paths), maxBarRows)] {
		r := rows[path]
		if len(r.Bars) > maxBars && !(len(paths) <= fewPaths && len(r.Bars) <= moreBars && named(r)) {
			r.Bars, thinned = extremes(r.Bars), true
		}
		c.Rows = append(c.Rows, *r)
	}
	c.Kinds = make([]string, len(kinds))
	for k := range used {
		c.Kinds[k] = kinds[k]
	}
	if thinned {
		c.Notes = append(c.Notes, fmt.Sprintf("of more than %d levels the two with the lowest and the highest effect are drawn", maxBars))
	}
	if n := len(paths) - maxBarRows; n > 0 {
		c.Notes = append(c.Notes, number.Plural(n, "further parameter")+" of smaller effect left out")
	}
	if intervals {
		c.Notes = append(c.Notes, "whiskers: 95 % interval of the difference paired by replicate; ~ where it includes 0")
	} else {
		c.Notes = append(c.Notes, "one run a point: no intervals")
	}
	return c
}

// named reports whether the levels of a parameter are names, which lie in no
// order: none speaks for those between.
func named(r *chart.BarRow) bool {
	return !slices.ContainsFunc(r.Bars, func(b chart.Bar) bool { return b.Kind != 2 })
}

// at names the values of the axes around a baseline.
func at(v *view.View, i int) string {
	var words []string
	for _, name := range v.Manifest.Outer {
		c, _ := v.Column(name)
		words = append(words, c.Heading()+" = "+word(v.Value(name, i)))
	}
	if words == nil {
		return ""
	}
	return " at " + strings.Join(words, ", ")
}

// unusable is why a point has no value that may be drawn; "" if it has.
func unusable(v *view.View, i int) string {
	switch status, _ := v.Points.String(v.Points.Index("status"), i); {
	case !v.OK(i):
		return status
	case v.State(i) == view.Saturated:
		return "saturated"
	}
	return ""
}

// change is the bar of one changed point.
func change(v *view.View, metric string, i int) chart.Bar {
	level, _ := v.Points.String(v.Points.Index("oat_level"), i)
	b := chart.Bar{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Name: number.Level(level), Kind: 2, Ref: strconv.Itoa(v.Index(i))}
	b.Text = b.Name
	if by, known := v.Points.Float(v.Points.Index("oat_change_ratio"), i); known {
		b.Kind = 1
		if by < 0 {
			b.Kind = 0
		}
	}
	if why := unusable(v, i); why != "" {
		b.Text += ": " + why
		return b
	}
	get := func(suffix string) float64 {
		x, ok := v.Points.Float(v.Points.Index(metric+suffix), i)
		if !ok {
			return math.NaN()
		}
		return 100 * x
	}
	b.Value, b.Lo, b.Hi = get("_delta_ratio"), get("_delta_ci_lo"), get("_delta_ci_hi")
	switch {
	case math.IsNaN(b.Value):
		b.Text += ": no value"
	case b.Lo <= 0 && b.Hi >= 0:
		b.Text += ": ~"
	default:
		b.Text += ": " + number.Percent(b.Value/100, max(1, min(4, number.Decimals(b.Value))))
	}
	return b
}

// reach is the largest effect of a row.
func reach(r *chart.BarRow) float64 {
	most := -1.0
	for _, b := range r.Bars {
		most = max(most, magnitude(b))
	}
	return most
}

func magnitude(b chart.Bar) float64 {
	if math.IsNaN(b.Value) {
		return -1
	}
	return math.Abs(b.Value)
}

// extremes are the bars with the lowest and the highest value; those without a
// value are left out.
func extremes(bars []chart.Bar) []chart.Bar {
	bars = slices.DeleteFunc(slices.Clone(bars), func(b chart.Bar) bool { return math.IsNaN(b.Value) })
	if len(bars) < 2 {
		return bars
	}
	by := func(a, b chart.Bar) int { return cmp.Compare(a.Value, b.Value) }
	return []chart.Bar{slices.MinFunc(bars, by), slices.MaxFunc(bars, by)}
}
