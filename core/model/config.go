package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"scoville/core/unit"
)

// maxConfig bounds the size of a config.json; real ones are under 100 KB, most
// of it names of layers that are not quantised.
const maxConfig = 4 << 20

// ReadConfig reads the architecture of a decoder-only LLM from a Hugging Face
// config.json: the Llama, Mistral, Qwen, Gemma, Mixtral, gpt-oss, DeepSeek,
// MiniMax and Kimi families and whatever else uses their keys. A nested
// text_config is the model. The formats are those of the checkpoint: dtype (or
// torch_dtype, bf16 when absent) and quantization_config; a checkpoint may be
// served in others, so a study overrides them. DeclaredParams is num_parameters
// where the file has it, and then checked. Name, Config and Profile stay empty.
//
// Missing keys, wrong types, contradictions and architectures whose cost these
// numbers do not describe (state-space and linear-attention layers, sparse
// attention, encoders) are a *KeyError with the key of the file.
func ReadConfig(data []byte) (Model, error) {
	keys, err := decodeConfig(data)
	if err != nil {
		return Model{}, err
	}
	r := &configReader{keys: keys, names: map[string]string{}}
	m := Model{Source: "Hugging Face config.json"}
	r.refuseFamily()
	r.refuseUnknownLayers()
	r.dimensions(&m)
	r.attention(&m)
	r.experts(&m)
	r.slidingWindow(&m)
	r.formats(&m)
	if r.err == nil {
		r.err = r.rename(m.Check())
	}
	if r.err == nil {
		r.names["declared_params"] = "num_parameters"
		r.err = r.rename(m.CheckDeclared())
	}
	if r.err != nil {
		return Model{}, r.err
	}
	return m, nil
}

// decodeConfig returns the keys of the (text) model as one flat object.
func decodeConfig(data []byte) (map[string]any, error) {
	if len(data) > maxConfig {
		return nil, &KeyError{Rule: fmt.Sprintf("config.json has %s; the limit is %s", unit.Bytes(float64(len(data))), unit.Bytes(maxConfig))}
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.UseNumber()
	var keys map[string]any
	err := d.Decode(&keys)
	if err == nil && keys == nil {
		err = errors.New("null is not an object")
	}
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("text after the closing brace")
		}
	}
	if err != nil {
		at := d.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = syntax.Offset
		}
		line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
		return nil, &KeyError{Rule: fmt.Sprintf("config.json is not a JSON object (line %d): %v", line, err)}
	}
	if text, ok := keys["text_config"].(map[string]any); ok {
		for k, v := range text {
			keys[k] = v
		}
	}
	return keys, nil
}

// configReader takes values out of a config.json. The first error sticks, so
// that its callers read as a list of keys.
type configReader struct {
	keys  map[string]any
	names map[string]string // study key -> the key of the file it was read from
	err   error
}

func (r *configReader) fail(key string, value any, rule string, args ...any) {
	if r.err == nil {
		r.err = &KeyError{Key: key, Value: value, Rule: fmt.Sprintf(rule, args...)}
	}
}

// rename gives an error of Model.Check the key that the file uses.
func (r *configReader) rename(err error) error {
	var k *KeyError
	if errors.As(err, &k) && r.names[k.Key] != "" {
		k.Key = r.names[k.Key]
	}
	return err
}

// find returns the first of names that is present and not null.
func (r *configReader) find(names ...string) (string, any) {
	for _, n := range names {
		if v := r.keys[n]; v != nil {
			return n, v
		}
	}
	return names[0], nil
}

// optional sets *dst from the first of names that is present and reports
// whether one is. Values are integers from 0 to 1e9; 4096.0 is one.
func (r *configReader) optional(dst *int, key string, names ...string) bool {
	name, v := r.find(names...)
	r.names[key] = name
	if v == nil {
		return false
	}
	n, ok := v.(json.Number)
	if !ok {
		r.fail(name, v, "must be an integer")
		return true
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || f < 0 || f > 1e9 {
		r.fail(name, v, "must be an integer from 0 to 1e9")
		return true
	}
	*dst = int(f)
	return true
}

// required is optional for keys without which there is no model.
func (r *configReader) required(dst *int, key string, names ...string) {
	if !r.optional(dst, key, names...) {
		r.fail(names[0], nil, "is missing")
	}
}

func (r *configReader) text(names ...string) string {
	name, v := r.find(names...)
	s, ok := v.(string)
	if v != nil && !ok {
		r.fail(name, v, "must be a string")
	}
	return s
}

func (r *configReader) boolean(name string, absent bool) bool {
	_, v := r.find(name)
	if v == nil {
		return absent
	}
	b, ok := v.(bool)
	if !ok {
		r.fail(name, v, "must be true or false")
	}
	return b
}

// list returns an array; nil when absent.
func (r *configReader) list(name string) []any {
	_, v := r.find(name)
	l, ok := v.([]any)
	if v != nil && !ok {
		r.fail(name, v, "must be an array")
	}
	return l
}

// foreign are the beginnings of model_type of families without attention over a
// KV cache. They may lack every key that would tell.
var foreign = []string{"mamba", "falcon_mamba", "rwkv", "xlstm", "recurrent_gemma", "retnet", "hyena", "stripedhyena"}

// refuseFamily fails on architectures that no key of a transformer describes.
func (r *configReader) refuseFamily() {
	key, family := "model_type", r.text("model_type")
	if list := r.list("architectures"); family == "" && len(list) > 0 {
		key = "architectures[0]"
		family, _ = list[0].(string)
	}
	for _, name := range foreign {
		if strings.HasPrefix(strings.ToLower(family), name) {
			r.fail(key, family, "is an architecture that is not supported: its layers are not attention over a KV cache")
		}
	}
}

// refuseUnknownLayers fails on keys of architectures that would be read wrong
// without a word: their layers are not attention over a KV cache that grows
// with every token.
func (r *configReader) refuseUnknownLayers() {
	if r.boolean("is_encoder_decoder", false) {
		r.fail("is_encoder_decoder", true, "is not a decoder-only model")
	}
	for _, k := range []string{
		"mamba_d_state", "ssm_state_size", "state_size", "ssm_cfg", // state space: Jamba, Nemotron-H, Mamba
		"linear_num_value_heads", "linear_attn_config", // linear attention: Qwen3-Next, Kimi-Linear
		"index_topk", "attention_chunk_size", // sparse and chunked attention: DeepSeek-V3.2, Llama 4
		"layers_block_type", "block_configs", // layers of unlike shape: Zamba, Deci
	} {
		if _, v := r.find(k); v != nil {
			r.fail(k, nil, "belongs to an architecture that is not supported")
		}
	}
	for i, v := range r.list("attn_type_list") {
		if v != json.Number("1") {
			r.fail(fmt.Sprintf("attn_type_list[%d]", i), v, "is not full attention (1)")
		}
	}
}

func (r *configReader) dimensions(m *Model) {
	r.required(&m.Layers, "layers", "num_hidden_layers")
	r.required(&m.Hidden, "hidden", "hidden_size")
	r.required(&m.Vocab, "vocab", "vocab_size")
	r.optional(&m.MaxContext, "max_context", "max_position_embeddings")
	m.DeclaredParams = r.number("num_parameters")
	family := r.text("model_type")
	gemma := strings.HasPrefix(family, "gemma")
	m.TiedEmbed = r.boolean("tie_word_embeddings", gemma) // Gemma alone ties by default
	// A gate goes with SiLU; GELU and squared ReLU mean two plain matrices,
	// in Gemma a gate too.
	act := r.text("hidden_act", "hidden_activation")
	m.GatedFFN = gemma || act == "" || strings.Contains(act, "silu") || strings.Contains(act, "swi")
}

func (r *configReader) attention(m *Model) {
	r.required(&m.Heads, "heads", "num_attention_heads")
	if !r.optional(&m.KVHeads, "kv_heads", "num_key_value_heads") {
		m.KVHeads = m.Heads
	}
	r.optional(&m.KVLoRARank, "kv_lora_rank", "kv_lora_rank")
	if m.MLA() {
		r.optional(&m.QLoRARank, "q_lora_rank", "q_lora_rank")
		r.required(&m.RopeHeadDim, "rope_head_dim", "qk_rope_head_dim")
		r.required(&m.NopeHeadDim, "nope_head_dim", "qk_nope_head_dim")
		r.required(&m.ValueDim, "value_head_dim", "v_head_dim")
		m.HeadDim = m.NopeHeadDim + m.RopeHeadDim // a head_dim key has another meaning here
		return
	}
	if r.optional(&m.HeadDim, "head_dim", "head_dim") || m.Heads == 0 {
		return
	}
	if m.Hidden%m.Heads != 0 {
		name, v := r.find(r.names["heads"])
		r.fail(name, v, "does not divide %s = %d, and there is no head_dim", r.names["hidden"], m.Hidden)
	}
	m.HeadDim = m.Hidden / m.Heads
}

// experts reads the feed-forward part. A layer has experts unless it is one of
// the first first_k_dense_replace, listed in mlp_only_layers, or off the step
// of decoder_sparse_step (Qwen) or moe_layer_freq (DeepSeek).
func (r *configReader) experts(m *Model) {
	r.optional(&m.Experts, "experts", "num_local_experts", "num_experts", "n_routed_experts")
	if m.Experts == 0 {
		r.required(&m.FFN, "ffn", "intermediate_size")
		return
	}
	r.required(&m.ExpertsPerTok, "experts_per_token", "num_experts_per_tok", "experts_per_token")
	r.required(&m.ExpertFFN, "expert_ffn", "moe_intermediate_size", "intermediate_size")
	r.optional(&m.SharedExperts, "shared_experts", "n_shared_experts")
	var shared int
	if r.optional(&shared, "shared_experts", "shared_expert_intermediate_size", "shared_intermediate_size") && shared > 0 {
		if m.ExpertFFN == 0 || shared%m.ExpertFFN != 0 {
			r.fail(r.names["shared_experts"], shared, "must be a multiple of %s = %d", r.names["expert_ffn"], m.ExpertFFN)
			return
		}
		m.SharedExperts = shared / m.ExpertFFN
	}
	m.DenseLayers = r.denseLayers(m.Layers)
	if m.DenseLayers > 0 {
		r.required(&m.FFN, "ffn", "intermediate_size")
	}
}

// denseLayers counts the layers of an MoE model without experts.
func (r *configReader) denseLayers(layers int) int {
	first, step, offset := 0, 1, 0
	r.optional(&first, "dense_layers", "first_k_dense_replace")
	if r.optional(&step, "dense_layers", "decoder_sparse_step") {
		offset = 1 // Qwen counts layers from 1
	} else {
		r.optional(&step, "dense_layers", "moe_layer_freq")
	}
	listed := map[json.Number]bool{}
	for i, v := range r.list("mlp_only_layers") {
		n, ok := v.(json.Number)
		if !ok {
			r.fail(fmt.Sprintf("mlp_only_layers[%d]", i), v, "must be an integer")
		}
		listed[n] = true
	}
	dense := 0
	for i := range min(layers, maxLayers) {
		if i < first || listed[json.Number(strconv.Itoa(i))] || (step > 0 && (i+offset)%step != 0) {
			dense++
		}
	}
	return dense
}

// slidingWindow counts the layers with a window: those layer_types names, else
// by the rule of the family.
func (r *configReader) slidingWindow(m *Model) {
	r.optional(&m.SlidingWindow, "sliding_window", "sliding_window")
	if m.SlidingWindow == 0 || !r.boolean("use_sliding_window", true) {
		m.SlidingWindow = 0
	}
	types := r.list("layer_types")
	if types != nil && len(types) != m.Layers {
		r.fail("layer_types", nil, "has %d entries for %s = %d", len(types), r.names["layers"], m.Layers)
	}
	sliding := 0
	for i, t := range types {
		switch t {
		case "sliding_attention":
			sliding++
		case "full_attention":
		default:
			r.fail(fmt.Sprintf("layer_types[%d]", i), t, "is neither full_attention nor sliding_attention")
		}
	}
	if m.SlidingWindow == 0 {
		return
	}
	pattern, full := 0, 0
	switch family := r.text("model_type"); {
	case types != nil:
	case r.optional(&pattern, "sliding_layers", "sliding_window_pattern") && pattern > 0: // every pattern-th layer is full
		sliding = m.Layers - m.Layers/pattern
	case family == "gemma2" || family == "gpt_oss": // every other layer, from the first
		sliding = (m.Layers + 1) / 2
	case strings.HasPrefix(family, "qwen") && r.optional(&full, "sliding_layers", "max_window_layers"): // the first layers are full
		sliding = max(0, m.Layers-full)
	default:
		sliding = m.Layers
	}
	m.SlidingLayers = sliding
	if sliding == 0 {
		m.SlidingWindow = 0
	}
}
