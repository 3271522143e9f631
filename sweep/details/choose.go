package details

import (
	"cmp"
	"math"
	"slices"

	"scoville/core/table"
	"scoville/sweep/results"
)

// Bounds of what is looked at.
const (
	maxPoints  = 12
	maxChanges = 8 // one-at-a-time changes that come before other reasons
	maxEvents  = 2_000_000
	floor      = 150_000 // events of all points that are looked at whatever the study has
	share      = 0.05    // of the study's events otherwise; each is simulated twice
)

// fewPoints is why a point is looked at that there is no other reason for.
const fewPoints = "one of a few points"

// choice is a point to look at.
type choice struct {
	row    int // of the points table
	why    []string
	first  int   // replicate: of values that a search tried not always 0
	events int64 // of its first replicate

	search int     // number of the search that tried it; -1 = none did
	value  float64 // that it tried
}

// chooser reads the points table.
type chooser struct {
	d      *results.Dataset
	f      *table.Frame
	rows   []int // points that ran and are no probes of a search
	chosen []choice
}

// choose returns the points to look at, the first reasons first: the only point,
// baselines, the ends of the front, which are the best by each objective, the
// largest one-at-a-time changes, the best and the worst by the first metric, the
// highest steady rate, the other changes, and more of the front; all of a study
// with few points. Saturated ones only if they are baselines.
func choose(d *results.Dataset) []choice {
	c := &chooser{d: d, f: d.Points}
	for i := range c.f.Len() {
		if _, probe := c.text("search_id", i); !probe && c.ran(i) {
			c.rows = append(c.rows, i)
		}
	}
	if len(c.rows) == 1 {
		c.add(c.rows[0], "the only point that ran")
	}
	for _, i := range c.rows {
		if base, _ := c.f.Bool(c.f.Index("baseline"), i); base && len(c.chosen) < 2 {
			c.add(i, "baseline")
		}
	}
	c.rows = slices.DeleteFunc(c.rows, func(i int) bool {
		steady, judged := c.f.Bool(c.f.Index("steady"), i)
		return judged && !steady
	})
	for _, o := range d.Manifest.Objectives {
		c.best(o.Metric, o.Goal == "max", map[bool]string{true: "highest ", false: "lowest "}[o.Goal == "max"]+o.Metric)
	}
	changes := c.changes()
	for _, i := range changes[:min(len(changes), maxChanges)] {
		c.add(i, "one-at-a-time change")
	}
	if len(d.Manifest.Metrics) > 0 {
		name := d.Manifest.Metrics[0]
		higher := c.better(name) == "higher"
		c.best(name, higher, "best "+name)
		c.best(name, !higher, "worst "+name)
	}
	if slices.ContainsFunc(d.Axes(), func(a table.Column) bool { return a.Path == "workload.rate_rps" || a.Path == "workload.load" }) {
		c.best("offered_rps", true, "highest steady rate")
	}
	for _, i := range changes {
		c.add(i, "one-at-a-time change")
	}
	c.front()
	if len(c.rows) <= maxPoints {
		for _, i := range c.rows {
			c.add(i, fewPoints)
		}
	}
	return c.chosen
}

// front adds members of the Pareto front, spread evenly over it by the first
// objective.
func (c *chooser) front() {
	if len(c.d.Manifest.Objectives) < 2 {
		return
	}
	col := c.column(c.d.Manifest.Objectives[0].Metric)
	if col < 0 {
		return
	}
	var rows []int
	for _, i := range c.rows {
		if member, _ := c.f.Bool(c.f.Index("pareto"), i); member {
			rows = append(rows, i)
		}
	}
	at := func(i int) float64 { v, _ := c.f.Float(col, i); return v }
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	left := maxPoints - len(c.chosen)
	for k := range left {
		if n := len(rows); n > 0 {
			c.add(rows[(2*k+1)*n/(2*left)], "on the Pareto front")
		}
	}
}

// tried returns the values that searches found, and of each the first that fails
// where that is not saturated.
func tried(d *results.Dataset) ([]choice, error) {
	t, err := d.Searches()
	if err != nil || t == nil {
		return nil, err
	}
	c := &chooser{d: d, f: d.Points}
	axes := d.Axes()
	if len(axes) == 0 {
		return nil, nil
	}
	over := d.Points.Index(axes[len(axes)-1].Name) // the searched path is the last
	for row := range t.Len() {
		id, _ := t.String(t.Index("search_id"), row)
		index, _ := t.Int(t.Index("search_index"), row)
		for _, end := range []struct{ column, why string }{{"value", "the value found"}, {"first_fail", "the first value that fails"}} {
			value, found := t.Float(t.Index(end.column), row)
			for i := 0; found && i < c.f.Len(); i++ {
				of, _ := c.text("search_id", i)
				steady, judged := c.f.Bool(c.f.Index("steady"), i)
				if of != id || number(c.f, over, i) != value || !c.ran(i) || judged && !steady || len(c.chosen) == maxPoints {
					continue
				}
				c.chosen = append(c.chosen, choice{row: i, why: []string{end.why}, search: int(index), value: value})
			}
		}
	}
	return c.chosen, nil
}

// number is a cell of floats or of whole numbers; NaN without.
func number(f *table.Frame, col, row int) float64 {
	if v, ok := f.Float(col, row); ok {
		return v
	}
	if v, ok := f.Int(col, row); ok {
		return float64(v)
	}
	return math.NaN()
}

// add chooses a row for a reason.
func (c *chooser) add(row int, why string) {
	for i := range c.chosen {
		if o := &c.chosen[i]; o.row == row {
			if !slices.Contains(o.why, why) && why != fewPoints {
				o.why = append(o.why, why)
			}
			return
		}
	}
	if len(c.chosen) < maxPoints {
		c.chosen = append(c.chosen, choice{row: row, why: []string{why}, search: -1})
	}
}

// best adds the row with the largest or the smallest value of a column, or of the
// mean of a metric; the first of equals.
func (c *chooser) best(name string, largest bool, why string) {
	col := c.column(name)
	if col < 0 || len(c.rows) < 2 {
		return
	}
	best, at := math.NaN(), -1
	for _, i := range c.rows {
		v, known := c.f.Float(col, i)
		if known && (at < 0 || largest && v > best || !largest && v < best) {
			best, at = v, i
		}
	}
	if at >= 0 {
		c.add(at, why)
	}
}

// column is that of a metric's mean or of the name itself; -1 = none, or none of
// numbers.
func (c *chooser) column(name string) int {
	i := c.f.Index(name + "_mean")
	if i < 0 {
		i = c.f.Index(name)
	}
	if i >= 0 && c.f.Columns[i].Kind != table.Float64 {
		return -1
	}
	return i
}

// better is which way a metric gets better: "higher", "lower" or "".
func (c *chooser) better(name string) string {
	if i := c.column(name); i >= 0 {
		return c.f.Columns[i].Better
	}
	return ""
}

// changes are the one-at-a-time changes, the largest effect on the first metric
// first.
func (c *chooser) changes() (rows []int) {
	size := func(i int) float64 { return 0 }
	if names := c.d.Manifest.Metrics; len(names) > 0 {
		if col := c.f.Index(names[0] + "_delta_ratio"); col >= 0 {
			size = func(i int) float64 {
				v, _ := c.f.Float(col, i)
				return math.Abs(v)
			}
		}
	}
	for _, i := range c.rows {
		if _, changed := c.text("oat_path", i); changed {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return -cmp.Compare(size(a), size(b)) })
	return rows
}

// ran reports whether every run of a point is ok.
func (c *chooser) ran(i int) bool {
	status, _ := c.text("status", i)
	return status == results.OK
}

func (c *chooser) text(column string, i int) (string, bool) {
	return c.f.String(c.f.Index(column), i)
}

// columns are the metrics that choose needs the points of.
func columns(objectives []results.Objective) func([]string) []string {
	return func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
			return name != all[0] && !slices.ContainsFunc(objectives, func(o results.Objective) bool { return o.Metric == name })
		})
	}
}
