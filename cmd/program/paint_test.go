package program

import (
	"bytes"
	"strings"
	"testing"
)

// seen writes colours as letters.
var seen = strings.NewReplacer(bad, "<R:", warn, "<Y:", good, "<C:", plain, ">")

func better(metric string) string {
	return map[string]string{"ttft_mean_ms": "lower", "output_tok_s": "higher"}[metric]
}

func TestPaint(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"demo: 8 points, 6 ok, 1 infeasible, 2 failed; 0 failed before", "demo: 8 points, 6 ok, <Y:1 infeasible>, <R:2 failed>; 0 failed before"},
		{"SATURATED: 1 point of 6", "<Y:SATURATED>: 1 point of 6"},
		{"note    of failed runs", "<Y:note>    of failed runs"},
		{"prose says saturated and failed", "prose says saturated and failed"},
		{"3  (not judged)  saturated  14", "3  <Y:(not judged)>  <Y:saturated>  14"},
		{"tail (dropped after 3)  FAIL", "tail <Y:(dropped after 3)>  <R:FAIL>"},
		{"verdict  luck: another is better", "verdict  <R:luck>: another is better"},
		{"failed runs  gate  FAIL held-out", "failed runs  gate  <R:FAIL> held-out"},
		{
			"                ttft_mean_ms  output_tok_s  other\nbaseline        31.1 ± 0.4    2037 ± 31     1\nbandwidth -20%  +1.1% ± 0.2   -0.5% ± 0.01  +3%\nbandwidth +20%  -1.1%         ~             -3%\n\nx  +1%",
			"                ttft_mean_ms  output_tok_s  other\nbaseline        31.1 ± 0.4    2037 ± 31     1\nbandwidth -20%  <R:+1.1% ± 0.2>   <R:-0.5% ± 0.01>  +3%\nbandwidth +20%  <C:-1.1%>         ~             -3%\n\nx  +1%",
		},
		{"ttft_mean_ms: change from the baseline, one at a time\na -20%  |##  +5.0%\nb  |    saturated", "ttft_mean_ms: change from the baseline, one at a time\na -20%  |##  <R:+5.0%>\nb  |    <Y:saturated>"},
		{"    indented  1 ± 2 ms\n", "    indented  1 ± 2 ms\n"},
	} {
		if got := seen.Replace(Paint(c.in, better)); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// Without its colours a text is as it was, whatever is in it.
func TestPaintKeepsText(t *testing.T) {
	none := strings.NewReplacer(bad, "", warn, "", good, "", plain, "")
	for _, text := range []string{wideTable, "", "\n\n", " ", "  a   b\t c  ", "größe  +1% ± 2  \n  ttft_mean_ms  \n  +1%"} {
		if got := none.Replace(Paint(text, better)); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A name that holds the codes of colours paints nothing, and a pipe gets none.
func TestPaintedIsInert(t *testing.T) {
	if got := painted("a\x1b[31mb", nil); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
	if Coloured(NewDoor(&bytes.Buffer{})) {
		t.Error("a buffer has colours")
	}
}
