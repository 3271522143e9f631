package row

import (
	"strings"
	"testing"
)

// Commas in latencies part thousands only where something but a short whole number
// says so: 1,250 beside 2 may be seconds of a country that writes them so.
func TestCommasOfLatencies(t *testing.T) {
	for cells, asks := range map[string]bool{
		"0,125;2":       true,
		"1,250;2":       true,
		"1,250;2,250.5": false,
		"1,250,000;2":   false,
	} {
		text := "mean_ttft_s;note\n" + strings.ReplaceAll(cells, ";", ";x\n") + ";x\n"
		s, err := ReadSheet("x.csv", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.number(0, 0, s.Records[0].Cells[0]); (err != nil) != asks {
			t.Errorf("%s: %v", cells, err)
		}
	}
}

// A row of a Markdown table with a cell too many, or one of two columns of one name,
// is left out: nobody knows which cell is which.
func TestMarkdownThatDoesNotFit(t *testing.T) {
	for text, why := range map[string]string{
		"| isl | TTFT (ms) |\n|---|---|\n| 128 | 50 | 3 |\n":                   "3 cells in this row, 2 columns",
		"| isl | TTFT (ms) | TTFT (ms) |\n|---|---|---|\n| 128 | 50 | 900 |\n": `two columns are called "TTFT (ms)"`,
		"| isl | TTFT (ms) |\n|---|---|\n| 128 | 50 |\n":                       "",
	} {
		var s Sheet
		s.markdown(text)
		if len(s.Records) != 1 || s.Records[0].Dropped != why {
			t.Errorf("%q: %+v", text, s.Records)
		}
	}
}
