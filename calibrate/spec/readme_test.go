package spec

import (
	"os"
	"strings"
	"testing"
)

// TestReadme: the specification that calibrate/README.md shows can be read, and the
// page names every key that one may have.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no specification")
	}
	s, err := parse("fit.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Params) != 4 || len(s.Targets) != 2 || s.Keep == nil || s.MaxError != 0.1 {
		t.Errorf("read as %+v", s)
	}
	_, about, _ := strings.Cut(string(page), "## A specification")
	for table, keys := range specKeys {
		for _, key := range append(keys, table) {
			if !strings.Contains(about, key) {
				t.Errorf("calibrate/README.md does not have %s of %s", key, table)
			}
		}
	}
}
