// Package program holds what the programs have in common: the doorway from the
// process, and the verb that says what was built.
package program

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is the verb version of a program. linked is the version that the
// linker set, "" to ask the build information; simulator and results are the
// versions that results are bound to.
func Version(out io.Writer, name, linked string, simulator, results int) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, the simulator and the results",
		Example: "  " + name + " version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(out, "%-9s  %s\nsimulator  %d\nresults    %d\n", name, build(linked), simulator, results)
			return err
		},
	}
}

// build names the running program: version, Go release, commit and its time.
func build(v string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v == "" {
		v = info.Main.Version
	}
	v += " " + info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.time" {
			v += " " + s.Value
		}
		if s.Key == "vcs.modified" && s.Value == "true" {
			v += " modified"
		}
	}
	return v
}
