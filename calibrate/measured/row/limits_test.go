package row

import (
	"strings"
	"testing"

	"scoville/calibrate/measured/plain"
)

// A few bytes of separators make no table of a million columns.
func TestSheetHasSoManyColumns(t *testing.T) {
	wide := strings.Repeat(",", plain.MaxColumns)
	if _, err := ReadSheet("x.csv", []byte("a,b\n"+wide+"\n")); err == nil || !strings.Contains(err.Error(), "x.csv:2: 5001 cells in one row, the limit is 5000") {
		t.Error(err)
	}
	head := "a" + strings.Repeat(",a", plain.MaxColumns-1) + "\n" + "1" + strings.Repeat(",", plain.MaxColumns-1) + "\n"
	if _, err := ReadSheet("x.csv", []byte(head)); err != nil && strings.Contains(err.Error(), "limit") {
		t.Error(err)
	}
}
