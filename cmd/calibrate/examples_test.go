package main

import (
	"io"
	"testing"

	"github.com/spf13/cobra"

	"scoville/cmd/program/example"
)

// The help teaches by examples, and each runs as it stands on the shipped
// measurements.
func TestExamples(t *testing.T) {
	program := func() *cobra.Command { return tree(io.Discard, io.Discard) }
	example.Parse(t, program)
	if testing.Short() {
		t.Skip("fits")
	}
	const minutes = "half a minute of both cores; another test runs the same fit"
	example.Run(t, program(), example.Options{Studies: "../../studies", Skip: map[string]string{
		"calibrate fit studies/measured/h100.csv -o studies/calibrated.toml":             minutes,
		"calibrate fit 'studies/measured/*.csv' --each --set engine.version='vllm 0.11'": minutes,
	}})
}

// The manual pages are those of make man.
func TestMan(t *testing.T) { example.Man(t, tree(io.Discard, io.Discard)) }
