package study

import (
	"strings"
	"testing"
)

// A study of a few megabytes has room for lists that would take for ever.
func TestListsAreBounded(t *testing.T) {
	const head = "schema = 1\nname = \"x\"\n"
	for _, c := range []struct{ text, want string }{
		{head + "base = [" + strings.Repeat("\"o.toml\",", 101) + "]\n", `x.toml:3:1: base: is given 101 times, the limit is 100`},
		{head + strings.Repeat("[[where]]\nkeep = \"engine.tp == 1\"\n", 1001), `x.toml:3:1: where: is given 1001 times, the limit is 1000`},
		{head + strings.Repeat("[[report.plot]]\nname = \"a\"\n", 101), `report.plot: is given 101 times, the limit is 100`},
		{head + strings.Repeat("[[objective]]\n", 101), `objective: is given 101 times`},
		{head + strings.Repeat("[[hardware.derate]]\n", 1001), `hardware.derate: is given 1001 times`},
	} {
		_, err := Decode("x.toml", []byte(c.text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
