package main

import (
	"maps"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario"
)

// complete tells the verbs how a shell goes on with their arguments.
func complete(root *cobra.Command) {
	files := program.Extensions("toml")
	models := program.Words(func() [][]string { return names(model.Names()) }, "")
	chips := program.Words(func() [][]string { return names(hardware.Names()) }, "")
	in := map[string]program.Completer{
		"spec": files, "model": program.Either(models, program.Extensions("json", "toml")), "hardware": program.Either(chips, files),
		"set":     program.Words(keys, "="),
		"unit":    program.Words(func() [][]string { return names([]string{"ms", "s"}) }, ""),
		"holdout": program.Words(holdouts, ""),
		"output":  files,
	}
	score, suggest := maps.Clone(in), maps.Clone(in)
	score[""] = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault // measurements
		}
		return files(c, args, begun)
	}
	suggest[""] = program.First(1, files)
	program.Complete(root, map[string]map[string]program.Completer{"check": in, "fit": in, "score": score, "suggest": suggest})
}

func names(list []string) (out [][]string) {
	for _, name := range list {
		out = append(out, []string{name, ""})
	}
	return out
}

func keys() (out [][]string) {
	for _, f := range scenario.Fields() {
		out = append(out, []string{f.Path, f.Help})
	}
	return out
}

// holdouts are the ways to hold rows out.
func holdouts() [][]string {
	return [][]string{
		{"fraction=0.2", "a share of the conditions at random"},
		{"folds=5", "each of several random parts in turn"},
		{"by=concurrency", "each value of a key in turn"},
		{"by=prompt", "likewise"},
		{"by=output", "likewise"},
		{"by=tp", "likewise"},
		{"by=model", "likewise"},
	}
}
