package hardware

import (
	"reflect"
	"slices"
	"strings"
)

// Derate is a rate of every chip that is lower for a while: a throttled clock,
// a failed link lane, a memory channel in repair. Steps that begin in
// [FromS, ToS) of simulated time run at Factor times the rate; several derates
// of one rate multiply.
type Derate struct {
	Path   string  `toml:"path" help:"the rate: hardware.peak_tflops for all number formats, or the key of a bandwidth or peak, such as hardware.memory_bandwidth_gb_s"`
	Factor float64 `toml:"factor" unit:"ratio" range:"(0,1]" default:"1" help:"rate while it lasts over the rate without; 1 = no effect"`
	FromS  float64 `toml:"from_s" unit:"s" range:"[0,1e9]" default:"0" help:"begin, in simulated time from the start of the run"`
	ToS    float64 `toml:"to_s" unit:"s" range:"[0,1e9]" default:"1e9" help:"end, after from_s"`
}

// Rates lists the keys that a Derate can name: every bandwidth and peak.
func Rates() []string {
	out := []string{"hardware.peak_tflops"}
	for _, k := range keys() {
		if k.Unit == "GB/s" || k.Unit == "TFLOP/s" {
			out = append(out, "hardware."+k.Path)
		}
	}
	return out
}

// Scale multiplies a rate, or with hardware.peak_tflops all peaks, by f.
func (h *Hardware) Scale(path string, f float64) {
	for _, v := range h.rates(path) {
		v.SetFloat(v.Float() * f)
	}
}

// Given says whether a rate that a Derate may name is there: not zero.
func (h *Hardware) Given(path string) bool {
	return slices.ContainsFunc(h.rates(path), func(v reflect.Value) bool { return v.Float() > 0 })
}

// rates are the fields that a path of Rates means.
func (h *Hardware) rates(path string) (out []reflect.Value) {
	path = strings.TrimPrefix(path, "hardware.")
	for _, k := range keys() {
		if (k.Path == path || strings.HasPrefix(k.Path, path+".")) && (k.Unit == "GB/s" || k.Unit == "TFLOP/s") {
			out = append(out, reflect.ValueOf(h).Elem().FieldByIndex(k.Index))
		}
	}
	return out
}
