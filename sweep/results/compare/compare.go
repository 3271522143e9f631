// Package compare judges the points of a sweep among each other: by the
// objectives of the study, and by the condition of its report. A point is
// compared if it is ok and not known to be saturated: a mean over a growing
// queue says nothing. It knows no files.
package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/sweep/results/front"
	"scoville/sweep/results/scope"
	"scoville/sweep/results/spec"
	"scoville/sweep/statistic"
)

// Columns are the points columns that hold the verdicts.
var Columns = []table.Column{
	{Name: "pareto", Kind: table.Bool, Definition: "no other point is as good in every objective and better in one; with one objective: none is better; false for a point not compared, NULL without objectives"},
	{Name: "pareto_probability", Kind: table.Float64, Unit: "ratio", Definition: "share of the replicates in which the point is on the front, after a race of those it left; NULL for fewer than two, and for a point not compared"},
	{Name: "objective_rank", Kind: table.Int64, Definition: "rank by the only objective, from 1, ties share one; NULL with several, and for a point not compared"},
	{Name: "kept", Kind: table.Bool, Definition: "the report's condition keep holds; false for a point not compared, NULL without the condition"},
}

// Run is what is compared of a run.
type Run struct {
	Place   scope.Position
	Axes    []any // values of the axes
	OK      bool
	Steady  *bool     // nil = not known
	Metrics []float64 // of an ok run

	CapacityRPS, AccuracyLoss float64 // NaN = none
}

// Comparison takes all runs by point, and then tells of each point.
type Comparison struct {
	columns    *scope.Columns
	objectives []spec.Objective
	keep       *expr.Expr // nil = none
	baseline   *expr.Expr // nil = that of one-at-a-time changes
	together   []int      // axes that a point and its baseline agree in

	now      *contender
	points   []front.Point
	index    []int
	verdicts map[int]front.Verdict // by point
	bases    map[string][]float64  // by the values of together: means of the metrics at the baseline
}

// contender is the point whose runs come.
type contender struct {
	first   Run
	ok      bool
	steady  statistic.Tally
	runs    [][]float64      // objectives of each run, to be minimised
	metrics []statistic.Mean // of a baseline, else nil
}

// New reads what a study asks. groups are the names of the axes that the
// columns of the axes belong to. Errors are of type *expr.Error.
func New(columns *scope.Columns, groups []string, report spec.Report, objectives []spec.Objective) (*Comparison, error) {
	c := &Comparison{columns: columns, objectives: objectives}
	for _, x := range []struct {
		to    **expr.Expr
		text  string
		scope expr.Scope
	}{{&c.keep, report.Keep, columns.Gains()}, {&c.baseline, report.Baseline, columns.Place()}} {
		if x.text == "" {
			continue
		}
		e, err := expr.Parse(x.text)
		if err == nil {
			err = e.Check(x.scope)
		}
		if err != nil {
			return nil, err
		}
		*x.to = e
	}
	if c.baseline != nil {
		c.together = columns.Together(c.baseline, groups)
	}
	return c, nil
}

// Needed says whether Add must see all runs before Verdict is asked.
func (c *Comparison) Needed() bool { return len(c.objectives) > 0 || c.baseline != nil }

// Start forgets all runs.
func (c *Comparison) Start() {
	c.now, c.points, c.index = nil, nil, nil
	c.verdicts, c.bases = map[int]front.Verdict{}, map[string][]float64{}
}

// Add takes the next run; those of a point come together.
func (c *Comparison) Add(r Run) {
	if c.now == nil || c.now.first.Place.Index != r.Place.Index {
		c.take()
		c.now = &contender{first: r, ok: true}
		if c.baseline != nil && c.baseline.Match(c.columns.PlaceOf(r.Axes, r.Place)) {
			c.now.metrics = make([]statistic.Mean, len(c.columns.Metrics))
		}
	}
	p := c.now
	if !r.OK {
		p.ok = false
		return
	}
	p.steady.Add(r.Steady)
	values := make([]float64, len(c.objectives))
	for i, o := range c.objectives {
		if values[i] = c.objective(o.Metric, &r); o.Goal == "max" {
			values[i] = -values[i]
		}
		if r.Steady != nil && !*r.Steady {
			values[i] = math.NaN() // slower the longer it runs
		}
	}
	p.runs = append(p.runs, values)
	for i := range p.metrics {
		p.metrics[i].Add(r.Metrics[i])
	}
}

// take ends the current point.
func (c *Comparison) take() {
	p := c.now
	if p == nil {
		return
	}
	compared := Compared(p.ok, p.steady.Most())
	c.points = append(c.points, front.Point{Compared: compared, Runs: p.runs})
	c.index = append(c.index, p.first.Place.Index)
	if p.metrics == nil || !compared {
		return
	}
	means := make([]float64, len(p.metrics))
	for i, m := range p.metrics {
		means[i] = m.Value()
	}
	c.bases[c.key(p.first.Axes)] = means
}

// Compared says whether a point takes part: all its runs are ok, and it is not
// known to be saturated.
func Compared(ok bool, steady *bool) bool { return ok && (steady == nil || *steady) }

// Finish judges the points.
func (c *Comparison) Finish() {
	c.take()
	c.now = nil
	if len(c.objectives) > 0 {
		for i, v := range front.Judge(c.points) {
			c.verdicts[c.index[i]] = v
		}
	}
}

// objective is the value of an objective in an ok run.
func (c *Comparison) objective(metric string, r *Run) float64 {
	switch metric {
	case "capacity_rps":
		return r.CapacityRPS
	case "accuracy_loss_ratio":
		return r.AccuracyLoss
	}
	i := slices.IndexFunc(c.columns.Metrics, func(m table.Column) bool { return m.Name == metric })
	if i < 0 {
		return math.NaN()
	}
	return r.Metrics[i]
}

// key identifies the baseline of a point by its axes.
func (c *Comparison) key(axes []any) string {
	var key strings.Builder
	for _, i := range c.together {
		fmt.Fprintf(&key, "%q;", fmt.Sprint(axes[i]))
	}
	return key.String()
}

// Point is what a verdict needs to know of a point.
type Point struct {
	Index    int
	Axes     []any
	Compared bool
	Cell     func(column string) any // of points; other columns than Columns
	Mean     func(metric int) float64
	Change   func(metric int) float64 // from the one-at-a-time baseline; NaN if there is none that is compared
}

// Gain is by how much metric m of a point is better than at its baseline,
// relative to it, as a cell; NULL without a baseline, where the point or its
// baseline is not compared, and for a metric of which neither more nor less is
// better.
func (c *Comparison) Gain(p *Point, m int) any {
	g := c.gain(p, m)
	if !p.Compared || math.IsNaN(g) || math.IsInf(g, 0) {
		return nil
	}
	return g
}

// Verdict returns the cells of Columns.
func (c *Comparison) Verdict(p *Point) []any {
	out := make([]any, len(Columns))
	if len(c.objectives) > 0 {
		v := c.verdicts[p.Index]
		out[0], out[1] = v.Member, v.Probability
		if v.Rank > 0 {
			out[2] = int64(v.Rank)
		}
	}
	if c.keep == nil {
		return out
	}
	out[3] = p.Compared && c.keep.Match(func(name string) expr.Value {
		if m, err := c.columns.Gain(name); err == nil {
			return expr.Of(c.gain(p, m))
		}
		col, _ := c.columns.Column(name)
		if i := slices.IndexFunc(Columns, func(e table.Column) bool { return e.Name == col.Name }); i >= 0 {
			return expr.Of(out[i])
		}
		return expr.Of(p.Cell(col.Name))
	})
	return out
}

// gain is Gain of a point that is compared, NaN for NULL.
func (c *Comparison) gain(p *Point, m int) float64 {
	change := math.NaN()
	if c.baseline == nil {
		change = p.Change(m)
	} else if base := c.bases[c.key(p.Axes)]; base != nil {
		change = p.Mean(m)/base[m] - 1
	}
	switch c.columns.Metrics[m].Better {
	case "lower":
		return 0 - change // 0 rather than -0 of the baseline itself
	case "higher":
		return change
	}
	return math.NaN()
}
