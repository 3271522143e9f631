package number

import "testing"

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{WithHalf(318.4, 6.2), "318 ± 6"},
		{WithHalf(14.234, 0.12), "14.2 ± 0.1"},
		{WithHalf(1.1423, 0.0031), "1.142 ± 0.003"},
		{WithHalf(1.25, 0), "1.250 ± 0"},
		{WithHalf(1.12118, 1e-9), "1.121 ± 0"},
		{WithHalf(0, 0), "0 ± 0"},
		{WithHalf(5e6, 3e4), "5000000 ± 30000"},
		{Significant(0), "0"},
		{Significant(1234567), "1234567"},
		{Significant(-0.00123456), "-0.001235"},
		{Percent(0.2489, 1), "+24.9%"},
		{Percent(-0.178, 1), "-17.8%"},
		{Percent(-0.00001, 1), "0.0%"},
		{Grouped(1234567), "1,234,567"},
		{Grouped(999), "999"},
		{Grouped(-1234), "-1,234"},
		{Signed(0.5, 1), "+0.5000"},
		{Signed(-2, -2), "-2.000"},
		{Signed(1e-12, 0), "0"},
		{Signed(3.259e-7, 460.5), "0"},
		{Signed(-4e-4, 460.5), "0"},
		{Signed(5e-4, 460.5), "+0.0005000"},
		{Signed(3.259e-7, 0.1), "+0.0000003259"},
		{Plain(nil), "-"},
		{Plain(0.1), "0.1"},
		{Plural(1, "point"), "1 point"},
		{Plural(1200, "point"), "1,200 points"},
		{Share(0.1234), "12.3%"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
