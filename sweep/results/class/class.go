// Package class knows the table of request classes that a sweep leaves: a row
// per point and class, with the mean of each class metric over the replicates
// and its interval. It knows nothing of files or of other tables.
package class

import (
	"math"

	"scoville/core/table"
	"scoville/sweep/statistic"
)

// Values are the metrics of one class in one run, in the order of the columns
// that New was given. NaN is NULL.
type Values struct {
	Name    string
	Metrics []float64
}

// Table makes the rows.
type Table struct {
	metrics []table.Column
	t       statistic.Student
	runs    map[string][][]float64 // of the current point, by class
	order   []string
}

// New returns the table of these metrics.
func New(metrics []table.Column) *Table {
	return &Table{metrics: metrics, t: statistic.Student{}, runs: map[string][][]float64{}}
}

// Columns are those of the table. requests_count has a mean only.
func (t *Table) Columns() []table.Column {
	cols := []table.Column{
		{Name: "point_id", Kind: table.String, Definition: "hash of the resolved scenario"},
		{Name: "point_index", Kind: table.Int64, Definition: "position of the point in the plan, from 0"},
		{Name: "class", Kind: table.String, Definition: "name of the class of requests"},
	}
	for _, m := range t.metrics {
		of := " over the ok runs, requests of the class only: " + m.Definition
		cols = append(cols,
			table.Column{Name: m.Name + "_mean", Unit: m.Unit, Better: m.Better, Definition: "mean" + of},
			table.Column{Name: m.Name + "_ci_lo", Unit: m.Unit, Definition: "lower end of the 95 % interval of the mean" + of},
			table.Column{Name: m.Name + "_ci_hi", Unit: m.Unit, Definition: "upper end of the 95 % interval of the mean" + of},
			table.Column{Name: m.Name + "_n", Kind: table.Int64, Definition: "ok runs that have a value of " + m.Name})
	}
	return cols
}

// Add takes the classes of an ok run of the current point.
func (t *Table) Add(run []Values) {
	for _, v := range run {
		if _, ok := t.runs[v.Name]; !ok {
			t.order = append(t.order, v.Name)
		}
		t.runs[v.Name] = append(t.runs[v.Name], v.Metrics)
	}
}

// Flush gives the rows of the current point to write, in the order of its
// classes, and forgets them.
func (t *Table) Flush(id string, index int, write func(table.Row) error) error {
	for _, name := range t.order {
		row := table.Row{id, int64(index), name}
		for i := range t.metrics {
			var x []float64
			for _, m := range t.runs[name] {
				if !math.IsNaN(m[i]) {
					x = append(x, m[i])
				}
			}
			e := t.t.Mean(x)
			row = append(row, e.Mean, e.Lo, e.Hi, int64(e.N))
		}
		if err := write(row); err != nil {
			return err
		}
	}
	clear(t.runs)
	t.order = t.order[:0]
	return nil
}

// Late is a table of classes that is begun with its first row.
type Late struct {
	*Table
	Start func() (write func(table.Row) error, err error)
	write func(table.Row) error
}

// Flush writes the rows of a point.
func (l *Late) Flush(id string, index int) error {
	return l.Table.Flush(id, index, func(row table.Row) (err error) {
		if l.write == nil {
			if l.write, err = l.Start(); err != nil {
				return err
			}
		}
		return l.write(row)
	})
}
