// Package scenario owns the one input of a simulation: the scenario value, the
// registry of its study keys (type, unit, range, default, help), the layering
// of catalogues, overlays, studies and axis values into a resolved scenario,
// and the errors that point at file, line and fix. It knows nothing of
// designs, simulations or results.
//
// Field tags are the registry: toml = last segment of the key, unit, range
// (mathematical interval), default, enum (values joined by |) and help. A new
// field is one struct line.
package scenario

import (
	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/workload"
)

// Scenario is everything one simulation depends on beside the seed. It is a
// plain value: copied, never edited once resolved. Slices are shared read-only.
type Scenario struct {
	Model       model.Model       `toml:"model"`
	Hardware    hardware.Hardware `toml:"hardware"`
	Engine      Engine            `toml:"engine"`
	Workload    workload.Spec     `toml:"workload"`
	Measurement Measurement       `toml:"measurement"`
	Derate      []hardware.Derate `toml:"-"` // [[hardware.derate]] path, factor, from_s, to_s
	SLO         []Limit           `toml:"-"` // [slo] METRIC = { max = X } | { min = X }
}

// Values of Engine fields.
const (
	Continuous   = "continuous"    // vLLM V1: running first, chunked prefill, FCFS admission
	PrefillFirst = "prefill-first" // vLLM V0: whole prompts alone while one can be admitted, else decodes
	ShortestJob  = "sjf"           // continuous, waiting requests with fewest prompt + output tokens first
	ByPriority   = "priority"      // continuous, waiting requests of the lowest class priority first
	Static       = "static"        // full padded batches that end together
	Dynamic      = "dynamic"       // the same, or whatever waits when the oldest has waited batch_window_ms
	Bucketed     = "bucketed"      // dynamic, with prompts of one length bucket
	Recompute    = "recompute"     // a preempted request recomputes prompt and output so far
	Swap         = "swap"          // its KV moves to host memory and back
	Sum          = "sum"           // host time adds to device time
	Max          = "max"           // host and device overlap; the longer one counts (eager engines of 2023)
	OnDevice     = "device"        // embedding table in device memory
	Free         = "free"          // not counted
	HostPinned   = "host-pinned"   // embedding table in pinned host memory
	Host         = "host"          // embedding table in pageable host memory; or logits read over the host link
	InMemory     = "memory"        // logits read from device memory
	Split        = "split"         // embedding and first norm in two kernels
	Fused        = "fused"         // in one
)

// Engine is the serving engine's configuration and its host costs. Every field
// is a study key "engine.<toml tag>".
type Engine struct {
	Version       string  `toml:"version" help:"engine and version the host costs belong to; free text"`
	TP            int     `toml:"tp" unit:"chips" range:"[1,1024]" default:"1" help:"tensor-parallel chips"`
	EP            int     `toml:"ep" unit:"chips" range:"[1,1024]" default:"1" help:"expert-parallel ranks within tp: whole experts are dealt to ranks, the busiest sets the pace; 1 = experts are split by tp"`
	DP            int     `toml:"dp" unit:"replicas" range:"[1,4096]" default:"1" help:"data-parallel replicas, each with tp chips, a queue and a block pool of its own"`
	Routing       string  `toml:"routing" enum:"round-robin|least-loaded" default:"round-robin" help:"which replica gets a request, with dp > 1"`
	Scheduler     string  `toml:"scheduler" enum:"continuous|prefill-first|sjf|priority|static|dynamic|bucketed" default:"continuous" help:"which requests run next"`
	BatchWindowMs float64 `toml:"batch_window_ms" unit:"ms" range:"[0,1e9]" default:"50" help:"dynamic and bucketed schedulers: longest wait of the oldest request for a full batch"`
	BucketTokens  int     `toml:"bucket_tokens" unit:"tokens" range:"[1,100000000]" default:"256" help:"bucketed scheduler: width of a prompt length bucket"`
	MaxNumSeqs    int     `toml:"max_num_seqs" unit:"sequences" range:"[1,1000000]" default:"256" help:"most sequences in the running batch"`
	MaxTokens     int     `toml:"max_num_batched_tokens" unit:"tokens" range:"[1,100000000]" default:"8192" help:"token budget of one step"`
	ChunkedPre    bool    `toml:"chunked_prefill" default:"true" help:"split prompts over steps to fill the token budget"`
	BlockSize     int     `toml:"block_size" unit:"tokens" range:"[1,65536]" default:"16" help:"tokens per KV block"`
	KVBlocks      int     `toml:"kv_blocks" unit:"blocks" range:"[0,1000000000]" default:"0" help:"KV blocks of the pool; 0 = from memory"`
	MemoryFrac    float64 `toml:"memory_fraction" unit:"ratio" range:"(0,1]" default:"0.9" help:"share of memory the engine may use"`
	Watermark     float64 `toml:"watermark" unit:"ratio" range:"[0,1)" default:"0.01" help:"share of KV blocks admission keeps free"`
	PrefixCache   bool    `toml:"prefix_caching" default:"true" help:"keep the KV blocks of prompts for later requests with the same prefix (class shared_prefix_tokens, or a trace with prefix blocks)"`
	ReserveFull   bool    `toml:"reserve_full_prompt" default:"false" help:"admit a request only when blocks for its whole prompt are free, not only for its first chunk (vLLM scheduler_reserve_full_isl)"`
	SpecTokens    int     `toml:"speculative_tokens" unit:"tokens" range:"[0,1000]" default:"0" help:"draft tokens each decoding sequence verifies per step; 0 = no speculative decoding"`
	SpecAccept    float64 `toml:"speculative_acceptance" unit:"ratio" range:"[0,1]" default:"0.7" help:"probability that a draft token is accepted when the ones before it were"`
	DraftUs       float64 `toml:"draft_token_us" unit:"us" range:"[0,1e7]" default:"0" help:"time to draft one token for the whole batch"`
	Preemption    string  `toml:"preemption" enum:"recompute|swap" default:"recompute" help:"what happens to a preempted request"`
	HostOverlap   string  `toml:"host_overlap" enum:"sum|max" default:"sum" help:"how host time and device time combine"`
	StepUs        float64 `toml:"step_overhead_us" unit:"us" range:"[0,1e7]" default:"0" help:"t0: host time per step"`
	LayerUs       float64 `toml:"layer_overhead_us" unit:"us" range:"[0,1e6]" default:"0" help:"tL: host time per layer and step"`
	MoELayerUs    float64 `toml:"moe_layer_overhead_us" unit:"us" range:"[0,1e6]" default:"0" help:"tM: further host time per MoE layer and step"`
	SequenceUs    float64 `toml:"sequence_overhead_us" unit:"us" range:"[0,1e6]" default:"0" help:"t1: host time per scheduled sequence and step"`
	PrefillStepUs float64 `toml:"prefill_step_overhead_us" unit:"us" range:"[0,1e7]" default:"0" help:"tpf: further host time of a step that contains prefill"`
	PrefillLaunch float64 `toml:"prefill_launch_us" unit:"us" range:"[0,1e7]" default:"0" help:"time the host takes to launch the kernels of a step that contains prefill, where no captured graph holds them; the device works meanwhile, so that only what exceeds its time counts"`
	LaunchUs      float64 `toml:"kernel_launch_us" unit:"us" range:"[0,1e6]" default:"0" help:"host time to launch one kernel, whatever the batch"`
	Kernels       float64 `toml:"kernels_per_layer" unit:"kernels" range:"[0,1e5]" default:"10" help:"kernels launched per layer and step, with kernel_launch_us"`
	Embedding     string  `toml:"embedding" enum:"device|host-pinned|host" default:"device" help:"where the embedding table lies: on the device, or in host memory (pinned, or pageable at hardware.pcie_unpinned_util), the rows of new tokens coming over the host link"`
	EmbeddingNorm string  `toml:"embedding_norm" enum:"free|split|fused" default:"free" help:"activations and launches of the embedding and the first norm: not counted, two kernels, or one"`
	Passes        float64 `toml:"activation_passes" unit:"passes" range:"[0,1e4]" default:"0" help:"times per layer that kernels between the GEMMs (norms, residuals, activation functions) read or write tokens x hidden activations in the memory of each chip; 0 = not counted"`
	Logits        string  `toml:"logits" enum:"free|memory|host" default:"free" help:"the sampler's read of the logits (sampled rows x vocabulary, 4 bytes): not counted, from device memory, or over the host link"`
	SamplingUs    float64 `toml:"sampling_us" unit:"us" range:"[0,1e7]" default:"0" help:"time to sample one token (top-p sort and draw), per sampled row of a step, after everything else"`
	AttnSpeed     float64 `toml:"attention_speed" unit:"ratio" range:"(0,100]" default:"1" help:"speed of the attention kernel over the one that attention_compute_util and kv_bandwidth_util describe, at equal occupancy"`
	AttnOccupancy float64 `toml:"attention_occupancy" unit:"ratio" range:"(0,1]" default:"1" help:"share of the chip's thread slots the attention kernel fills; the KV bandwidth reached is proportional to it"`
	KVPrefetch    bool    `toml:"kv_prefetch" default:"false" help:"ask for the KV of a layer during the GEMMs of the one before, which hides hardware.kv_access_us there"`
	KVDequant     float64 `toml:"kv_dequant_flops" unit:"FLOP" range:"[0,1e4]" default:"0" help:"operations to dequantise one KV element of a kv_dtype under 16 bits, at attention's rate"`
	ExpertsRead   float64 `toml:"experts_always_read" unit:"ratio" range:"[0,1]" default:"0" help:"share of the experts that no token of a step uses whose weights are read all the same"`
	Async         bool    `toml:"async_scheduling" default:"false" help:"form each step while the one before runs (vLLM's async scheduling): a request that comes during a step waits for one more; not with dp > 1 or a scheduler of whole batches"`
	FrontendUs    float64 `toml:"frontend_us_per_prompt_token" unit:"us" range:"[0,1e5]" default:"0" help:"h1: serial front end before the queue (tokenizer, IPC), per prompt token"`
	IngressMs     float64 `toml:"ingress_ms" unit:"ms" range:"[0,1e7]" default:"0" help:"host time of a request before the queue (HTTP, tokenizer), any number at a time: a request that would have waited for the engine meanwhile waits that much less"`
	Ingress       string  `toml:"ingress" enum:"in-ttft|outside-ttft" default:"in-ttft" help:"where the clock of a request starts: before its ingress, or when it is over (TTFT and E2E are then those that the engine sees)"`
	ColdStartMs   float64 `toml:"cold_start_ms" unit:"ms" range:"[0,1e9]" default:"0" help:"the first step of each replica waits this long (compilation, graph capture, first allocation)"`
	JitterUs      float64 `toml:"allocator_jitter_us" unit:"us" range:"[0,1e7]" default:"0" help:"further host time per step of an allocator that grows the KV cache, mean over all steps, exponential; 0 = KV allocated once"`
	JitterProb    float64 `toml:"allocator_jitter_probability" unit:"ratio" range:"(0,1]" default:"1" help:"share of the steps that meet the allocator; the mean over all steps stays, so that rare waits are long: standard deviation = mean x sqrt(2 / p - 1)"`
	ClientUs      float64 `toml:"client_overhead_us" unit:"us" range:"[0,1e8]" default:"0" help:"host time a client sees beside the engine, added to TTFT and E2E once per request"`
	ClientSpread  float64 `toml:"client_spread" unit:"ratio" range:"[0,1]" default:"0" help:"how client_overhead_us varies between requests, the mean staying: standard deviation over mean, exponential above what all have"`
}

// Values of Engine.Ingress.
const (
	InTTFT      = "in-ttft"
	OutsideTTFT = "outside-ttft"
)

// Values of Engine.Routing.
const (
	RoundRobin  = "round-robin"
	LeastLoaded = "least-loaded" // fewest requests queued or running
)

// Values of Measurement fields.
const (
	Mean   = "mean"
	P50    = "p50"
	Client = "client"
	Server = "server"
)

// Measurement is how the numbers are taken. Every field is a study key
// "measurement.<toml tag>".
type Measurement struct {
	Warmup      int     `toml:"warmup_requests" unit:"requests" range:"[0,100000000]" default:"0" help:"first requests left out of statistics; fewer than there are"`
	Statistic   string  `toml:"statistic" enum:"mean|p50" default:"mean" help:"which statistic a measured value is; read by calibrate"`
	PerConc     int     `toml:"prompts_per_concurrency" unit:"requests" range:"[0,100000]" default:"0" help:"closed loop: requests = this x concurrency; 0 = workload.requests"`
	LengthRange float64 `toml:"length_range" unit:"ratio" range:"(0,1]" default:"1" help:"fixed lengths L are drawn uniformly from this x L to L; 1 = exact"`
	Clock       string  `toml:"clock" enum:"client|server" default:"client" help:"whose clock: client adds engine.client_overhead_us"`
}

// Limit is one service-level objective on a metric column; NaN = no bound.
type Limit struct {
	Metric   string
	Max, Min float64
}
