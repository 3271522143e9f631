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
