package start

import (
	"strings"
	"testing"
)

// Every study is there, says its name, and fits a terminal.
func TestStudies(t *testing.T) {
	for _, name := range Names {
		text, ok := Study(name)
		if !ok || !strings.Contains(text, "\nname = \""+name+"\"") {
			t.Errorf("%s: %t, or another name", name, ok)
		}
		for _, line := range strings.Split(text, "\n") {
			if len(line) > 100 {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	for _, name := range []string{"", "grid.toml", "../start", "sample"} {
		if _, ok := Study(name); ok {
			t.Errorf("there is a study %q", name)
		}
	}
}
