package sheet

import (
	"bytes"
	"testing"
)

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`,
		"+1+cmd|' /C calc'!A0":   "'+1+cmd|' /C calc'!A0",
		"-2+3":                   "'-2+3",
		"@SUM(A1)":               "'@SUM(A1)",
		"\t=1":                   "'\t=1",
		"-20%":                   "-20%", "+10%": "+10%", "-1.5e-7": "-1.5e-7", "x0.5": "x0.5", "": "", "chat": "chat", "a=b": "a=b",
		"a\x1b[31m\u202e": `a\u001b[31m\u202e`,
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	if err := NewWriter(&b).WriteAll([][]string{{"a", "b"}, {"=1", "x,\"y\"\nz"}, {"-1", ""}}); err != nil {
		t.Fatal(err)
	}
	if want := "a,b\n'=1,\"x,\"\"y\"\"\nz\"\n-1,\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
