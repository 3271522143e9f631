package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"scoville/cmd/program/example"
	"scoville/cmd/sweep/codes"
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

// The manual pages are those of make man.
func TestMan(t *testing.T) { example.Man(t, tree(io.Discard, io.Discard)) }

// A verb that exit codes name is there, and its help has them.
func TestExits(t *testing.T) {
	root := tree(io.Discard, io.Discard)
	for _, m := range regexp.MustCompile(`\n +\(([a-z, ]+)\)`).FindAllStringSubmatch(codes.Of(""), -1) {
		for verb := range strings.SplitSeq(m[1], ", ") {
			if c, _, err := root.Find([]string{verb}); err != nil || !strings.HasSuffix(c.Long, codes.Of(verb)) {
				t.Errorf("%s: %v; its help has other exit codes than\n%s", verb, err, codes.Of(verb))
			}
		}
	}
}
