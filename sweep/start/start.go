// Package start holds studies to start from, with comments that teach the
// language. Each runs as it stands.
package start

import (
	"embed"
	"slices"
)

//go:embed *.toml
var files embed.FS

// Names are the studies there are.
var Names = []string{"sensitivity", "grid", "capacity", "screen"}

// Study returns the text of a study; false for a name that is none.
func Study(name string) (string, bool) {
	if !slices.Contains(Names, name) {
		return "", false
	}
	text, err := files.ReadFile(name + ".toml")
	return string(text), err == nil
}
