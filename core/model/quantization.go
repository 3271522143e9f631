package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"scoville/core/unit"
)

// formats sets the formats of the checkpoint. Embedding and LM head stay in
// the checkpoint's dtype under every quantisation, and so do all but the
// routed experts when attention is among the modules left out (gpt-oss,
// Kimi-K2.5).
func (r *configReader) formats(m *Model) {
	base := unit.BF16
	switch name, v := r.find("dtype", "torch_dtype"); v {
	case nil, "bfloat16", "torch.bfloat16":
	case "float16", "torch.float16", "half":
		base = unit.FP16
	case "float32", "torch.float32", "float":
		base = unit.FP32
	default:
		r.fail(name, v, "must be bfloat16, float16 or float32")
	}
	m.WeightDType, m.KVDType = base, base
	_, v := r.find("quantization_config")
	if v == nil {
		return
	}
	q, ok := v.(map[string]any)
	if !ok {
		r.fail("quantization_config", v, "must be an object")
		return
	}
	weights, inputs, kv := quantised(q)
	if weights == "" {
		r.fail("quantization_config.quant_method", q["quant_method"], "is not a known quantisation with 4 or 8 bits")
		return
	}
	m.ActivationDType = or(inputs, base)
	m.KVDType = or(kv, base)
	m.LMHeadDType = base
	if m.Experts > 0 && leavesOutAttention(q) {
		m.ExpertDType = weights
		return
	}
	m.WeightDType = weights
}

// quantised returns the formats a quantization_config gives to weights, GEMM
// inputs ("" = not quantised) and KV cache ("" = not quantised). Empty weights
// mean an unknown method.
func quantised(q map[string]any) (weights, inputs, kv unit.DType) {
	switch method := q["quant_method"]; method {
	case "fp8", "fbgemm_fp8":
		return unit.FP8, unit.FP8, ""
	case "mxfp4":
		return unit.FP4, "", ""
	case "awq", "gptq", "auto-round":
		return format(q["bits"], "int"), "", ""
	case "bitsandbytes":
		if q["load_in_4bit"] == true {
			return unit.INT4, "", ""
		}
		return unit.INT8, "", ""
	case "modelopt":
		if q["kv_cache_quant_algo"] == "FP8" {
			kv = unit.FP8
		}
		switch q["quant_algo"] {
		case "FP8":
			return unit.FP8, unit.FP8, kv
		case "NVFP4":
			return unit.FP4, unit.FP4, kv
		}
		return "", "", ""
	case "compressed-tensors":
		groups, _ := q["config_groups"].(map[string]any)
		type pair struct{ weights, inputs unit.DType }
		seen := map[pair]bool{}
		for _, g := range groups {
			group, _ := g.(map[string]any)
			weights, inputs = scheme(group["weights"]), scheme(group["input_activations"])
			seen[pair{weights, inputs}] = true
		}
		if len(seen) != 1 { // several formats are more than Model can hold
			return "", "", ""
		}
		return weights, inputs, scheme(q["kv_cache_scheme"])
	}
	return "", "", ""
}

// scheme returns the format of one compressed-tensors scheme; "" when null.
func scheme(v any) unit.DType {
	s, _ := v.(map[string]any)
	kind, _ := s["type"].(string)
	return format(s["num_bits"], kind)
}

// format returns the format of so many bits, "" for one that is not modelled.
func format(bits any, kind string) unit.DType {
	n, _ := bits.(json.Number)
	switch string(n) + kind {
	case "4int":
		return unit.INT4
	case "4float":
		return unit.FP4
	case "8int":
		return unit.INT8
	case "8float":
		return unit.FP8
	}
	return ""
}

// leavesOutAttention reports whether the modules a quantization_config leaves
// out are the attention projections.
func leavesOutAttention(q map[string]any) bool {
	for _, key := range []string{"modules_to_not_convert", "ignore", "exclude_modules"} {
		modules, _ := q[key].([]any)
		for _, module := range modules {
			if strings.Contains(fmt.Sprint(module), "self_attn") {
				return true
			}
		}
	}
	return false
}
