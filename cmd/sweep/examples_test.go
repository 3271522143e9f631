package main

import (
	"flag"
	"io"
	"testing"

	"github.com/spf13/cobra"

	"scoville/cmd/program/example"
)

// The help teaches by examples, and each runs as it stands on the shipped studies.
func TestExamples(t *testing.T) {
	program := func() *cobra.Command { return tree(io.Discard, io.Discard) }
	example.Parse(t, program)
	if testing.Short() {
		t.Skip("runs studies")
	}
	example.Run(t, program(), example.Options{Studies: "../../studies", Codes: []int{5}}) // 5: the winner was luck
}

var manual = flag.String("man", "", "write the manual pages into this folder")

// The manual pages are those of make man.
func TestMan(t *testing.T) {
	dir := *manual
	if dir == "" {
		dir = t.TempDir()
	}
	example.Man(t, tree(io.Discard, io.Discard), dir)
}
