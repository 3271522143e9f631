package chart

import (
	"math"
	"strings"
	"testing"
)

// none is a bar with words in place of a value.
func none(text string) Bar { return Bar{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Text: text} }

func tornado() *Bars {
	return &Bars{
		Title: "tpot_mean_ms: change from the baseline", Label: "change of tpot_mean_ms (%)", Kinds: []string{"parameter lower", "parameter higher"},
		Rows: []BarRow{
			{"hardware.weight_bandwidth_gb_s", []Bar{{24.9, 24.6, 25.2, 0, "-20%", "", ""}, {-16.6, -16.9, -16.3, 1, "+20%", "", ""}}},
			{"hardware.state_bandwidth_gb_s", []Bar{{1.1, 1.0, 1.2, 0, "-20%", "", ""}, {-0.7, -1.8, 0.4, 1, "+20% ~", "", ""}}},
			{"hardware.a_name_that_is_much_too_long_for_its_place", []Bar{none("-20%: saturated"), {0, math.NaN(), math.NaN(), 1, "+20%", "", ""}}},
		},
		Notes: []string{"95% interval of the paired difference, 10 replicates. ~ = includes 0"},
	}
}

func indices() *Bars {
	return &Bars{
		Title: "ttft_p99_ms: Sobol' indices <first> & total", Label: "share of the variance", Kinds: []string{"total", "first order"},
		Floor: Floor{0.04, "dummy"},
		Rows: []BarRow{
			{"rate_rps", []Bar{{0.7, 0.62, 0.79, 0, "0.70", "", ""}, {0.5, 0.44, 0.58, 1, "0.50", "", ""}}},
			{"dummy", []Bar{{0.04, 0.03, 0.05, 0, "0.04", "", ""}, {-0.01, -0.03, 0.01, 1, "-0.01", "", ""}}},
		},
	}
}

func TestBarsGolden(t *testing.T) {
	for name, c := range map[string]*Bars{"tornado": tornado(), "indices": indices(), "nobars": {Title: "nothing"}} {
		golden(t, name, c)
	}
}

// Longer bars are further from the line at 0, on its side; a bar without a
// value is words alone.
func TestBarsScale(t *testing.T) {
	text := string(tornado().SVG())
	filled := strings.Count(text, `"fill:#0072B2`) + strings.Count(text, `"fill:#D55E00`)
	if filled != 5+2 || strings.Contains(text, "NaN") { // bars, legend
		t.Errorf("%d rectangles in\n%s", filled, text)
	}
	if !strings.Contains(text, "-20%: saturated") {
		t.Error("the missing bar says nothing")
	}
}
