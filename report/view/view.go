// Package view is a sweep's results as a report reads them: the values of a
// point by name with their intervals, what a point's numbers may be taken for,
// and conditions over points. It reads files and makes no text.
package view

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/sweep/results"
)

// View is a dataset with its runs read as far as they are needed.
type View struct {
	*results.Dataset
	runs   *table.Frame // nil = not yet read
	failed error        // of reading the runs
	wanted map[string]bool
	found  map[string]place
	index  int // column point_index
	axes   []table.Column

	classes *table.Frame
	asked   bool // for the classes
}

// Open reads the points in a folder. Of the metrics, points has those that
// shown chooses from the study's selection, and those named in extra, which are
// also what of the runs can be asked for.
func Open(dir string, shown func(selected []string) []string, extra []string) (*View, error) {
	d, err := results.OpenFor(dir, func(selected []string) []string {
		return slices.Concat(shown(selected), extra)
	})
	if err != nil {
		return nil, err
	}
	v := &View{Dataset: d, wanted: map[string]bool{}, found: map[string]place{}, index: d.Points.Index("point_index"), axes: d.Axes()}
	for _, name := range extra {
		v.wanted[name] = true
	}
	return v, nil
}

// Axes returns the axis columns; read-only.
func (v *View) Axes() []table.Column { return v.axes }

// State is what a point's numbers may be taken for.
type State int

// The states.
const (
	None      State = iota // it did not run
	Bounded                // closed loop or burst: its queue cannot grow for ever
	Steady                 // open loop with a stable queue
	Saturated              // open loop with a growing one
	Unjudged               // open loop, not known which
)

// State returns what the numbers of point i may be taken for.
func (v *View) State(i int) State {
	verdict, known := v.Points.Bool(v.column("steady"), i)
	_, open := v.Points.Float(v.column("offered_rps"), i)
	switch {
	case known && verdict:
		return Steady
	case known:
		return Saturated
	case open:
		return Unjudged
	case v.OK(i):
		return Bounded
	}
	return None
}

// OK reports whether point i ran.
func (v *View) OK(i int) bool {
	status, _ := v.Points.String(v.column("status"), i)
	return status == results.OK
}

// Dropped is what the name of point i needs where a race dropped it: its numbers
// rest on fewer replicates than those of others.
func (v *View) Dropped(i int) string {
	if n, ok := v.Points.Int(v.column("pruned_at"), i); ok {
		return fmt.Sprintf(" (dropped after %d)", n)
	}
	return ""
}

// Index returns the number of point i in the plan.
func (v *View) Index(i int) int {
	n, _ := v.Points.Int(v.index, i)
	return int(n)
}

// place is where the values of a name are.
type place struct {
	points, lo, hi int  // columns of points
	run            int  // column of runs
	is             bool // there is such a name
	column         table.Column
}

// column is the position of a column of points, looked up once.
func (v *View) column(name string) int { return v.place(name).points }

// place finds a name: a column of points, a metric, the path of an axis or the
// beginning of such a path before ".name", or a column of runs.
func (v *View) place(name string) place {
	if p, ok := v.found[name]; ok {
		return p
	}
	p := place{points: v.Points.Index(name), lo: -1, hi: -1, run: -1}
	if p.points < 0 {
		p.points = slices.IndexFunc(v.Points.Columns, func(c table.Column) bool {
			return c.Path != "" && (c.Path == name || c.Path == name+".name")
		})
	}
	if mean := v.Points.Index(name + "_mean"); p.points < 0 && mean >= 0 {
		p.points, p.lo, p.hi = mean, v.Points.Index(name+"_ci_lo"), v.Points.Index(name+"_ci_hi")
	}
	switch {
	case p.points >= 0:
		p.is, p.column = true, v.Points.Columns[p.points]
		p.column.Name = strings.TrimSuffix(p.column.Name, "_mean")
		if p.lo < 0 {
			p.column.Name = v.Points.Columns[p.points].Name
		}
	case v.wanted[name] || strings.HasPrefix(name, "wait_"):
		if runs, err := v.Runs(); err == nil {
			if p.run = runs.Index(name); p.run >= 0 {
				p.is, p.column = true, runs.Columns[p.run]
			}
		}
	}
	v.found[name] = p
	return p
}

// Column describes what a name holds; false if there is nothing of that name.
func (v *View) Column(name string) (table.Column, bool) {
	p := v.place(name)
	return p.column, p.is
}

// Err returns why the runs could not be read; nil if they could or were not
// needed.
func (v *View) Err() error { return v.failed }

// Runs reads the runs: the wanted columns, and what they waited for.
func (v *View) Runs() (*table.Frame, error) {
	if v.runs == nil && v.failed == nil {
		v.runs, v.failed = v.RunsFor(func(c table.Column) bool {
			return v.wanted[c.Name] || strings.HasPrefix(c.Name, "wait_")
		})
	}
	return v.runs, v.failed
}

// Estimate is a mean with the ends of its 95 % interval, NaN where there is
// none.
type Estimate struct{ Mean, Lo, Hi float64 }

// Estimate returns a number of point i: a cell of points, or the mean of a
// metric over its ok runs.
func (v *View) Estimate(name string, i int) (Estimate, bool) {
	p := v.place(name)
	e := Estimate{math.NaN(), math.NaN(), math.NaN()}
	if p.points < 0 {
		mean, _, _, ok := v.overRuns(p.run, i)
		e.Mean = mean
		return e, ok
	}
	mean, ok := v.Points.Float(p.points, i)
	e.Mean = mean
	if lo, known := v.Points.Float(p.lo, i); known {
		e.Lo = lo
		e.Hi, _ = v.Points.Float(p.hi, i)
	}
	return e, ok
}

// RunMean is the mean of a column of the runs over the ok runs of point i, with
// the least and the largest of them.
func (v *View) RunMean(name string, i int) (mean, least, most float64, ok bool) {
	runs, err := v.Runs()
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN(), false
	}
	return v.overRuns(runs.Index(name), i)
}

func (v *View) overRuns(column, i int) (mean, least, most float64, ok bool) {
	if column < 0 || v.runs == nil {
		return math.NaN(), math.NaN(), math.NaN(), false
	}
	point := int64(v.Index(i))
	index := v.runs.Index("point_index")
	at := func(j int) int64 {
		p, _ := v.runs.Int(index, j)
		return p
	}
	sum, n := 0.0, 0
	for j := sort.Search(v.runs.Len(), func(j int) bool { return at(j) >= point }); j < v.runs.Len() && at(j) == point; j++ {
		if x, ok := v.runs.Float(column, j); ok {
			if n == 0 {
				least, most = x, x
			}
			sum, n, least, most = sum+x, n+1, min(least, x), max(most, x)
		}
	}
	return sum / float64(n), least, most, n > 0
}

// Value returns what point i has under a name: float64, int64, bool or string,
// or nil.
func (v *View) Value(name string, i int) any {
	p := v.place(name)
	if p.points < 0 || p.lo >= 0 {
		if e, ok := v.Estimate(name, i); ok {
			return e.Mean
		}
		return nil
	}
	switch v.Points.Columns[p.points].Kind {
	case table.Float64:
		if x, ok := v.Points.Float(p.points, i); ok {
			return x
		}
	case table.Int64:
		if x, ok := v.Points.Int(p.points, i); ok {
			return x
		}
	case table.Bool:
		if x, ok := v.Points.Bool(p.points, i); ok {
			return x
		}
	case table.String:
		if x, ok := v.Points.String(p.points, i); ok {
			return x
		}
	}
	return nil
}

// Find lists the points that meet a condition; all for an empty one.
func (v *View) Find(condition string) ([]int, error) {
	e, err := expr.Parse(condition)
	if err != nil {
		return nil, err
	}
	for _, n := range e.Names() {
		if _, ok := v.Column(n.Text); !ok {
			return nil, fmt.Errorf("%s: the results have no axis or metric %q", condition, n.Text)
		}
	}
	var out []int
	for i := range v.Points.Len() {
		if e.Match(func(name string) expr.Value { return expr.Of(v.Value(name, i)) }) {
			out = append(out, i)
		}
	}
	return out, nil
}

// Varying lists the axes that have more than one value among some points.
func (v *View) Varying(points []int) []table.Column {
	return slices.DeleteFunc(slices.Clone(v.axes), func(c table.Column) bool {
		for _, i := range points {
			if v.Value(c.Name, i) != v.Value(c.Name, points[0]) {
				return false
			}
		}
		return true
	})
}

// Independent is Varying without the axes that say nothing new: those whose
// values go one to one with an earlier axis, as those of a zip do.
func (v *View) Independent(points []int) []table.Column {
	var out []table.Column
	for _, c := range v.Varying(points) {
		if !slices.ContainsFunc(out, func(o table.Column) bool { return v.determines(o, c, points) && v.determines(c, o, points) }) {
			out = append(out, c)
		}
	}
	return out
}

// determines reports whether equal values of axis a have equal values of b.
func (v *View) determines(a, b table.Column, points []int) bool {
	seen := map[any]any{}
	for _, i := range points {
		x, y := v.Value(a.Name, i), v.Value(b.Name, i)
		if old, ok := seen[x]; ok && old != y {
			return false
		}
		seen[x] = y
	}
	return true
}

// Numeric reports whether the values of a column are numbers.
func Numeric(c table.Column) bool { return c.Kind == table.Float64 || c.Kind == table.Int64 }
