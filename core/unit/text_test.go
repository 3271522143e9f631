package unit

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"14.2 ± 0.1\tms\n日本 😀": "14.2 ± 0.1\tms\n日本 😀",
		"a\x1b[2Jb\rc\x00\x7f": `a\u001b[2Jb\u000dc\u0000\u007f`,
		"a\u202eb\U000e0041":   `a\u202eb\udb40\udc41`,
		"a\xffb":               "a\ufffdb",
		"a\ufffdb":             "a\ufffdb",
		"":                     "",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCommas(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Commas("4245.5"), "4,245.5"},
		{Commas("-274200"), "-274,200"},
		{Commas("-200"), "-200"},
		{Commas("0.00123"), "0.00123"},
		{Grouped(1234567), "1,234,567"},
		{Rounded(3.456), "3.46"},
		{Rounded(99.96), "100"},
		{Rounded(999.6), "1,000"},
		{Rounded(8e5), "800,000"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
