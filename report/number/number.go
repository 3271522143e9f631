// Package number prints numbers as tables show them: as many digits as they
// mean something, no exponents, no signs of what is rounded away.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"scoville/core/unit"
)

// Plain prints a cell of a table.
func Plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// Decimals is how many digits after the point show the first digit of x.
func Decimals(x float64) int {
	if x = math.Abs(x); x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return max(0, -int(math.Floor(math.Log10(x))))
}

// Significant prints four significant digits without exponent.
func Significant(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

// WithHalf prints a mean and half its interval, as many digits as the interval
// leaves meaning to.
func WithHalf(mean, half float64) string {
	most := max(0, 4-int(math.Floor(math.Log10(max(math.Abs(mean), 1e-300))))) // five significant digits
	d := Decimals(half)
	if half == 0 || d > most {
		return Significant(mean) + " ± 0"
	}
	return fmt.Sprintf("%.*f ± %.*f", d, mean, d, half)
}

// Percent prints a signed ratio as percent with d decimals; what they cannot
// show has no sign.
func Percent(ratio float64, d int) string {
	s := fmt.Sprintf("%+.*f%%", d, 100*ratio)
	if strings.Trim(s, "+-0.%") == "" {
		return s[1:]
	}
	return s
}

// Share prints a ratio as percent.
func Share(ratio float64) string { return fmt.Sprintf("%.1f%%", 100*ratio) }

// Plural prints a count of something.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(n) + " " + thing + "s"
}

// Grouped prints a count with commas.
func Grouped(n int) string { return unit.Grouped(n) }

// Signed prints a difference with its sign, as 0 what is less than a millionth
// of the value that it is a part of: sums of many steps round to that.
func Signed(x, of float64) string {
	if math.Abs(x) < max(1e-9, 1e-6*math.Abs(of)) {
		return "0"
	}
	s := Significant(x)
	if x > 0 {
		s = "+" + s
	}
	return s
}

// Level marks an absolute level as one: "-20%" and "x2" stay, "4800" and
// "fp16" become "= 4800" and "= fp16".
func Level(level string) string {
	number, times := strings.CutPrefix(level, "x")
	if _, err := strconv.ParseFloat(number, 64); strings.HasSuffix(level, "%") || times && err == nil {
		return level
	}
	return "= " + level
}
