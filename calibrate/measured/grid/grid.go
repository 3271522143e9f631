// Package grid reads grids of offline batches: so many prompts of one length
// given to an idle engine at once, timed to the last token (latency-grid), or
// with the prompt phase and the token phase timed apart (phase-grid).
package grid

import (
	"fmt"
	"math"
	"strings"

	"scoville/calibrate/measured/row"
)

// field is a column of a grid with what it is taken for.
type field struct {
	names   []string // folded
	meaning string
}

// table is a sheet with its columns found.
type table struct {
	*row.Sheet
	at map[string]int // first folded name of a field -> column
}

// columns finds fields in the header and notes what they were taken for.
func columns(s *row.Sheet, fields []field, f *row.File) table {
	t := table{s, map[string]int{}}
	for _, want := range fields {
		t.at[want.names[0]] = -1
	}
	for c, h := range s.Header {
		known := false
		for _, want := range fields {
			for _, n := range want.names {
				if row.Fold(h) == n && t.at[want.names[0]] < 0 {
					t.at[want.names[0]], known = c, true
					f.Mapping = append(f.Mapping, row.Mapping{Column: h, Meaning: want.meaning})
				}
			}
		}
		if !known && h != "" {
			f.Ignored = append(f.Ignored, h)
		}
	}
	return t
}

// text returns a cell of a row, "" where the sheet has no such column.
func (t *table) text(rec int, name string) string {
	if c := t.at[name]; c >= 0 {
		return t.Records[rec].Cells[c]
	}
	return ""
}

// count reads a positive whole number.
func (t *table) count(rec int, name string) (int, error) {
	c := t.at[name]
	x, err := t.Number(rec, c)
	if err != nil {
		return 0, err
	}
	if x < 1 || x > 1e7 || x != math.Trunc(x) {
		return 0, t.CellError(rec, c, "", "%g is not a whole number from 1 to 1e7", x)
	}
	return int(x), nil
}

// batch is what a row of either grid says of the run.
type batch struct{ prompt, output, size int }

// set gives an observation the load of an offline batch: all requests at once,
// exact lengths, and the engine's own clock.
func (b batch) set(o *row.Observation, t *table, prompt, output, size string) {
	o.Set("workload.arrival", "burst", -1)
	o.Set(row.RequestsPath, b.size, t.at[size])
	o.Set(row.PromptPath, float64(b.prompt), t.at[prompt])
	o.Set(row.OutputPath, float64(b.output), t.at[output])
	o.Set("measurement.clock", "server", -1)
	o.Set("engine.max_num_seqs", max(b.size, 256), -1)
	o.Set("engine.prefix_caching", false, -1)
}

// chips are the names under which such grids know chips that are not those of
// the catalogue. A bare A100 or H100 is that of the publisher's machines: 40 GB
// SXM and 80 GB SXM (LLM-Inference-Bench, Argonne 2024, table of platforms); one
// MI250 is a package: Mixtral-8x7B in 16 bits runs on one and fits no single die.
var chips = map[string]string{
	"a100": "a100-40", "h100": "h100-sxm", "gh200": "gh200", "mi250": "mi250-package", "mi300x": "mi300x",
	"pvc": "max-1550", "max 1550": "max-1550", "data center gpu max 1550": "max-1550",
}

// chip returns the catalogue name of a chip, and an assumption made for it.
func chip(text string) (name, note string) {
	short := strings.ToLower(text)
	for _, vendor := range []string{"nvidia ", "amd ", "intel "} {
		short = strings.TrimPrefix(short, vendor)
	}
	short = strings.TrimSuffix(short, " gpu")
	if c, ok := chips[short]; ok {
		if short == "a100" || short == "h100" || short == "mi250" {
			note = fmt.Sprintf("%s is taken for %s", text, c)
		}
		return c, note
	}
	return row.Canonical("hardware.name", text), ""
}

// engine notes the engine of a row where it is not vLLM.
func engine(o *row.Observation, text string) {
	if !strings.EqualFold(text, "vllm") {
		o.Engine = text
	}
}
