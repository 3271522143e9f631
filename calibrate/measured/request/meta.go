package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/hardware"
	"scoville/core/scenario"
)

// MetaName is the file beside a log of requests that says how the engine ran:
// the form of LLMServingSim's benchmark.
const MetaName = "meta.json"

// meta is what such a file says, as far as it is read.
type meta struct {
	Model   string `json:"model"`
	Version string `json:"vllm_version"`
	Engine  struct {
		TP        int    `json:"tensor_parallel_size"`
		MaxSeqs   int    `json:"max_num_seqs"`
		MaxTokens int    `json:"max_num_batched_tokens"`
		DType     string `json:"dtype"`
		KVDType   string `json:"kv_cache_dtype"`
	} `json:"engine_kwargs"`
	Cache struct {
		Blocks    int   `json:"num_gpu_blocks"`
		BlockSize int   `json:"block_size"`
		Prefixes  *bool `json:"enable_prefix_caching"`
	} `json:"kv_cache"`
	Hardware struct {
		Name string `json:"device_name"`
	} `json:"hardware"`
}

// reservesPrompt are the minor versions of vLLM from which a request is admitted
// only when its whole prompt fits (scheduler_reserve_full_isl).
const reservesPrompt = 19

var minorVersion = regexp.MustCompile(`^0\.(\d+)`)

// Describe gives the rows of a log what the file beside it says of the engine:
// model, chip, version, limits, formats and the KV pool it found. Names that the
// catalogues do not have are left to the user.
func Describe(f *row.File, name string, data []byte) error {
	var m meta
	if err := json.Unmarshal(data, &m); err != nil {
		return &scenario.Error{File: name, Msg: "not the description of a run: " + err.Error(), Hint: "move it away if it does not belong to " + f.Name}
	}
	said := map[string]any{}
	add := func(path string, v any, ok bool) {
		if ok {
			said[path] = v
		}
	}
	add("engine.version", "vllm "+m.Version, m.Version != "")
	add("engine.tp", m.Engine.TP, m.Engine.TP > 0)
	add("engine.max_num_seqs", m.Engine.MaxSeqs, m.Engine.MaxSeqs > 0)
	add("engine.max_num_batched_tokens", m.Engine.MaxTokens, m.Engine.MaxTokens > 0)
	add("engine.kv_blocks", m.Cache.Blocks, m.Cache.Blocks > 0)
	add("hardware.workspace_gib", foundWorkspace, m.Cache.Blocks > 0)
	add("engine.block_size", m.Cache.BlockSize, m.Cache.BlockSize > 0)
	add("workload.trace_prefix_block_tokens", m.Cache.BlockSize, m.Cache.BlockSize > 0)
	if m.Cache.Prefixes != nil {
		said["engine.prefix_caching"] = *m.Cache.Prefixes
	}
	if g := minorVersion.FindStringSubmatch(m.Version); g != nil {
		minor, err := strconv.Atoi(g[1])
		add("engine.reserve_full_prompt", true, err == nil && minor >= reservesPrompt)
	}
	add("model.kv_dtype", row.Canonical("model.kv_dtype", m.Engine.KVDType), m.Engine.KVDType != "" && m.Engine.KVDType != "auto")
	chip := row.Canonical("hardware.name", m.Hardware.Name)
	_, err := hardware.Catalog(chip)
	add("hardware.name", chip, err == nil)
	for _, path := range slices.Sorted(maps.Keys(said)) {
		if _, err := scenario.Convert(path, said[path]); err != nil {
			return &scenario.Error{File: name, Where: path, Msg: err.Error()}
		}
	}
	format := m.Engine.DType
	if format == "auto" {
		format = ""
	}
	if _, err := scenario.Convert("model.weight_dtype", row.Canonical("model.weight_dtype", format)); format != "" && err != nil {
		return &scenario.Error{File: name, Where: "dtype", Msg: fmt.Sprintf("%q is no number format", row.Shorten(format))}
	}
	for i := range f.Rows {
		o := &f.Rows[i]
		for _, path := range slices.Sorted(maps.Keys(said)) {
			o.Set(path, said[path], -1)
		}
		if o.Value("model.name") == nil && m.Model != "" {
			if _, err := o.SetModel(m.Model, format, -1, -1); err != nil {
				return err
			}
		}
	}
	f.Notes = append(f.Notes, fmt.Sprintf("%s beside it says: %s", MetaName, strings.Join(words(said, m.Model), ", ")))
	return nil
}

// foundWorkspace is the workspace, in GiB, beside a pool of blocks that the
// engine found itself: whatever it was, the pool is what was left.
const foundWorkspace = 0.1

// words lists what was said, in a fixed order.
func words(said map[string]any, model string) []string {
	var out []string
	if model != "" {
		out = append(out, "model "+model)
	}
	for _, path := range []string{
		"hardware.name", "engine.version", "engine.tp", "engine.max_num_seqs", "engine.max_num_batched_tokens",
		"engine.block_size", "engine.kv_blocks", "engine.prefix_caching", "engine.reserve_full_prompt", "model.kv_dtype",
	} {
		if v, ok := said[path]; ok {
			out = append(out, fmt.Sprintf("%s %v", path, v))
		}
	}
	return out
}
