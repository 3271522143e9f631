package hardware

import (
	"strings"
	"testing"
)

func TestImplausible(t *testing.T) {
	for _, name := range Names() {
		h, _ := Chip(name)
		if got := h.Implausible(); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, c := range []struct {
		h    Hardware
		want string
	}{
		{Hardware{}, ""},
		{Hardware{Peak: Peaks{FP8: 800_000}}, "hardware.peak_tflops.fp8 = 800,000 TFLOP/s is 178 times the largest of the catalogue (4,500, b200): is it GFLOP/s?"},
		{Hardware{Peak: Peaks{FP16: 0.4}}, "hardware.peak_tflops.fp16 = 0.4 TFLOP/s is 1/175 of the smallest of the catalogue (70, a10g): is it PFLOP/s?"},
		{Hardware{WeightBandwidthGBs: 9}, "hardware.weight_bandwidth_gb_s = 9 GB/s is 1/33.3 of the smallest of the catalogue (300, l4): is it TB/s?"},
		{Hardware{MemoryBandwidthGBs: 3_350_000}, "hardware.memory_bandwidth_gb_s = 3,350,000 GB/s is 419 times the largest of the catalogue (8,000, b200): is it MB/s?"},
		{Hardware{MemoryGiB: 81_559}, "hardware.memory_gib = 81,559 GiB is 319 times the largest of the catalogue (256, mi325x): is it MiB?"},
		{Hardware{LinkBandwidthGBs: 0.9}, "is it TB/s?"},
		// Chips that are meant: weights in SRAM, a single-board computer with
		// LPDDR4, a stack of flash.
		{Hardware{Peak: Peaks{INT8: 750, FP16: 188}, WeightBandwidthGBs: 80_000, WeightMemoryGiB: 0.23, StateMemoryGiB: 4096}, ""},
		{Hardware{Peak: Peaks{INT8: 2, FP16: 2}, MemoryBandwidthGBs: 25.6, MemoryGiB: 4}, ""},
	} {
		got := strings.Join(c.h.Implausible(), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
