// Package reading words what was understood of files of measurements: columns,
// loads and ranges of the rows in use, what looks wrong, and what is still to
// be said; and it turns words of a command line into names of files and values
// of scenario keys. It neither reads measurements nor simulates.
package reading

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/measured"
	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Run is one condition with the rows that measured it.
type Run struct {
	Scenario *scenario.Scenario
	Rows     []*measured.Observation
}

// sameForm are files of one form with the same columns.
type sameForm []*measured.File

// Files prints how files were understood, those alike together.
func Files(b *strings.Builder, files []*measured.File) {
	for _, g := range alike(files) {
		g.print(b)
	}
}

// alike groups files that are understood alike, in order of their first.
func alike(files []*measured.File) []sameForm {
	var out []sameForm
	at := map[string]int{}
	for _, f := range files {
		key := fmt.Sprint(f.Form, f.Mapping, f.Ignored, f.Load)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

func (g sameForm) print(b *strings.Builder) {
	rows := 0
	var notes []string
	for _, f := range g {
		rows += len(f.Rows)
		for _, n := range f.Notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	f := g[0]
	if len(g) == 1 {
		fmt.Fprintf(b, "%s  %s form, %s, sha256 %s\n", f.Name, f.Form, count(rows, "row"), f.SHA256[:16])
	} else {
		fmt.Fprintf(b, "%d files, %s .. %s  %s form, %s\n", len(g), f.Name, g[len(g)-1].Name, f.Form, count(rows, "row"))
	}
	width := 0
	for _, m := range f.Mapping {
		width = max(width, len(m.Column))
	}
	for _, m := range f.Mapping {
		fmt.Fprintf(b, "  %-*s -> %s\n", width, m.Column, m.Meaning)
	}
	if len(f.Ignored) > 0 {
		fmt.Fprintf(b, "  not used: %s\n", strings.Join(f.Ignored, ", "))
	}
	if f.Load != "" {
		fmt.Fprintf(b, "  load: %s\n", f.Load)
	}
	for i, n := range notes {
		if i == 5 {
			fmt.Fprintf(b, "  note: and %d more of other files\n", len(notes)-i)
			break
		}
		fmt.Fprintf(b, "  note: %s\n", n)
	}
}

// Unsaid drops rows whose chip or model is not said or not known, and returns
// what to give, each question once with the rows it is about.
func Unsaid(rows []*measured.Observation, fixed []scenario.Assignment) []string {
	asks := map[string]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		text := func(path string) string {
			for _, a := range slices.Backward(fixed) {
				if a.Path == path {
					return fmt.Sprint(a.Value)
				}
			}
			s, _ := o.Value(path).(string)
			return s
		}
		ask := func(why, what string) {
			o.Drop("%s", why)
			asks[what]++
		}
		chip, name := text("hardware.name"), text("model.name")
		_, errChip := hardware.Catalog(chip)
		_, errModel := model.Catalog(name)
		own := cmp.Or(text("model.config"), text("model.profile")) != ""
		_, what, give := o.Unsaid(fixed)
		switch {
		case what != "":
			ask(what, give)
		case errChip != nil && !strings.HasSuffix(chip, ".toml"):
			ask(fmt.Sprintf("chip %q is not in the catalogue", chip), fmt.Sprintf("--hardware NAME for %q: %s", chip, whichChip(chip)))
		case errModel != nil && !own:
			ask(fmt.Sprintf("model %q is not in the catalogue", name), fmt.Sprintf("--model NAME or --model path/to/config.json for %q, or that file beside the data as config.json: the catalogue does not have it%s", name, near(errModel)))
		}
	}
	var out []string
	for _, what := range slices.Sorted(maps.Keys(asks)) {
		out = append(out, fmt.Sprintf("%s   # %s", what, count(asks[what], "row")))
	}
	return out
}

// whichChip says which chips of the catalogue a name may mean, and what to give
// for one that it does not have.
func whichChip(name string) string {
	own := "or chip.toml, a file with its memory_gib, memory_bandwidth_gb_s and peak_tflops (README)"
	if like := measured.LikeChips(name); len(like) > 0 {
		return fmt.Sprintf("which one is it? %s, %s", strings.Join(like, ", "), own)
	}
	return fmt.Sprintf("the catalogue has %s, %s", strings.Join(hardware.Names(), ", "), own)
}

// near is what an error of the model catalogue takes a name for.
func near(err error) string {
	e, ok := errors.AsType[*model.KeyError](err)
	if !ok || !strings.HasPrefix(e.Hint, "did you mean") {
		return ""
	}
	guess, _, _ := strings.Cut(e.Hint, "?")
	return " (" + guess + "?)"
}

// Ranges prints over which values the usable rows spread.
func Ranges(b *strings.Builder, runs []Run, metrics []string) {
	spans := []struct {
		name   string
		values []float64
	}{{name: "prompt"}, {name: "output"}, {name: "tp"}, {name: "concurrency"}, {name: "rate"}}
	for _, r := range runs {
		sc := r.Scenario
		w := &sc.Workload
		if len(w.Class) > 0 {
			spans[0].values, spans[1].values = append(spans[0].values, w.Class[0].Prompt.Mean), append(spans[1].values, w.Class[0].Output.Mean)
		}
		spans[2].values = append(spans[2].values, float64(sc.Engine.TP))
		switch {
		case w.Arrival == workload.Closed:
			spans[3].values = append(spans[3].values, float64(w.Concurrent))
		case w.Arrival != workload.Burst && w.RateRPS > 0:
			spans[4].values = append(spans[4].values, w.RateRPS)
		}
	}
	var parts []string
	for _, s := range spans {
		if len(s.values) > 0 {
			parts = append(parts, s.name+" "+span(s.values))
		}
	}
	for _, m := range metrics {
		var values []float64
		for _, r := range runs {
			for _, o := range r.Rows {
				if x, ok := o.Target(m); ok {
					values = append(values, x)
				}
			}
		}
		parts = append(parts, m+" "+span(values))
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "ranges  %s\n", strings.Join(parts, "; "))
	}
}

func span(values []float64) string {
	lo, hi := slices.Min(values), slices.Max(values)
	if math.Abs(hi-lo) < 1e-9*math.Abs(hi) {
		return short(lo)
	}
	return short(lo) + " .. " + short(hi)
}

// Suspects lists what looks wrong with rows in use, by suspicion, with the
// first of the rows it is about.
func Suspects(rows []*measured.Observation) []string {
	var order []string
	first, about := map[string]string{}, map[string]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		for _, s := range o.Suspects {
			what, _, _ := strings.Cut(s, ":")
			if about[what]++; about[what] == 1 {
				order = append(order, what)
				first[what] = fmt.Sprintf("%s (%s:%d)", s, o.File, o.Line)
			}
		}
	}
	for i, what := range order {
		order[i] = fmt.Sprintf("%s of %d: %s", count(about[what], "row"), len(rows), first[what])
	}
	return order
}

// Command is a command line in parts.
type Command struct {
	Files, Sets []string
	Names       bool        // --trust-names
	Flags       [][2]string // with their values; empty values are left out
}

// Next says how to go on: with a fit of the same files. choose: not before one
// of the choices printed above is made.
func Next(b *strings.Builder, c Command, choose bool) {
	line := "calibrate fit"
	for _, name := range c.Files[:min(3, len(c.Files))] {
		line += " " + quoted(name)
	}
	if len(c.Files) > 3 {
		line += " …"
	}
	for _, s := range c.Sets {
		line += " --set " + quoted(s)
	}
	if c.Names {
		line += " --trust-names"
	}
	for _, f := range c.Flags {
		switch {
		case f[1] == "":
		default:
			line += " " + f[0] + " " + quoted(f[1])
		}
	}
	if choose {
		line += "   # with one of the choices above"
	}
	fmt.Fprintf(b, "next    %s\n", line)
}

// quoted is a word as a shell takes it; a pattern alone stays as it is.
func quoted(word string) string {
	if strings.ContainsAny(word, " '\"&|<>()$;`") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// count prints a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// short prints three significant digits without an exponent.
func short(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
