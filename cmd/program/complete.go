package program

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Completer suggests how an argument, or the value of a flag, may go on.
type Completer = cobra.CompletionFunc

// Extensions completes files by their extensions, and folders.
func Extensions(ext ...string) Completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return ext, cobra.ShellCompDirectiveFilterFileExt
	}
}

// First completes the first n arguments in a way, those after them not at all.
func First(n int, complete Completer) Completer {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, begun)
	}
}

// Words completes the first cells of rows, with the last as what they mean; end is
// put behind them, such as "=" where a value follows.
func Words(rows func() [][]string, end string) Completer {
	return func(_ *cobra.Command, _ []string, begun string) (out []cobra.Completion, how cobra.ShellCompDirective) {
		how = cobra.ShellCompDirectiveNoFileComp
		if end != "" {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		for _, row := range rows() {
			if len(row) > 0 && strings.HasPrefix(row[0], begun) {
				out = append(out, cobra.CompletionWithDesc(row[0]+end, row[len(row)-1]))
			}
		}
		return out, how
	}
}

// Either completes in two ways at once: words, and files by their extension.
func Either(words, files Completer) Completer {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if out, how := words(c, args, begun); len(out) > 0 {
			return out, how
		}
		return files(c, args, begun)
	}
}

// Folders completes folders that hold a file of some name, and those on the way to
// them; beside what is begun those in usual.
func Folders(file, usual string) Completer {
	return func(_ *cobra.Command, _ []string, begun string) (out []cobra.Completion, how cobra.ShellCompDirective) {
		how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		patterns := []string{begun + "*"}
		if begun == "" {
			patterns = append(patterns, filepath.Join(usual, "*"))
		}
		for _, p := range patterns {
			found, _ := filepath.Glob(p)
			for _, dir := range found {
				if info, err := os.Stat(dir); err != nil || !info.IsDir() || strings.HasPrefix(filepath.Base(dir), ".") {
					continue
				}
				if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
					out = append(out, dir)
				} else if p == begun+"*" && dir != usual {
					out = append(out, dir+string(filepath.Separator))
				}
			}
		}
		return out, how
	}
}

// Complete tells the verbs of a program how their arguments and flags complete, by
// the path of the verb below the program, such as "export csv", and the name of the
// flag, "" for arguments.
func Complete(root *cobra.Command, ways map[string]map[string]Completer) {
	for path, flags := range ways {
		verb, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			continue // a build without this verb
		}
		for name, way := range flags {
			if name == "" {
				verb.ValidArgsFunction = way
			} else if verb.Flags().Lookup(name) != nil {
				_ = verb.RegisterFlagCompletionFunc(name, way)
			}
		}
	}
}
