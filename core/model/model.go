// Package model describes a decoder-only LLM as numbers: layers, heads,
// experts and number formats, and what follows from them: parameters, bytes of
// weights, bytes of KV cache per token, FLOPs per token. It reads the shipped
// catalogue and Hugging Face config.json files. It knows nothing of chips,
// batches or time.
package model

import "scoville/core/unit"

// Model is one LLM. The zero value of a count means the feature is absent.
// Every field is a study key "model.<toml tag>"; the tags also give range and
// help text (see core/scenario for their grammar).
type Model struct {
	Name   string `toml:"name" help:"catalogue name, Hugging Face id or a free label"`
	Config string `toml:"config" help:"path of a Hugging Face config.json, relative to the study; read instead of a catalogue entry"`

	Profile string `toml:"profile" help:"path of a profile that sweep profile wrote, relative to the study; read instead of a catalogue entry or config.json"`

	Layers    int  `toml:"layers" unit:"layers" range:"[1,10000]" help:"transformer layers"`
	Hidden    int  `toml:"hidden" unit:"elements" range:"[1,1000000]" help:"width of the residual stream"`
	Heads     int  `toml:"heads" unit:"heads" range:"[1,100000]" help:"query heads per layer"`
	KVHeads   int  `toml:"kv_heads" unit:"heads" range:"[1,100000]" help:"key/value heads per layer (fewer than heads: grouped queries)"`
	HeadDim   int  `toml:"head_dim" unit:"elements" range:"[1,100000]" help:"width of one head; independent of hidden / heads"`
	FFN       int  `toml:"ffn" unit:"elements" range:"[0,10000000]" help:"width of the dense feed-forward layer"`
	GatedFFN  bool `toml:"gated_ffn" help:"feed-forward with three matrices (gate, up, down) instead of two"`
	Vocab     int  `toml:"vocab" unit:"tokens" range:"[1,100000000]" help:"vocabulary size"`
	TiedEmbed bool `toml:"tied_embeddings" help:"LM head shares the embedding matrix"`

	Experts       int `toml:"experts" unit:"experts" range:"[0,100000]" help:"routed experts per MoE layer; 0 = dense model"`
	ExpertsPerTok int `toml:"experts_per_token" unit:"experts" range:"[0,100000]" help:"routed experts each token uses"`
	SharedExperts int `toml:"shared_experts" unit:"experts" range:"[0,1000]" help:"experts every token uses, of width expert_ffn"`
	DenseLayers   int `toml:"dense_layers" unit:"layers" range:"[0,10000]" help:"first layers with a dense feed-forward of width ffn instead of experts"`
	ExpertFFN     int `toml:"expert_ffn" unit:"elements" range:"[0,10000000]" help:"width of one expert"`

	KVLoRARank  int `toml:"kv_lora_rank" unit:"elements" range:"[0,100000]" help:"MLA: width of the compressed KV latent; 0 = ordinary attention"`
	QLoRARank   int `toml:"q_lora_rank" unit:"elements" range:"[0,100000]" help:"MLA: width of the compressed query; 0 = one full query projection"`
	RopeHeadDim int `toml:"rope_head_dim" unit:"elements" range:"[0,100000]" help:"MLA: rotary part of a query/key head"`
	NopeHeadDim int `toml:"nope_head_dim" unit:"elements" range:"[0,100000]" help:"MLA: non-rotary part of a query/key head"`
	ValueDim    int `toml:"value_head_dim" unit:"elements" range:"[0,100000]" help:"MLA: width of a value head"`

	SlidingWindow int `toml:"sliding_window" unit:"tokens" range:"[0,100000000]" help:"attention window of the sliding layers; 0 = none"`
	SlidingLayers int `toml:"sliding_layers" unit:"layers" range:"[0,10000]" help:"layers that attend only to the last sliding_window tokens"`

	MaxContext     int     `toml:"max_context" unit:"tokens" range:"[0,1000000000]" help:"longest prompt + output the model accepts; longer ones are simulated and noted; 0 = no limit"`
	DeclaredParams float64 `toml:"declared_params" unit:"parameters" range:"[0,1e15]" help:"parameter count its publisher states; checked against the derived one"`

	WeightDType     unit.DType `toml:"weight_dtype" help:"format of the weights read from memory"`
	ExpertDType     unit.DType `toml:"expert_weight_dtype" help:"format of expert weights; empty = weight_dtype"`
	LMHeadDType     unit.DType `toml:"lm_head_dtype" help:"format of embedding and LM head; empty = weight_dtype"`
	KVDType         unit.DType `toml:"kv_dtype" help:"format of the KV cache"`
	ActivationDType unit.DType `toml:"activation_dtype" help:"format GEMM inputs are multiplied in, which picks the peak of the chip; empty = follows weight_dtype (4-bit weights: bf16)"`
	AttentionDType  unit.DType `toml:"attention_dtype" help:"format attention is computed in; empty = bf16 where the chip has it, else as activation_dtype"`

	MinSMArch        float64 `toml:"min_sm_arch" unit:"version" range:"[0,1000]" help:"oldest compute capability its kernels run on (8.9 = Ada), compared with hardware.sm_arch; 0 = whatever has the number formats"`
	RequiredDTypes   string  `toml:"required_dtypes" help:"number formats the chip must have units for beside those GEMMs are computed in, joined by | (fp8|int8)"`
	RequiredFeatures string  `toml:"required_features" help:"features the chip must have, joined by | (tma), compared with hardware.features"`

	Source string `toml:"source" help:"where the figures come from"`
}
