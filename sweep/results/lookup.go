package results

import (
	"slices"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/sweep/results/scope"
)

// GainSuffix ends the points column of a metric's gain.
const GainSuffix = scope.GainSuffix

// GainMetric returns the metric that a gain is of: tpot_mean_ms of
// tpot_mean_ms_gain_ratio and of tpot_gain_ratio; false for another name.
func GainMetric(name string) (string, bool) { return scope.GainMetric(name) }

// Columns are what a condition on points may name. axes are the columns of the
// axes, metrics those of the runs table.
func Columns(axes, metrics []table.Column) *scope.Columns {
	return &scope.Columns{
		Fixed: slices.Concat(pick(runHead, pointShared), pointHead, pointEnd),
		Axes:  axes, Metrics: metrics, Statistics: statistics,
	}
}

// Columns are what a condition on the points may name; of the metrics those
// that were read.
func (d *Dataset) Columns() *scope.Columns { return Columns(d.Axes(), d.Metrics()) }

// Matcher checks a condition on points and returns it as one on their rows. A
// name is a column, the path of an axis, or a metric for its mean.
func (d *Dataset) Matcher(condition string) (func(row int) bool, error) {
	e, err := expr.Parse(condition)
	columns := d.Columns()
	if err == nil {
		err = e.Check(columns.Points())
	}
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, n := range e.Names() {
		c, _ := columns.Column(n.Text)
		at[n.Text] = d.Points.Index(c.Name)
	}
	return func(row int) bool {
		return e.Match(func(name string) expr.Value { return value(d.Points, at[name], row) })
	}, nil
}

// value is a cell of a frame.
func value(f *table.Frame, col, row int) expr.Value {
	if x, ok := f.Float(col, row); ok {
		return expr.Of(x)
	}
	if s, ok := f.String(col, row); ok {
		return expr.Of(s)
	}
	if b, ok := f.Bool(col, row); ok {
		return expr.Of(b)
	}
	return expr.Value{}
}
