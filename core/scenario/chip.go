package scenario

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"scoville/core/hardware"
	"scoville/core/schema"
	"scoville/core/unit"
)

// chipTable says what chips an overlay was fitted on, by name:
//
//	[calibration.hardware."h100-sxm"]
//	kv_path = "shared"
//	memory_bandwidth_gb_s = 3350
//	peak_tflops.fp8 = [1900, 1978.9]   # the fitted rows had several
const chipTable = "calibration.hardware"

// chipKeys are the keys of the hardware that make a chip another to a
// calibration: its memory organisation, its rates, and effects on them. Sizes of
// memories, power and prices do not change how long a step takes; the
// efficiencies are what is fitted.
var chipKeys = sync.OnceValue(func() []string {
	keys := []string{kvPath}
	for _, rate := range hardware.Rates() {
		if n, _ := find(rate); n != nil { // not hardware.peak_tflops as a whole
			keys = append(keys, rate)
		}
	}
	return append(keys, "hardware.overlap", "hardware.adapter_latency_us", "hardware.onchip_kv_mib", "hardware.dram_util_cap", "hardware.ecc_tax",
		"hardware.line_bytes", "hardware.llc_growth", "hardware.tlb_penalty", "hardware.gqa_reread", "hardware.kv_access_us")
})

const kvPath = "hardware.kv_path"

// Chip returns what a calibration sees of the chip: its memory organisation, and
// the rates and effects on them that act in the scenario, but for defaults. A
// peak is the one that its number format is multiplied at (hardware.Peaks.Of).
func (s *Scenario) Chip() (out []Assignment) {
	usual := Default()
	for _, path := range chipKeys() {
		if path == kvPath {
			out = append(out, Assignment{path, s.Hardware.KVPath})
		} else if x := s.chipValue(path); x != usual.chipValue(path) && s.chipActs(path) {
			out = append(out, Assignment{path, x})
		}
	}
	return out
}

// chipValue is a number of the chip.
func (s *Scenario) chipValue(path string) float64 {
	if format, ok := strings.CutPrefix(path, peakPrefix); ok {
		return s.Hardware.Peak.Of(unit.DType(format))
	}
	v, _ := s.Get(path)
	if n, ok := v.(int); ok {
		return float64(n)
	}
	x, _ := v.(float64)
	return x
}

const peakPrefix = "hardware.peak_tflops."

// chipActs reports whether a number of the chip, were it another, would change
// the scenario's times.
func (s *Scenario) chipActs(path string) bool {
	h, m := &s.Hardware, &s.Model
	separate := h.KVPath == hardware.Separate
	if format, ok := strings.CutPrefix(path, peakPrefix); ok {
		attention := m.AttentionDType
		if separate && h.AdapterPeakTFLOPS > 0 { // the adapter's units do it
			attention = ""
		} else if attention == "" && h.Peak.Of(unit.BF16) > 0 {
			attention = unit.BF16
		}
		serves := func(d unit.DType) bool { return d != "" && format == string(serving(&h.Peak, d)) }
		return serves(m.Activations()) || serves(attention) || m.LMHeadDType != "" && serves(m.HeadWeights())
	}
	if of := organised[path]; of != "" {
		return of == h.KVPath
	}
	switch path {
	case "hardware.link_bandwidth_gb_s":
		return s.Engine.TP > 1
	case "hardware.pcie_gb_s":
		return s.Engine.Preemption == Swap || s.Engine.Embedding == Host
	case "hardware.onchip_kv_gb_s":
		return h.OnchipKVMiB > 0 && h.OnchipKVPolicy != hardware.None
	case "hardware.onchip_kv_mib":
		return h.OnchipKVPolicy != hardware.None
	case "hardware.llc_growth":
		return h.LLCContext > 0
	case "hardware.tlb_penalty":
		return h.TLBReach > 0
	}
	return true
}

// serving is the format whose peak a number format is multiplied at: fp16 and
// bf16 stand in for each other, see hardware.Peaks.Of.
func serving(p *hardware.Peaks, d unit.DType) unit.DType {
	switch {
	case d == unit.FP16 && p.FP16 == 0:
		return unit.BF16
	case d == unit.BF16 && p.BF16 == 0:
		return unit.FP16
	}
	return d
}

// organised are the keys of one memory organisation.
var organised = map[string]string{
	"hardware.memory_bandwidth_gb_s": hardware.Shared,
	"hardware.weight_bandwidth_gb_s": hardware.Separate, "hardware.state_bandwidth_gb_s": hardware.Separate, "hardware.overlap": hardware.Separate,
	"hardware.adapter_latency_us": hardware.Separate, "hardware.adapter_peak_tflops": hardware.Separate, "hardware.adapter_link_gb_s": hardware.Separate,
}

// readChips reads [calibration.hardware] into spans, by the chip's name.
func readChips(d *Document) (map[string][]span, error) {
	chips := map[string][]span{}
	for _, e := range d.Under(chipTable) {
		name, path := splitChip(e.Path[2:])
		p := span{path: path, chip: true}
		if name == "" {
			hint := `write [calibration.hardware."NAME"] with rates of the chip, such as memory_bandwidth_gb_s = 3350`
			if near := schema.Closest("hardware."+e.Path[len(e.Path)-1], chipKeys()); near != "" {
				hint = schema.DidYouMean(strings.TrimPrefix(near, "hardware."))
			}
			return nil, d.Errorf(e.Key(), hint, "no rate of a chip")
		}
		word, isWord := e.Value.(string)
		ends, ok := e.Value.([]any)
		if !ok {
			ends = []any{e.Value, e.Value}
		}
		ok = len(ends) == 2
		if ok && !isWord {
			var okLo, okHi bool
			p.lo, okLo = number(ends[0])
			p.hi, okHi = number(ends[1])
			ok = okLo && okHi && p.lo <= p.hi
		}
		if p.word = word; !ok || isWord != (p.path == kvPath) {
			return nil, d.Errorf(e.Key(), "write a number, or [3000, 3350]; kv_path is a text", "%s is not what the fitted chip had", schema.Show(e.Value))
		}
		chips[name] = append(chips[name], p)
	}
	return chips, nil
}

// splitChip splits the end of a path into the name of a chip, which may have
// dots, and one of chipKeys; no name where there is none.
func splitChip(path []string) (name, key string) {
	for i := 1; i < len(path); i++ {
		if key = "hardware." + strings.Join(path[i:], "."); slices.Contains(chipKeys(), key) {
			return strings.Join(path[:i], "."), key
		}
	}
	return "", ""
}

// chipSpans are what the chip of a name was when an overlay was fitted on it:
// what the overlay recorded, else the catalogue's chip. Keys that the overlay
// gives itself were fitted, and are no condition; those of the other memory
// organisation are none, as another organisation is said as such. A derate is
// in no fit.
func (l *Layer) chipSpans(name string, gives map[string]string) []span {
	recorded := l.fit.chips[name]
	chip, known := hardware.Chip(name)
	entry, usual := Scenario{Hardware: chip}, Scenario{Hardware: study().defaults.Hardware}
	spans := []span{{path: derateTable, chip: true}}
	path := ""
	for _, key := range chipKeys() {
		if _, given := gives[key]; given || organised[key] != "" && path != "" && organised[key] != path {
			continue
		}
		p := span{path: key, chip: true, lo: entry.chipValue(key), word: cmp.Or(chip.KVPath, usual.Hardware.KVPath)}
		if p.lo == 0 {
			p.lo = usual.chipValue(key)
		}
		p.hi = p.lo
		said := slices.IndexFunc(recorded, func(r span) bool { return r.path == key })
		if said >= 0 {
			p = recorded[said]
		}
		if said < 0 && !known && (recorded == nil || key == kvPath || p.rate()) {
			continue
		}
		if key == kvPath {
			path = p.word
		}
		spans = append(spans, p)
	}
	return spans
}

// rate reports whether a span is of a bandwidth or a peak.
func (p *span) rate() bool {
	f, _ := Lookup(p.path)
	return f.Unit == "GB/s" || f.Unit == "TFLOP/s"
}

// rounding is how far a number may be from the fitted chip's: sheets round.
const rounding = 0.01

// chipOutside says how the scenario's chip is not the fitted one in a key.
func (s *Scenario) chipOutside(p *span) (out []string) {
	switch {
	case p.path == derateTable:
		for i, d := range s.Derate {
			if d.Factor != 1 && s.Hardware.Given(d.Path) {
				out = append(out, fmt.Sprintf("%s%d.factor = %s, fitted at 1", deratePrefix, i, schema.Show(d.Factor)))
			}
		}
		return out
	case p.path == kvPath:
		if s.Hardware.KVPath != p.word {
			out = append(out, fmt.Sprintf("%s = %q, fitted at %q", p.path, s.Hardware.KVPath, p.word))
		}
		return out
	}
	x := s.chipValue(p.path)
	if p.holds(x) || !s.chipActs(p.path) || math.Abs(x-min(max(x, p.lo), p.hi)) <= rounding*p.hi {
		return nil
	}
	fitted := "at " + schema.Show(p.lo)
	if p.lo < p.hi {
		fitted += " to " + schema.Show(p.hi)
	} else if p.hi == 0 && p.rate() {
		fitted = "without"
	}
	return []string{fmt.Sprintf("%s = %s, fitted %s", p.path, schema.Show(x), fitted)}
}
