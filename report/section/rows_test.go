package section

import (
	"fmt"
	"testing"
)

func TestRows(t *testing.T) {
	head := []string{"", "ttft", "tok"}
	sections := []Section{
		{Title: "published against simulated", Head: []string{"figure"}, Rows: [][]string{{"x"}}},
		{Title: "short", Head: head, Rows: [][]string{{"baseline", "14 ± 0.1 [13 .. 15]", "7 ± 1"}, {"bandwidth -20%", "~", "saturated"}}},
		{Title: "long", Head: head, Rows: [][]string{{"baseline", "+3.1% ± 0.2"}}},
		{Title: "other", Head: []string{"a"}},
	}
	want := "[[table name ttft ttft_ci_half ttft_pred_lo ttft_pred_hi tok tok_ci_half] [short baseline 14 0.1 13 15 7 1] [short bandwidth -20% ~    saturated ] [long baseline +3.1% 0.2    ]]"
	if got := fmt.Sprint(Rows(sections, "published against simulated")); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(Rows(sections[:1])); got != "[[figure] [x]]" {
		t.Error(got)
	}
	if Rows(nil) != nil {
		t.Error("rows of nothing")
	}
}
