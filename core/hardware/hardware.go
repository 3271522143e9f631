// Package hardware describes an accelerator and its links as numbers with
// sources, and reads the shipped catalogue. It knows nothing of models,
// batches or time.
package hardware

// Peaks are dense (no sparsity) peak rates of one chip by number format in
// TFLOP/s (TOP/s for integers). 0 = the chip has no such units.
type Peaks struct {
	INT4 float64 `toml:"int4" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at int4"`
	FP4  float64 `toml:"fp4" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at fp4"`
	INT8 float64 `toml:"int8" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at int8"`
	FP8  float64 `toml:"fp8" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at fp8"`
	FP16 float64 `toml:"fp16" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at fp16"`
	BF16 float64 `toml:"bf16" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at bf16"`
	FP32 float64 `toml:"fp32" unit:"TFLOP/s" range:"[0,1e9]" help:"dense peak at fp32 (or its tensor-core substitute)"`
}

// Values of Hardware.KVPath and Hardware.OnchipKVPolicy.
const (
	Shared   = "shared"   // weights and KV compete for one memory
	Separate = "separate" // weights and KV each have a memory path of their own

	Pinned = "pinned" // the store keeps a fixed part of the working set
	LRU    = "lru"    // least recently used: all or nothing under decode's cyclic scan
	None   = "none"   // the store is not used
)

// Hardware is one accelerator chip with its links and the efficiencies reached
// on it. The zero value of a bandwidth or size means "not given"; which ones
// must be given depends on KVPath (see core/scenario). Every field is a study
// key "hardware.<toml tag>".
type Hardware struct {
	Name string `toml:"name" help:"catalogue name, path of a hardware file (*.toml) relative to the study, or a free label"`

	Peak               Peaks   `toml:"peak_tflops"`
	MemoryBandwidthGBs float64 `toml:"memory_bandwidth_gb_s" unit:"GB/s" range:"[0,1e9]" help:"memory bandwidth of one chip (kv_path = shared)"`
	MemoryGiB          float64 `toml:"memory_gib" unit:"GiB" range:"[0,1e9]" help:"memory of one chip (kv_path = shared)"`
	LinkBandwidthGBs   float64 `toml:"link_bandwidth_gb_s" unit:"GB/s" range:"[0,1e9]" help:"chip-to-chip link, bidirectional total per chip; needed when tp > 1"`
	LinkLatencyUs      float64 `toml:"link_latency_us" unit:"us" range:"[0,1e6]" default:"0" help:"latency of one all-reduce (alpha)"`

	PCIeGBs float64 `toml:"pcie_gb_s" unit:"GB/s" range:"[0,1e6]" default:"0" help:"link to host memory, one direction, nominal; needed for engine.preemption = swap"`

	KVPath             string  `toml:"kv_path" enum:"shared|separate" default:"shared" help:"memory organisation: one memory for weights and KV, or a path for each"`
	WeightBandwidthGBs float64 `toml:"weight_bandwidth_gb_s" unit:"GB/s" range:"[0,1e9]" help:"weight path (kv_path = separate)"`
	StateBandwidthGBs  float64 `toml:"state_bandwidth_gb_s" unit:"GB/s" range:"[0,1e9]" help:"KV path (kv_path = separate)"`
	WeightMemoryGiB    float64 `toml:"weight_memory_gib" unit:"GiB" range:"[0,1e9]" help:"capacity behind the weight path (kv_path = separate)"`
	StateMemoryGiB     float64 `toml:"state_memory_gib" unit:"GiB" range:"[0,1e9]" help:"capacity behind the KV path (kv_path = separate)"`
	Overlap            float64 `toml:"overlap" unit:"ratio" range:"[0,1]" default:"1" help:"share of the shorter of backbone and state phase hidden behind the longer (kv_path = separate)"`
	AdapterLatencyUs   float64 `toml:"adapter_latency_us" unit:"us" range:"[0,1e9]" default:"0" help:"fixed adapter latency per step (kv_path = separate)"`
	AdapterPeakTFLOPS  float64 `toml:"adapter_peak_tflops" unit:"TFLOP/s" range:"[0,1e9]" default:"0" help:"attention units of the adapter; 0 = attention shares the backbone's units"`
	AdapterLinkGBs     float64 `toml:"adapter_link_gb_s" unit:"GB/s" range:"[0,1e9]" default:"0" help:"backbone-adapter link for queries and attention outputs; 0 = not modelled"`

	OnchipKVMiB      float64 `toml:"onchip_kv_mib" unit:"MiB" range:"[0,1e9]" default:"0" help:"on-chip KV store; 0 = none"`
	OnchipKVGBs      float64 `toml:"onchip_kv_gb_s" unit:"GB/s" range:"[0,1e9]" default:"0" help:"bandwidth of the on-chip KV store; needed when onchip_kv_mib > 0"`
	OnchipKVPolicy   string  `toml:"onchip_kv_policy" enum:"pinned|lru|none" default:"pinned" help:"replacement in the on-chip KV store"`
	OnchipKVHitRatio float64 `toml:"onchip_kv_hit_ratio" unit:"ratio" range:"[-1,1]" default:"-1" help:"hit ratio of the on-chip KV store; -1 = from policy and working set"`

	ComputeUtil          float64 `toml:"compute_util" unit:"ratio" range:"(0,1]" default:"1" help:"u_c: share of peak GEMMs reach"`
	ExpertComputeUtil    float64 `toml:"expert_compute_util" unit:"ratio" range:"(0,4]" default:"1" help:"u_x: factor on compute_util for experts"`
	AttentionComputeUtil float64 `toml:"attention_compute_util" unit:"ratio" range:"(0,1]" default:"1" help:"u_a: share of peak attention reaches; with kv_path = separate and adapter_peak_tflops = 0 attention runs on the backbone's units and gets at most compute_util"`
	WeightBandwidthUtil  float64 `toml:"weight_bandwidth_util" unit:"ratio" range:"(0,1]" default:"1" help:"u_b: share of memory bandwidth weight reads reach"`
	KVBandwidthUtil      float64 `toml:"kv_bandwidth_util" unit:"ratio" range:"(0,1]" default:"1" help:"u_kv: share of memory bandwidth KV reads reach"`
	LinkUtil             float64 `toml:"link_util" unit:"ratio" range:"(0,1]" default:"1" help:"u_link: share of link bandwidth all-reduce reaches"`
	PCIeUtil             float64 `toml:"pcie_util" unit:"ratio" range:"(0,1]" default:"1" help:"share of the link to host memory reached"`
	PCIeUnpinnedUtil     float64 `toml:"pcie_unpinned_util" unit:"ratio" range:"(0,1]" default:"0.5" help:"share of the link to host memory reached from pageable memory, which is copied through a pinned buffer first; never more than pcie_util; acts with engine.embedding = host"`
	GEMMSmallTokens      float64 `toml:"gemm_small_tokens" unit:"tokens" range:"[0,1e6]" default:"0" help:"up to so many tokens per step GEMMs use kernels that stream weights at the full weight_bandwidth_util; 0 = always"`
	GEMMLargeLoss        float64 `toml:"gemm_large_loss" unit:"ratio" range:"[0,100]" default:"0" help:"share by which the weights of GEMMs of more than gemm_small_tokens tokens take longer"`
	GEMMLargeTokens      float64 `toml:"gemm_large_tokens" unit:"tokens" range:"[0,1e6]" default:"0" help:"beyond so many tokens per step gemm_large_loss is over; 0 = it never is"`
	TokensHalf           float64 `toml:"tokens_half" unit:"tokens" range:"[0,1e6]" default:"0" help:"tokens per step at which GEMMs reach half of compute_util; 0 = no such curve"`

	WorkspaceGiB float64 `toml:"workspace_gib" unit:"GiB" range:"[0,1e6]" default:"3" help:"memory per chip for activations' scratch, graphs and communication buffers"`
	DRAMUtilCap  float64 `toml:"dram_util_cap" unit:"ratio" range:"(0,1]" default:"1" help:"conditional specification: share of memory bandwidth that may be used"`

	SMArch   float64 `toml:"sm_arch" unit:"version" range:"[0,1000]" default:"0" help:"compute capability (9.0 = Hopper), compared with model.min_sm_arch; 0 = not known"`
	Features string  `toml:"features" help:"features the chip has, joined by | (tma|thread-block-clusters), compared with model.required_features; empty = not known"`

	ECCTax     float64 `toml:"ecc_tax" unit:"ratio" range:"[0,1)" default:"0" help:"share of memory bandwidth that inline error correction takes from weights and KV"`
	LineBytes  int     `toml:"line_bytes" unit:"B" range:"[0,65536]" default:"0" help:"memory line each K row and V row of a head (MLA: each latent row) is padded to; 0 = rows are packed"`
	LLCContext int     `toml:"llc_context_tokens" unit:"tokens" range:"[0,100000000]" default:"0" help:"context, all sequences of a step together, beyond which KV reads miss the last-level cache; 0 = no such effect"`
	LLCGrowth  float64 `toml:"llc_growth" unit:"ratio" range:"[0,100]" default:"0" help:"further time of KV bytes beyond llc_context_tokens, as a share of their own"`
	TLBReach   float64 `toml:"tlb_reach_gib" unit:"GiB" range:"[0,1e6]" default:"0" help:"KV one chip reads in a step beyond which address translation misses the TLB; 0 = no such effect"`
	TLBPenalty float64 `toml:"tlb_penalty" unit:"ratio" range:"[0,100]" default:"0" help:"further time of KV bytes beyond tlb_reach_gib, as a share of their own"`
	GQAReread  float64 `toml:"gqa_reread" unit:"ratio" range:"[0,1]" default:"0" help:"share of a group's KV that each further query head of the group reads again from memory in decode attention; 0 = a group reads its KV once"`
	KVAccessUs float64 `toml:"kv_access_us" unit:"us" range:"[0,1e6]" default:"0" help:"latency before the KV of a layer begins to stream, per layer and step"`

	// Energy of a run is chips x w_idle x its duration (first arrival to last
	// finish) + pj_per_flop x FLOPs + pj_per_byte x bytes of memory traffic; its
	// cost is chips x usd_per_hour x the same duration. Both are given per output
	// token, and NULL where the device states none of what they need.
	WIdle      float64 `toml:"w_idle" unit:"W" range:"[0,1e6]" default:"0" help:"power of an idle chip"`
	PJPerFLOP  float64 `toml:"pj_per_flop" unit:"pJ" range:"[0,1e6]" default:"0" help:"energy of one FLOP"`
	PJPerByte  float64 `toml:"pj_per_byte" unit:"pJ" range:"[0,1e6]" default:"0" help:"energy of one byte of memory traffic"`
	USDPerHour float64 `toml:"usd_per_hour" unit:"USD/h" range:"[0,1e6]" default:"0" help:"price of one chip"`
}

// Grade says how well a number is known.
type Grade string

// The grades a hardware number can have, weakest last. What rests on several
// numbers is as good as the weakest.
const (
	Published  Grade = "published"  // stated by the maker or a cited document
	Calibrated Grade = "calibrated" // fitted to measurements
	Derived    Grade = "derived"    // computed from published numbers
	Assumed    Grade = "assumed"    // chosen, with a reason
)

// Source is where one number comes from: its grade and the document, formula
// or reason.
type Source struct {
	Grade Grade
	Where string
}

// Entry is one catalogue file: the chip and the source of every number it
// sets, by toml key ("memory_gib", "peak_tflops.fp8").
type Entry struct {
	Hardware Hardware
	Sources  map[string]Source
}
