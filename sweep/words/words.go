// Package words lists what a study may say, as tables of text: keys, models,
// chips, metrics and the columns of tables. It knows where the words are kept and
// nothing of how they are shown.
package words

import (
	"fmt"
	"strconv"
	"strings"

	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/sweep/export"
	"scoville/sweep/handbook"
	"scoville/sweep/study"
)

// Kinds are the lists.
var Kinds = []string{"keys", "design", "models", "chips", "metrics", "columns"}

// Rows is a list of those words whose name contains part, in lower case: the
// heading, then a row a word, which its name begins (in columns the table's). nil
// for another kind of list.
func Rows(kind, part string) [][]string {
	switch kind {
	case "keys":
		return keys(part)
	case "design":
		return design(part)
	case "models":
		return models(part)
	case "chips":
		return chips(part)
	case "metrics":
		return list(part)
	case "columns":
		return columns(part)
	}
	return nil
}

// None says that no name of a list contains part, and which parts of names are
// near it.
func None(kind, part string) string {
	text := fmt.Sprintf("no name in the list of %s contains %q", kind, part)
	var parts []string
	for _, row := range Rows(kind, "")[1:] {
		name := row[0]
		if kind == "columns" {
			name = row[1]
		}
		parts = append(append(parts, name), strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-._ ", r) })...)
	}
	if near := scenario.Closest(strings.ToLower(part), parts); near != "" {
		text += fmt.Sprintf(": did you mean %q?", near)
	}
	return text
}

func keys(part string) [][]string {
	out := [][]string{{"key", "type", "unit", "allowed", "default", "meaning"}}
	for _, f := range scenario.Fields() {
		if !strings.Contains(f.Path, part) {
			continue
		}
		out = append(out, []string{f.Path, fmt.Sprint(f.Kind), f.Unit, handbook.Allowed(f), f.Default, f.Help})
	}
	return out
}

func design(part string) [][]string {
	out := [][]string{{"key", "allowed", "default", "meaning"}}
	for _, k := range study.Keys() {
		if strings.Contains(strings.ToLower(k.Path), part) {
			out = append(out, []string{k.Path, k.Allowed, k.Default, k.Help})
		}
	}
	return out
}

func models(part string) [][]string {
	out := [][]string{{"model", "parameters", "active", "layers", "KV per token", "source"}}
	for _, name := range model.Names() {
		m, err := model.Catalog(name)
		if err != nil || !strings.Contains(name, part) {
			continue
		}
		p := m.Params()
		out = append(out, []string{name, fmt.Sprint(unit.Count(p.Total)), fmt.Sprint(unit.Count(p.Active)), strconv.Itoa(m.Layers), fmt.Sprint(unit.Bytes(m.KVBytesPerToken())), m.Source})
	}
	return out
}

func chips(part string) [][]string {
	out := [][]string{{"chip", "memory", "bandwidth GB/s", "bf16 TFLOP/s", "fp8", "int8", "capability", "features"}}
	for _, name := range hardware.Names() {
		e, err := hardware.Catalog(name)
		if err != nil || !strings.Contains(name, part) {
			continue
		}
		h := &e.Hardware
		memory, bandwidth := fmt.Sprintf("%g GiB", h.MemoryGiB), fmt.Sprintf("%g", h.MemoryBandwidthGBs)
		if h.KVPath == hardware.Separate {
			memory = fmt.Sprintf("%g + %g GiB", h.WeightMemoryGiB, h.StateMemoryGiB)
			bandwidth = fmt.Sprintf("%g + %g", h.WeightBandwidthGBs, h.StateBandwidthGBs)
		}
		capability := "-"
		if h.SMArch > 0 {
			capability = fmt.Sprintf("%.1f", h.SMArch)
		}
		out = append(out, []string{name, memory, bandwidth, fmt.Sprint(h.Peak.Of(unit.BF16)), fmt.Sprint(h.Peak.Of(unit.FP8)), fmt.Sprint(h.Peak.Of(unit.INT8)), capability, fmt.Sprint(h.Features)})
	}
	return out
}

func list(part string) [][]string {
	out := [][]string{{"metric", "unit", "better", "definition"}}
	for _, c := range metrics.Columns() {
		if strings.Contains(c.Name, part) {
			out = append(out, []string{c.Name, c.Unit, c.Better, c.Definition})
		}
	}
	return out
}

func columns(part string) [][]string {
	out := [][]string{{"table", "column", "type", "unit", "better", "meaning"}}
	for _, c := range export.Columns() {
		if c.Matches(part) {
			out = append(out, []string{c.Table, c.Name, fmt.Sprint(c.Kind), c.Unit, c.Better, c.Definition})
		}
	}
	return out
}
