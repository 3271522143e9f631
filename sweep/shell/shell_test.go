package shell

import (
	"os/exec"
	"testing"
)

// A shell gives back every quoted word as it was.
func TestQuote(t *testing.T) {
	for _, word := range []string{"", "plain", "a b", "it's", "$(touch x)", "`id`", "a\nb", "*", "~", "\\", "\"", "'", "''", "!", "-n", "a;b", "#x", "é\u202e"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: %q, %v", word, out, err)
		}
	}
	if got := Command("run", "a b.toml", []string{"x=1 2"}, "out"); got != "sweep run 'a b.toml' --set 'x=1 2' -o out" {
		t.Error(got)
	}
	for word, want := range map[string]string{
		"a/b-c.toml": "a/b-c.toml", "my study.toml": "'my study.toml'", "it's": `'it'\''s'`,
		"workload.class.a.output_tokens={ dist = \"fixed\" }": "'workload.class.a.output_tokens={ dist = \"fixed\" }'",
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
