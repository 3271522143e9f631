package results

import (
	"scoville/core/table"
	"scoville/sweep/results/class"
)

// classes writes the table of request classes, which is begun when the first
// point has several.
type classes struct {
	*class.Table
	start func() (func(table.Row) error, error)
	write func(table.Row) error
}

// flush writes the rows of a point.
func (c *classes) flush(p *point) error {
	return c.Flush(p.first.PointID, p.first.PointIndex, func(row table.Row) (err error) {
		if c.write == nil {
			if c.write, err = c.start(); err != nil {
				return err
			}
		}
		return c.write(row)
	})
}
