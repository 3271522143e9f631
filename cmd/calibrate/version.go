package main

import (
	"io"

	"github.com/spf13/cobra"

	"scoville/calibrate"
	"scoville/cmd/program"
)

// version is set by the linker (make build); "" = ask the build information.
var version string

// versionCommand is calibrate version.
func versionCommand(stdout io.Writer) *cobra.Command {
	return program.Version(stdout, "calibrate", version, calibrate.SimulatorVersion, calibrate.ResultSchema)
}
