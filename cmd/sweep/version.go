package main

import (
	"io"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/sweep"
)

// version is set by the linker (make build); "" = ask the build information.
var version string

// versionCommand is sweep version.
func versionCommand(stdout io.Writer) *cobra.Command {
	return program.Version(stdout, "sweep", version, sweep.SimulatorVersion, sweep.ResultSchema)
}
