package row

import "strings"

// aliases are names of scenario keys seen in published tables, folded.
var aliases = spellings(map[string]string{
	PromptPath: `isl input_len input_length input_tokens input_toks input_size input_seq_len input_sequence_length in_len in_tokens
		prompt_size prompt_len prompt_length prompt_tokens num_input_tokens num_prompt_tokens random_input_len dataset_input_len
		mean_input_tokens avg_input_tokens mean_input_len avg_input_len contexttokens context_tokens request_tokens`,
	OutputPath: `osl output_len output_length output_tokens output_toks output_size output_seq_len output_sequence_length out_len out_tokens
		token_size gen_len gen_tokens generation_len generation_tokens num_output_tokens completion_tokens response_tokens random_output_len
		dataset_output_len mean_output_tokens avg_output_tokens mean_output_len avg_output_len generatedtokens max_new_tokens`,
	ConcurrencyPath: `concurrency conc max_concurrency maximum_request_concurrency concurrent_requests num_concurrent_requests concurrency_level
		concurrent_users num_users users virtual_users num_clients clients`,
	RatePath: `request_rate qps rps requested_rate rate req_rate arrival_rate target_qps target_rps request_rate_rps request_rate_req_s
		request_rate_configured_rps offered_rps`,
	RequestsPath:    `num_prompts num_requests n_requests total_requests number_of_requests`,
	"hardware.name": `hardware system hw gpu_name gpu gpu_type gpu_model device device_name device_type accelerator accelerator_type accelerator_name`,
	"engine.tp": `tp tp_size tp_degree tensor_parallel tensor_parallel_size tensor_parallel_degree tensor_model_parallel_size num_of_hardware
		gpu_count num_gpus n_gpus gpus number_of_gpus num_gpu gpu_num`,
	"model.name":             `model model_id model_path model_name llm llm_name served_model_name hf_model`,
	"model.weight_dtype":     `precision dtype quantization quant weights_dtype`,
	"model.kv_dtype":         `kv_cache_dtype kv_dtype`,
	"engine.chunked_prefill": `enable_chunked_prefill`,
	"engine.prefix_caching":  `enable_prefix_caching`,
	"engine.memory_fraction": `gpu_memory_utilization`,
	"engine.version":         `vllm_version backend_version engine_version framework_version server_version image vllm version`,
})

func spellings(names map[string]string) map[string]string {
	out := map[string]string{}
	for path, list := range names {
		for _, n := range strings.Fields(list) {
			out[n] = path
		}
	}
	return out
}

// weak names yield to a more exact column of the same meaning.
var weak = map[string]bool{
	"gpu_count": true, "num_of_hardware": true, "num_gpus": true, "n_gpus": true, "gpus": true, "number_of_gpus": true, "num_gpu": true, "gpu_num": true,
	"image": true, "version": true, "framework_version": true, "server_version": true, "dtype": true, "quantization": true, "quant": true, "qps": true, "rps": true, "rate": true,
	"model": true, "model_name": true, "llm": true, "served_model_name": true, "hardware": true, "requests": true, "device": true, "system": true,
	"users": true, "clients": true, "num_clients": true, "num_users": true, "max_new_tokens": true, "total_requests": true, "num_requests": true,
}

// families are what latencies are called, folded.
var families = map[string]string{
	"ttft": "ttft", "time_to_first_token": "ttft", "first_token_latency": "ttft", "first_token_time": "ttft",
	"tpot": "tpot", "time_per_output_token": "tpot", "latency_per_output_token": "tpot",
	"itl": "itl", "inter_token_latency": "itl", "intertoken_latency": "itl", "tbt": "itl", "time_between_tokens": "itl",
	"e2e": "e2e", "e2el": "e2e", "e2e_latency": "e2e", "end_to_end_latency": "e2e", "e2e_time": "e2e", "e2e_request_latency": "e2e",
	"request_latency": "e2e", "total_latency": "e2e", "latency": "e2e",
}

// units are endings of names with the factor that makes a value ms.
var units = map[string]float64{
	"_ms": 1, "_msec": 1, "_msecs": 1, "_millis": 1, "_milliseconds": 1, "_in_ms": 1,
	"_s": 1e3, "_sec": 1e3, "_secs": 1e3, "_seconds": 1e3, "_in_s": 1e3, "_in_seconds": 1e3,
	"_us": 1e-3, "_µs": 1e-3, "_usec": 1e-3,
}
