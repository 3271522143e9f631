package hardware

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/core/unit"
)

// second is a list of figures that was not used to write the catalogue, so
// that a slip in one of the two shows. Peaks in TFLOP/s, bandwidth in GB/s.
// driverMiB is what nvidia-smi or rocm-smi reports as total memory.
//
// Sources: Bekman, "Machine Learning Engineering Open Book", accelerator
// tables; LLM-Viewer, hardware_params.py; feifeibear/LLMRoofline,
// hardware_dict.py; ai-dynamo/aiconfigurator, systems/*.yaml; and arithmetic
// from units x FLOPs per clock x clock and from bus width x data rate.
var second = map[string]struct {
	bf16, fp8, int8, fp4, bandwidth, driverMiB, link float64
	from                                             string
}{
	"a100-40":       {312, 0, 624, 0, 1555, 40960, 600, "LLM-Viewer nvidia_A100_40G; NVLink 12 links x 50 GB/s"},
	"a100-80":       {312, 0, 624, 0, 2039, 81920, 600, "LLM-Viewer nvidia_A100_80G; NVLink 12 links x 50 GB/s"},
	"h100-sxm":      {989, 1979, 1979, 0, 3350, 81559, 900, "Bekman; NVLink 18 links x 50 GB/s"},
	"h100-pcie":     {756, 1513, 1513, 0, 2000, 81559, 128, "Bekman; PCIe 5.0 x16"},
	"h200":          {989, 1979, 1979, 0, 4800, 143771, 900, "Bekman; NVLink 18 links x 50 GB/s"},
	"b200":          {2250, 4500, 4500, 9000, 8000, 183359, 1800, "Bekman; NVLink 18 links x 100 GB/s"},
	"a100-pcie-40":  {312, 0, 624, 0, 5120 * 2.43 / 8, 40960, 64, "108 SMs at 1.41 GHz, 2048 FLOPs per clock; 5120 bit x 2.43 Gbit/s; PCIe 4.0 x16"},
	"a100-pcie-80":  {108 * 2048 * 1.41e-3, 0, 108 * 4096 * 1.41e-3, 0, 5120 * 3.024 / 8, 81920, 64, "108 SMs at 1.41 GHz, 2048 FLOPs per clock; 5120 bit x 3.024 Gbit/s; PCIe 4.0 x16"},
	"h100-nvl":      {1671 / 2.0, 3341 / 2.0, 3341 / 2.0, 0, 6016 * 5.2 / 8, 95830, 128, "half the rates with sparsity; 6016 bit x 5.2 Gbit/s; PCIe 5.0 x16"},
	"h20":           {148, 296, 296, 0, 4000, 97871, 900, "lists of resellers; NVLink 18 links x 50 GB/s"},
	"l4":            {58 * 1024 * 2.04e-3, 58 * 2048 * 2.04e-3, 58 * 2048 * 2.04e-3, 0, 192 * 12.5 / 8, 23034, 64, "58 SMs at 2.04 GHz, 1024 FLOPs per clock; 192 bit x 12.5 Gbit/s"},
	"l40":           {142 * 512 * 2.49e-3, 142 * 1024 * 2.49e-3, 142 * 1024 * 2.49e-3, 0, 384 * 18 / 8.0, 46068, 64, "142 SMs at 2.49 GHz, 512 FLOPs per clock; 384 bit x 18 Gbit/s"},
	"a10":           {72 * 1024 * 1.695e-3, 0, 72 * 2048 * 1.695e-3, 0, 384 * 12.5 / 8, 23028, 64, "72 SMs at 1.695 GHz, 1024 FLOPs per clock; 384 bit x 12.5 Gbit/s"},
	"a10g":          {80 * 512 * 1.71e-3, 0, 80 * 1024 * 1.71e-3, 0, 384 * 12.5 / 8, 23028, 64, "80 SMs at 1.71 GHz, 512 FLOPs per clock; 384 bit x 12.5 Gbit/s"},
	"rtx-a6000":     {84 * 1024 * 1.8e-3, 0, 84 * 2048 * 1.8e-3, 0, 384 * 16 / 8.0, 49140, 64, "84 SMs at 1.8 GHz, 1024 FLOPs per clock; 384 bit x 16 Gbit/s"},
	"rtx-5090":      {170 * 512 * 2.407e-3, 170 * 1024 * 2.407e-3, 170 * 2048 * 2.407e-3, 170 * 4096 * 2.407e-3, 512 * 28 / 8.0, 32607, 128, "170 SMs at 2.407 GHz, 512 FLOPs per clock; 512 bit x 28 Gbit/s"},
	"mi325x":        {304 * 2048 * 2.1e-3, 304 * 4096 * 2.1e-3, 304 * 4096 * 2.1e-3, 0, 6000, 262144, 896, "304 CUs at 2.1 GHz, 2048 FLOPs per clock; 6 TB/s in all lists"},
	"gh200":         {989.5, 1979, 1979, 0, 4000, 97871, 900, "LLMRoofline GH200-old; Bekman for H100 rates"},
	"l40s":          {362, 733, 733, 0, 864, 46068, 64, "aiconfigurator l40s; PCIe 4.0 x16"},
	"rtx-4090":      {128 * 512 * 2.52e-3, 128 * 1024 * 2.52e-3, 128 * 2048 * 2.52e-3, 0, 384 * 21 / 8.0, 24564, 64, "128 SMs at 2.52 GHz, 512 FLOPs per clock; 384 bit x 21 Gbit/s"},
	"rtx-pro-6000":  {188 * 1024 * 2.617e-3, 188 * 2048 * 2.617e-3, 188 * 2048 * 2.617e-3, 188 * 4096 * 2.617e-3, 512 * 28 / 8.0, 97887, 128, "188 SMs at 2.617 GHz, 1024 FLOPs per clock; 512 bit x 28 Gbit/s"},
	"max-1550":      {128 * 4096 * 1.6e-3, 0, 128 * 8192 * 1.6e-3, 0, 8192 * 3.2 / 8, 131072, 16 * 53, "128 Xe cores at 1.6 GHz, 4096 16-bit operations per clock; 8192 bit x 3.2 Gbit/s"},
	"mi250":         {104 * 1024 * 1.7e-3, 0, 104 * 1024 * 1.7e-3, 0, 4096 * 3.2 / 8, 65536, 300, "104 CUs at 1.7 GHz, 1024 FLOPs per clock; 4096 bit x 3.2 Gbit/s"},
	"mi250-package": {208 * 1024 * 1.7e-3, 0, 208 * 1024 * 1.7e-3, 0, 2 * 4096 * 3.2 / 8, 131072, 600, "208 CUs at 1.7 GHz, 1024 FLOPs per clock; 2 x 4096 bit x 3.2 Gbit/s"},
	"mi300x":        {304 * 2048 * 2.1e-3, 304 * 4096 * 2.1e-3, 304 * 4096 * 2.1e-3, 0, 8192 * 5.2 / 8, 196608, 896, "304 CUs at 2.1 GHz, 2048 FLOPs per clock; 8192 bit x 5.2 Gbit/s"},
}

// tolerance is the tolerance between the two lists: names of rates are rounded
// to three digits, driver-reported memory lacks what firmware keeps.
const tolerance = 0.01

func TestCatalogueAgainstSecondList(t *testing.T) {
	for _, name := range Names() {
		if strings.HasPrefix(name, "jalapeno") {
			continue // the write-up is the only source: TestJalapeno
		}
		e, err := Catalog(name)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := second[name]
		if !ok {
			t.Errorf("%s: not in the second list", name)
			continue
		}
		h := e.Hardware
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"bf16", h.Peak.Of(unit.BF16), want.bf16},
			{"fp16", h.Peak.Of(unit.FP16), want.bf16},
			{"fp8", h.Peak.FP8, want.fp8},
			{"int8", h.Peak.INT8, want.int8},
			{"fp4", h.Peak.FP4, want.fp4},
			{"memory_bandwidth_gb_s", h.MemoryBandwidthGBs, want.bandwidth},
			{"memory_gib", h.MemoryGiB, want.driverMiB / 1024},
			{"link_bandwidth_gb_s", h.LinkBandwidthGBs, want.link},
		} {
			if math.Abs(c.got-c.want) > tolerance*c.want {
				t.Errorf("%s: %s = %v, second list %v (%s)", name, c.what, c.got, c.want, want.from)
			}
		}
		plausible(t, name, h)
	}
}

// plausible catches a figure in another unit: TFLOP/s with sparsity or in
// GFLOP/s, TB/s for GB/s, one direction of a link.
func plausible(t *testing.T, name string, h Hardware) {
	t.Helper()
	for _, c := range []struct {
		what      string
		x, lo, hi float64
	}{
		{"bf16 peak", h.Peak.BF16, 60, 3000},
		{"fp32 peak over bf16", h.Peak.FP32 / h.Peak.BF16, 0.24, 0.51},
		{"int8 peak over bf16", h.Peak.INT8 / h.Peak.BF16, 1, 4.01},
		{"bandwidth", h.MemoryBandwidthGBs, 250, 9000},
		{"memory", h.MemoryGiB, 16, 300},
		{"bf16 FLOPs per byte", 1e3 * h.Peak.BF16 / h.MemoryBandwidthGBs, 35, 450},
		{"link over memory bandwidth", h.LinkBandwidthGBs / h.MemoryBandwidthGBs, 0.03, 0.5},
	} {
		if c.x < c.lo || c.x > c.hi {
			t.Errorf("%s: %s = %.3g is outside %v to %v", name, c.what, c.x, c.lo, c.hi)
		}
	}
}

// TestJalapeno recomputes figures of the write-up from the catalogue entry:
// Llama-2-7B has 6.738e9 parameters of one byte and 256 KiB of KV per token.
func TestJalapeno(t *testing.T) {
	const parameters, kv = 6.738e9, 256 << 10
	sep := mustCatalog(t, "jalapeno")
	effective := sep.Peak.Of(unit.INT8) * unit.Tera * sep.ComputeUtil
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"effective TOP/s", effective / unit.Tera, 60},
		{"weights of a step, ms", parameters / (sep.WeightBandwidthGBs * unit.GB) / unit.Ms, 1.123},
		{"compute of a sequence, ms", 2 * parameters / effective / unit.Ms, 0.2246},
		{"state of a token, us", kv / (sep.StateBandwidthGBs * unit.GB) / unit.Us, 0.131},
		{"tokens on chip", sep.OnchipKVMiB * unit.MiB / kv, 256},
		{"prefill of 2048, s", 2 * parameters * 2048 / effective, 0.460},
		{"shared 6: state of a token, us", kv / (mustCatalog(t, "jalapeno-shared-6").MemoryBandwidthGBs * unit.GB) / unit.Us, 0.0437},
		{"shared 8: state of a token, us", kv / (mustCatalog(t, "jalapeno-shared-8").MemoryBandwidthGBs * unit.GB) / unit.Us, 0.0328},
		{"shared memory", mustCatalog(t, "jalapeno-shared-8").MemoryGiB, sep.WeightMemoryGiB + sep.StateMemoryGiB},
		{"adapter, us", sep.AdapterLatencyUs, 20},
	} {
		if math.Abs(c.got/c.want-1) > 0.002 {
			t.Errorf("%s = %.4g, want %.4g", c.what, c.got, c.want)
		}
	}
	if sep.KVPath != Separate || sep.OnchipKVPolicy != Pinned || sep.Overlap != 1 || sep.Peak.Of(unit.BF16) != 0 {
		t.Errorf("jalapeno: %+v", sep)
	}
}

func mustCatalog(t *testing.T, name string) Hardware {
	t.Helper()
	e, err := Catalog(name)
	if err != nil {
		t.Fatal(err)
	}
	return e.Hardware
}

func TestCatalogNames(t *testing.T) {
	want := []string{
		"a10", "a100-40", "a100-80", "a100-pcie-40", "a100-pcie-80", "a10g", "b200", "gh200", "h100-nvl", "h100-pcie", "h100-sxm", "h20", "h200", "jalapeno",
		"jalapeno-shared-6", "jalapeno-shared-8", "l4", "l40", "l40s", "max-1550", "mi250", "mi250-package", "mi300x", "mi325x",
		"rtx-4090", "rtx-5090", "rtx-a6000", "rtx-pro-6000",
	}
	if _, err := load(); err != nil {
		t.Fatal(err)
	}
	names := Names()
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("names = %v, want %v", names, want)
	}
	for alias, want := range map[string]string{
		"h100_sxm": "h100-sxm", "H200_SXM": "h200", "b200_sxm": "b200",
		"NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA-H100-PCIe": "h100-pcie",
		"NVIDIA-GeForce-RTX-4090": "rtx-4090", "a100-80gb": "a100-80", "Jalapeño": "jalapeno",
		"NVIDIA A100 80GB PCIe": "a100-pcie-80", "NVIDIA A100-PCIE-40GB": "a100-pcie-40", "NVIDIA H100 NVL": "h100-nvl", "NVIDIA H20": "h20",
		"NVIDIA L4": "l4", "NVIDIA L40": "l40", "NVIDIA A10": "a10", "NVIDIA A10G": "a10g", "NVIDIA RTX A6000": "rtx-a6000",
		"NVIDIA GeForce RTX 5090": "rtx-5090", "AMD Instinct MI325X": "mi325x",
	} {
		e, err := Catalog(alias)
		if err != nil || e.Hardware.Name != want {
			t.Errorf("%s: %q, %v; want %s", alias, e.Hardware.Name, err, want)
		}
	}
	for name, hint := range map[string]string{"h100": "h100-pcie or h100-sxm", "mi300": "mi300x", "rtx-4080": "rtx-4090", "": "use a name of the catalogue or name = ", "x": "use a name of the catalogue or name = "} {
		_, err := Catalog(name)
		fe, ok := errors.AsType[*FileError](err)
		if !ok || fe.Key != "name" || !strings.Contains(fe.Hint, hint) {
			t.Errorf("%q: %v, want a hint at %s", name, err, hint)
		}
	}
}

// TestNoNumberWithoutSource takes the source lines out of every catalogue file
// one by one: none may load without.
func TestNoNumberWithoutSource(t *testing.T) {
	for _, name := range Names() {
		data, err := files.ReadFile("catalog/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		head, sources, ok := strings.Cut(string(data), "[sources]\n")
		if !ok {
			t.Fatalf("%s has no sources", name)
		}
		lines := strings.SplitAfter(strings.TrimSpace(sources), "\n")
		for i, line := range lines {
			rest := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
			_, err := Read(name, []byte(head+"[sources]\n"+rest))
			if err == nil || !strings.Contains(err.Error(), "has no source") {
				t.Errorf("%s without %q: %v", name, line, err)
			}
		}
	}
}

// TestCatalogResultIsOwn: a caller may change what it gets.
func TestCatalogResultIsOwn(t *testing.T) {
	e, _ := Catalog("h200")
	e.Sources["memory_gib"] = Source{Grade: Assumed}
	if again, _ := Catalog("h200"); again.Sources["memory_gib"].Grade != Published {
		t.Error("the catalogue changed with the result")
	}
}
