// Package handbook knows the reference of the study language and of the tables
// of results as one Markdown page, made from the tables that the program itself
// goes by. It must not know a key or a column that no other room has.
package handbook

import (
	"io"
	"strconv"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/export"
	"scoville/sweep/study"
)

// parts of a scenario, in the order of the page, with what they hold.
var parts = []struct{ name, says string }{
	{"model", "The LLM: a catalogue name (`sweep list models`), a `config.json` of Hugging Face or a profile; any dimension may be overridden."},
	{"hardware", "One chip, and its links to others: a catalogue name (`sweep list chips`) or a file of your own; any number may be overridden. Efficiencies (`*_util`) are 1 unless a calibration or the study says otherwise."},
	{"engine", "The serving engine: batching, KV blocks, parallelism, and what its host costs."},
	{"workload", "The requests: arrivals, classes of lengths, or a trace. NAME is the name that `[[workload.class]]` gives."},
	{"measurement", "Which requests count, and whose clock."},
}

// page is a Markdown page under way. The first error of its writer stays.
type page struct {
	w   io.Writer
	gap string // before the next block
	err error
}

// Write writes the page.
func Write(w io.Writer) error {
	p := &page{w: w}
	p.say(`# Reference

Every key of a study and every column of its results, made by ` + "`make reference`" + ` (` + "`sweep list reference`" + `) from
the tables that the program goes by. ` + "`sweep list keys onchip`" + ` prints the keys whose name has a part. How keys are put
together stands in [GRAMMAR.md](GRAMMAR.md), what the numbers are worth in [TRUST.md](TRUST.md).

- [Scenario](#scenario): [model](#model), [hardware](#hardware), [engine](#engine), [workload](#workload), [measurement](#measurement), [slo](#slo)
- [Design](#design)
- [Metrics](#metrics)
- [Tables](#tables): [runs](#runs), [points](#points), [effects](#effects), [searches](#searches), [classes](#classes), [requests](#requests)

## Scenario

A key is written as a path (` + "`hardware.overlap = 0.5`" + `) or under its table (` + "`[hardware]`" + `). Each may be an axis, a level of
a case, a parameter of a sample, what a search looks for, and free in a fit. Intervals are written with \[ for an end that belongs to it and ( for one that does
not. A key without a default comes from the catalogue, must be given, or is left out.`)
	for _, part := range parts {
		p.scenario(part.name, part.says)
	}
	p.say(`### slo

` + "`[slo]`" + ` limits metrics: ` + "`ttft_p99_ms = { max = 500 }`, `goodput_rps = { min = 4 }`" + `. A run meets it when every limit is kept;
` + "`goodput_rps` and `good_ratio`" + ` count the requests whose own TTFT, TPOT and E2E keep the limits on these.`)
	p.design()
	p.metrics()
	p.tables()
	return p.err
}

func (p *page) say(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, p.gap+text+"\n")
		p.gap = "\n"
	}
}

// table writes a table; the first cell of each row is code.
func (p *page) table(header []string, rows [][]string) {
	var b strings.Builder
	b.WriteString("| " + strings.Join(header, " | ") + " |\n|" + strings.Repeat("---|", len(header)) + "\n")
	for _, row := range rows {
		b.WriteString("| `" + strings.ReplaceAll(row[0], "|", `\|`) + "`")
		for _, cell := range row[1:] {
			b.WriteString(" | " + escape.Replace(cell))
		}
		b.WriteString(" |\n")
	}
	p.say(strings.TrimSuffix(b.String(), "\n"))
}

// escape keeps a text as it is in a cell.
var escape = strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "[", `\[`)

func (p *page) scenario(part, says string) {
	p.say("### " + part + "\n\n" + says)
	var rows [][]string
	for _, f := range scenario.Fields() {
		if strings.HasPrefix(f.Path, part+".") {
			rows = append(rows, []string{f.Path, f.Kind.String(), f.Unit, Allowed(f), f.Default, f.Help})
		}
	}
	p.table([]string{"key", "type", "unit", "allowed", "default", "meaning"}, rows)
}

// Allowed says which values a key takes: the words of an enumeration, the range
// of a number as mathematics writes it, "" for any.
func Allowed(f scenario.Field) string {
	if !f.HasRange {
		return strings.Join(f.Enum, " | ")
	}
	open, end := "[", "]"
	if f.LoOpen {
		open = "("
	}
	if f.HiOpen {
		end = ")"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return open + number(f.Lo) + ", " + number(f.Hi) + end
}

func (p *page) design() {
	p.say("## Design\n\nThe keys of a study beside those of its scenario: what is varied, how often each point runs, what is made of it. PATH is a key of the scenario.")
	var rows [][]string
	for _, k := range study.Keys() {
		rows = append(rows, []string{k.Path, k.Allowed, k.Default, k.Help})
	}
	p.table([]string{"key", "allowed", "default", "meaning"}, rows)
}

func (p *page) metrics() {
	p.say("## Metrics\n\nWhat one run measures: columns of `runs.parquet`, over the requests after warm-up. A metric without a value is NULL, never 0 and never NaN. `better` says which way is good; without it, neither is.")
	var rows [][]string
	for _, c := range metrics.Columns() {
		rows = append(rows, []string{c.Name, c.Unit, c.Better, c.Definition})
	}
	p.table([]string{"metric", "unit", "better", "definition"}, rows)
}

// columns writes the columns of a table; metrics have a table of their own.
func (p *page) columns(name string) {
	var rows [][]string
	for _, c := range export.Columns() {
		if _, metric := metrics.Index(c.Name); c.Table == name && !metric {
			rows = append(rows, []string{c.Name, c.Kind.String(), c.Unit, c.Better, c.Definition})
		}
	}
	p.table([]string{"column", "type", "unit", "better", "definition"}, rows)
}

// tables of a folder of results, in the order of the page.
var tables = []struct{ name, says string }{
	{"runs", "`runs.parquet`: a row per point and replicate, and per run of a search. The [metrics](#metrics) stand between the axes and `slo_ok`."},
	{"points", "`points.parquet`: a row per point, with what its ok runs say together. METRIC is each metric that `[output] metrics` selects, all unless given."},
	{"effects", "`effects.parquet`: a row per metric, parameter and level of `[oat]`, and per metric, parameter and measure of a `[sample]`."},
	{"searches", "`searches.parquet`: a row per search."},
	{"classes", "`classes.parquet`, where there are several classes of requests: a row per point and class."},
	{"requests", "`requests/POINT-sSEED-rREPLICATE.parquet`, with `[output] requests`: a row per request of one run. Those before `request` are in the CSV of `sweep export csv`, not in the files."},
}

func (p *page) tables() {
	p.say(`## Tables

Parquet, zstd, sorted, equal to the byte for the same study whatever the number of workers. Every column is always there; one that
a study has no use for is NULL. AXIS stands for a column of each axis, named by the last part of its path where that is unique, else by the path with ` + "`_`" + ` for
the dots. The footer has key-value metadata: ` + "`sweep.columns`" + ` (JSON of name, kind, path, unit, better and definition), ` + "`sweep.study_toml`, `sweep.inputs`" + ` (files with
their hashes), ` + "`sweep.sim_version`, `sweep.seed`, `sweep.set`" + ` and others.`)
	for _, t := range tables {
		p.say("### " + t.name + "\n\n" + t.says)
		p.columns(t.name)
	}
}
