// Package shell words commands for a POSIX shell: names come from studies and
// folders of others, and none of their characters may mean anything to it.
package shell

import (
	"os"
	"path/filepath"
	"strings"
)

// Quote makes a word safe for a shell.
func Quote(s string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./=:,+@%", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !safe(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Short is a file's name from the working directory, where that is shorter; a URL
// stays as it is.
func Short(file string) string {
	if strings.Contains(file, "://") {
		return file
	}
	cwd, err := os.Getwd()
	if err != nil {
		return file
	}
	full, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(cwd, full); err == nil && len(rel) < len(full) {
		return rel
	}
	return full
}

// Command words a verb of sweep on a study with --set values, that writes to dir;
// "" = where the study says.
func Command(verb, study string, set []string, dir string) string {
	text := "sweep " + verb + " " + Quote(study)
	for _, s := range set {
		text += " --set " + Quote(s)
	}
	if dir != "" {
		text += " -o " + Quote(dir)
	}
	return text
}
