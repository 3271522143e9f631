// Package foreign knows what flags and settings of serving engines and of their
// benchmark clients are called as study keys. It knows no key's meaning beyond
// its name.
package foreign

import (
	"maps"
	"slices"
	"strings"
)

// keys are study keys by a flag that stands for the same: of vLLM and its bench
// serve, SGLang, TensorRT-LLM, and common short forms. A key that begins with
// a dot is one of a class of requests.
var keys = map[string]string{
	"gpu_memory_utilization": "engine.memory_fraction", "mem_fraction_static": "engine.memory_fraction", "free_gpu_memory_fraction": "engine.memory_fraction",
	"kv_cache_free_gpu_mem_fraction": "engine.memory_fraction", "memory_utilization": "engine.memory_fraction",
	"max_model_len": "model.max_context", "context_length": "model.max_context", "max_seq_len": "model.max_context", "max_position_embeddings": "model.max_context",
	"tensor_parallel_size": "engine.tp", "tensor_parallel": "engine.tp", "tp_size": "engine.tp",
	"data_parallel_size": "engine.dp", "dp_size": "engine.dp", "replicas": "engine.dp",
	"expert_parallel_size": "engine.ep", "ep_size": "engine.ep", "enable_expert_parallel": "engine.ep",
	"max_running_requests": "engine.max_num_seqs", "max_batch_size": "engine.max_num_seqs", "batch_size": "engine.max_num_seqs",
	"max_num_tokens": "engine.max_num_batched_tokens", "chunked_prefill_size": "engine.max_num_batched_tokens", "max_prefill_tokens": "engine.max_num_batched_tokens",
	"enable_prefix_caching": "engine.prefix_caching", "enable_chunked_prefill": "engine.chunked_prefill",
	"page_size": "engine.block_size", "tokens_per_block": "engine.block_size", "num_gpu_blocks_override": "engine.kv_blocks", "num_gpu_blocks": "engine.kv_blocks",
	"num_speculative_tokens": "engine.speculative_tokens", "speculative_num_draft_tokens": "engine.speculative_tokens",
	"quantization": "model.weight_dtype", "dtype": "model.weight_dtype", "torch_dtype": "model.weight_dtype",
	"kv_cache_dtype": "model.kv_dtype", "cache_dtype": "model.kv_dtype",
	"request_rate": "workload.rate_rps", "rate": "workload.rate_rps", "qps": "workload.rate_rps", "rps": "workload.rate_rps", "arrival_rate": "workload.rate_rps",
	"num_prompts": "workload.requests", "num_requests": "workload.requests",
	"max_concurrency": "workload.concurrency", "users": "workload.concurrency",
	"num_warmups": "measurement.warmup_requests", "random_range_ratio": "measurement.length_range",
	"input_len": ".prompt_tokens", "random_input_len": ".prompt_tokens", "input_tokens": ".prompt_tokens", "prompt_len": ".prompt_tokens", "isl": ".prompt_tokens", "input_length": ".prompt_tokens",
	"output_len": ".output_tokens", "random_output_len": ".output_tokens", "osl": ".output_tokens", "max_tokens": ".output_tokens", "output_length": ".output_tokens",
}

// sentences are hints for what has no key, or not one of the same meaning.
var sentences = map[string]string{
	"pipeline_parallel_size": "pipeline parallelism is not simulated: engine.tp and engine.dp are",
	"burstiness":             `set workload.arrival = "gamma" and workload.arrival_cv, which is 1/sqrt(burstiness)`,
	"swap_space":             `set engine.preemption = "swap" and hardware.pcie_gb_s; the space in host memory is not limited`,
	"enforce_eager":          "set engine.kernel_launch_us and engine.kernels_per_layer: what launches cost without graphs",
	"num_scheduler_steps":    "every step is scheduled alone; engine.async_scheduling hides the host behind the step",
}

// name is how a flag is written as the last part of a key.
func name(path string) string {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(last, "-")), "-", "_")
}

// Key returns the study key that the last part of a path stands for in another
// program, "" if none. class is the class of requests that the path is about;
// with none it is NAME.
func Key(path, class string) string {
	key := keys[name(path)]
	if strings.HasPrefix(key, ".") {
		if class == "" {
			class = "NAME"
		}
		key = "workload.class." + class + key
	}
	return key
}

// Hint says what to write for a flag that no study key is quite the same as;
// "" for any other path.
func Hint(path string) string {
	if strings.HasPrefix(keys[name(path)], ".") && !strings.HasPrefix(path, "workload.class.") {
		return "lengths belong to a class of requests: [[workload.class]] with " + keys[name(path)][1:]
	}
	return sentences[name(path)]
}

// Names are the flags that it knows, sorted.
func Names() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(keys)), slices.Collect(maps.Keys(sentences)))))
}
