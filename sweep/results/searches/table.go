package searches

import (
	"fmt"

	"scoville/core/table"
)

// Table is a table with its rows in memory.
type Table struct {
	File    string
	Columns []table.Column
	Rows    []table.Row
}

// Fill appends the rows.
func (t *Table) Fill(add func(table.Row) error) error {
	for i, row := range t.Rows {
		if err := add(row); err != nil {
			return fmt.Errorf("%s: row %d: %w", t.File, i, err)
		}
	}
	return nil
}
