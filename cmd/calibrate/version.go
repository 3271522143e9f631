package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"scoville/calibrate"
)

// version is set by the linker (make build); "" = ask the build information.
var version string

// versionCommand is calibrate version.
func versionCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, the simulator and the results",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "calibrate  %s\nsimulator  %d\nresults    %d\n", build(), calibrate.SimulatorVersion, calibrate.ResultSchema)
			return err
		},
	}
}

// build names this program: version, Go release, commit and its time.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	v := version
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
