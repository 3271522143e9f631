package sweep

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/sweep/handbook"
	"scoville/sweep/study"
)

// Lists are the words a study may use, by name.
var lists = map[string]func(w io.Writer, prefix string){
	"keys": listKeys, "design": listDesign, "models": listModels, "chips": listChips, "metrics": listMetrics, "columns": listColumns,
}

// List writes what a study may use: keys of its scenario and of its design, models, chips, metrics or columns of tables whose
// name contains part; or, as reference, the page of all keys and columns in Markdown. It is false for another kind of list.
func List(w io.Writer, kind, part string) bool {
	if kind == "reference" {
		return handbook.Write(w) == nil
	}
	f, ok := lists[kind]
	if !ok {
		return false
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	f(t, strings.ToLower(part))
	t.Flush()
	return true
}

func listKeys(w io.Writer, part string) {
	fmt.Fprintln(w, "key\ttype\tunit\tallowed\tdefault\tmeaning")
	for _, f := range scenario.Fields() {
		if !strings.Contains(f.Path, part) {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Path, f.Kind, f.Unit, handbook.Allowed(f), f.Default, f.Help)
	}
}

func listDesign(w io.Writer, part string) {
	fmt.Fprintln(w, "key\tallowed\tdefault\tmeaning")
	for _, k := range study.Keys() {
		if strings.Contains(strings.ToLower(k.Path), part) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.Path, k.Allowed, k.Default, k.Help)
		}
	}
}

func listModels(w io.Writer, part string) {
	fmt.Fprintln(w, "model\tparameters\tactive\tlayers\tKV per token\tsource")
	for _, name := range model.Names() {
		m, err := model.Catalog(name)
		if err != nil || !strings.Contains(name, part) {
			continue
		}
		p := m.Params()
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", name, unit.Count(p.Total), unit.Count(p.Active), m.Layers, unit.Bytes(m.KVBytesPerToken()), m.Source)
	}
}

func listChips(w io.Writer, part string) {
	fmt.Fprintln(w, "chip\tmemory\tbandwidth GB/s\tbf16 TFLOP/s\tfp8\tint8\tcapability\tfeatures")
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%g\t%g\t%g\t%s\t%s\n", name, memory, bandwidth, h.Peak.Of(unit.BF16), h.Peak.Of(unit.FP8), h.Peak.Of(unit.INT8), capability, h.Features)
	}
}

func listMetrics(w io.Writer, part string) {
	fmt.Fprintln(w, "metric\tunit\tbetter\tdefinition")
	for _, c := range metrics.Columns() {
		if strings.Contains(c.Name, part) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, c.Unit, c.Better, c.Definition)
		}
	}
}
