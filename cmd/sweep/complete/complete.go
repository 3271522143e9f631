// Package complete knows how a shell goes on with the arguments of sweep: studies,
// folders of results, points, metrics, keys, chips and models. What it reads it reads
// when asked; what cannot be read is suggested not at all.
package complete

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/sweep"
)

// maxPoints is how many points are suggested.
const maxPoints = 200

// list are the words of sweep list, without their heading.
func list(kind string) func() [][]string {
	return func() [][]string { return sweep.Words(kind, "")[1:] }
}

// fixed are words with what they mean.
func fixed(words ...string) program.Completer {
	rows := make([][]string, 0, len(words))
	for _, w := range words {
		name, means, _ := strings.Cut(w, ": ")
		rows = append(rows, []string{name, means})
	}
	return program.Words(func() [][]string { return rows }, "")
}

// Wire tells the verbs below root how they complete.
func Wire(root *cobra.Command) {
	study := program.First(1, program.Extensions("toml"))
	folder := program.Folders("manifest.json", "results")
	results := program.First(1, folder)
	set := program.Words(list("keys"), "=")
	metrics := program.Words(list("metrics"), "")
	progress := fixed("auto: a line on a terminal, else plain", "plain: a line every ten seconds", "json: likewise, as JSON", "none: nothing")
	chips := program.Either(program.Words(list("chips"), ""), program.Extensions("toml"))
	program.Complete(root, map[string]map[string]program.Completer{
		"plan":              {"": study, "set": set, "explain": program.Words(list("keys"), ""), "points": program.Extensions("csv")},
		"run":               {"": study, "set": set, "progress": progress, "shard": fixed("auto: of a Slurm array or an Indexed Job"), "point": points},
		"merge":             {"": program.Either(folder, program.Extensions("toml")), "set": set, "progress": progress},
		"submit":            {"": study, "set": set, "engine": fixed("slurm: an array of tasks", "kubernetes: an Indexed Job")},
		"status":            {"": results},
		"show":              {"": results, "point": points},
		"confirm":           {"": results, "by": metrics, "progress": progress},
		"diff":              {"": program.First(2, folder), "by": metrics, "metric": metrics},
		"report":            {"": results},
		"history":           {"": folder},
		"export csv":        {"": results, "table": program.Words(tables, ""), "columns": columns},
		"export prometheus": {"": results, "point": points},
		"profile":           {"": program.First(1, program.Extensions("json")), "model": program.Words(list("models"), ""), "hardware": chips},
		"list":              {"": words},
	})
}

// words completes the kinds of sweep list.
func words(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return fixed("keys: of the scenario", "design: keys of the design", "models", "chips", "metrics", "columns: of the tables", "reference: all keys and columns in Markdown")(c, args, begun)
	}
	rows := sweep.Words(args[0], "")
	if len(args) > 1 || rows == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return program.Words(func() [][]string { return rows[1:] }, "")(c, args, begun)
}

func tables() (out [][]string) {
	for _, name := range sweep.CSVTables() {
		out = append(out, []string{name})
	}
	return out
}

// beginning keeps the first lines of what is written, and then is full.
type beginning struct {
	bytes.Buffer
	lines int // to come
}

func (b *beginning) Write(text []byte) (int, error) {
	for i, c := range text {
		if b.lines == 0 {
			return i, io.ErrShortWrite
		}
		b.Buffer.WriteByte(c)
		if c == '\n' {
			b.lines--
		}
	}
	return len(text), nil
}

// columns completes the columns of the table that is asked for.
func columns(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	table, _ := c.Flags().GetString("table")
	head := beginning{lines: 1}
	_ = sweep.CSV(sweep.CSVOptions{Dir: args[0], Table: table}, &head) // it ends with the heading
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	var rows [][]string
	for _, name := range strings.Split(strings.TrimSpace(head.String()), ",") {
		rows = append(rows, []string{before + name, ""})
	}
	return program.Words(func() [][]string { return rows }, "")(c, args, begun)
}

// points completes the points of results, or of a study: index, and where in the
// design.
func points(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	b := beginning{lines: 1 + maxPoints} // both writers end when it is full
	if strings.HasSuffix(args[0], ".toml") {
		if p, err := sweep.Load(args[0], nil); err == nil {
			_ = sweep.WritePoints(&b, p)
		}
	} else {
		_ = sweep.CSV(sweep.CSVOptions{Dir: args[0], Table: "points"}, &b)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return program.Words(func() [][]string { return places(rows) }, "")(c, args, begun)
}

// places are the points of a table with their number and what they are.
func places(rows [][]string) (out [][]string) {
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	first, ok := at["infeasible"] // of a plan: axes follow
	end := len(rows[0])
	if !ok {
		first, ok = at["runs_ok"]
	}
	for _, row := range rows[1:] {
		if !ok {
			break
		}
		what := row[at["oat_path"]] + " " + row[at["oat_level"]]
		if strings.TrimSpace(what) == "" {
			var axes []string
			for i := first + 1; i < min(end, first+5) && !strings.HasSuffix(rows[0][i], "_mean"); i++ {
				axes = append(axes, rows[0][i]+"="+row[i])
			}
			what = strings.Join(axes, " ")
		}
		out = append(out, []string{row[at["point_index"]], strings.TrimSpace(what)})
	}
	return out
}
