package console

import (
	"fmt"
	"strings"

	"scoville/calibrate/measured/row"
)

// command is how a server was started: the last server command above a block,
// and comment lines of flags between it and the block.
type command struct {
	engine  string // "vllm", "sglang", ...; "" = no command seen
	model   string
	version string            // of the image that was started
	flags   map[string]string // without dashes, underscores for dashes
	order   []string
}

// servers are the programs that start one, with their engine.
var servers = []struct{ text, engine string }{
	{"vllm serve", "vllm"},
	{"vllm.entrypoints", "vllm"},
	{"vllm/vllm-openai:", "vllm"},
	{"sglang.launch_server", "sglang"},
	{"trtllm-serve", "tensorrt-llm"},
	{"lmdeploy serve", "lmdeploy"},
	{"text-generation-launcher", "tgi"},
	{"llama-server", "llama.cpp"},
}

// next is the command of a block with this text above it: a new one, or the
// one before with new flags in a comment.
func (c command) next(above []string) command {
	var extra string
	for _, line := range joined(above) {
		text := strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "`$"))
		if rest, ok := strings.CutPrefix(text, "#"); ok {
			if extra = strings.TrimSpace(rest); strings.HasPrefix(extra, "--") {
				continue
			}
			extra = ""
		}
		for _, s := range servers {
			at := strings.Index(text, s.text)
			if at < 0 || strings.HasPrefix(text, "#") {
				continue
			}
			c = command{engine: s.engine}
			words := strings.Fields(text[at+len(s.text):])
			if strings.HasSuffix(s.text, ":") && len(words) > 0 { // the tag of an image
				c.version, words = words[0], words[1:]
			}
			c.parse(words)
			extra = ""
			break
		}
	}
	if extra != "" {
		flags := c.flags
		c.flags = map[string]string{}
		for k, v := range flags {
			c.flags[k] = v
		}
		c.parse(strings.Fields(extra))
	}
	return c
}

// joined joins lines that end in a backslash with the next.
func joined(lines []string) []string {
	var out []string
	more := false
	for _, l := range lines {
		t := strings.TrimRight(l, " ")
		next := strings.HasSuffix(t, `\`)
		t = strings.TrimSuffix(t, `\`)
		if more {
			out[len(out)-1] += " " + strings.TrimSpace(t)
		} else {
			out = append(out, t)
		}
		more = next
	}
	return out
}

// parse reads words of a command line: a model, --flag value, --flag=value,
// --flag.
func (c *command) parse(words []string) {
	if c.flags == nil {
		c.flags = map[string]string{}
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			if c.model == "" {
				c.model = w
			}
			continue
		}
		name, value, ok := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if !ok {
			value = "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
				value = words[i]
			}
		}
		name = strings.ReplaceAll(name, "-", "_")
		if name == "model" || name == "model_path" {
			c.model = value
			continue
		}
		if _, again := c.flags[name]; !again {
			c.order = append(c.order, name)
		}
		c.flags[name] = value
	}
}

// keys of scenarios that flags of vLLM set.
var keys = map[string]string{
	"tensor_parallel_size": "engine.tp", "tp": "engine.tp", "data_parallel_size": "engine.dp", "dp": "engine.dp",
	"max_num_seqs": "engine.max_num_seqs", "max_num_batched_tokens": "engine.max_num_batched_tokens", "block_size": "engine.block_size",
	"gpu_memory_utilization": "engine.memory_fraction", "kv_cache_dtype": "kv_cache_dtype", "dtype": "dtype", "quantization": "quantization",
	"enable_chunked_prefill": "engine.chunked_prefill", "enable_prefix_caching": "engine.prefix_caching",
}

// silent flags change nothing the model knows of.
var silent = map[string]bool{
	"port": true, "host": true, "served_model_name": true, "trust_remote_code": true, "max_model_len": true, "disable_log_requests": true,
	"disable_log_stats": true, "seed": true, "api_key": true, "download_dir": true, "gpu_memory_utilization": true, "no_enable_log_requests": true,
}

// cells are what the command says of the run.
func (c *command) cells() []row.Cell {
	if c.engine == "" {
		return nil
	}
	out := []row.Cell{{Name: "engine", Text: c.engine}, {Name: "model", Text: c.model}}
	if c.engine != "vllm" {
		return out
	}
	if c.version != "" && c.version != "latest" {
		out = append(out, row.Cell{Name: "engine_version", Text: c.version})
	}
	for _, name := range c.order {
		base, off := strings.CutPrefix(name, "no_")
		key, ok := keys[base]
		if !ok {
			continue
		}
		value := c.flags[name]
		if off {
			value = "false"
		}
		out = append(out, row.Cell{Name: key, Text: value})
	}
	return out
}

// unfit says why a run cannot be modelled, "" if it can.
func (c *command) unfit() string {
	if c.engine != "" && c.engine != "vllm" {
		return fmt.Sprintf("engine %s, not vllm", c.engine)
	}
	for _, name := range c.order {
		switch {
		case strings.HasPrefix(name, "speculative"), name == "num_speculative_tokens":
			return "speculative decoding"
		case strings.HasPrefix(name, "pipeline_parallel") && c.flags[name] != "1":
			return "pipeline parallelism"
		case name == "compilation_config", name == "enforce_eager":
			return "other graphs than the default: --" + strings.ReplaceAll(name, "_", "-")
		}
	}
	return ""
}

func (c *command) notes() []string {
	if c.engine == "" {
		return []string{"no server command above the block: the engine is taken for vLLM with its defaults"}
	}
	return nil
}

// suspects names flags the model knows nothing of.
func (c *command) suspects() []string {
	var out []string
	for _, name := range c.order {
		base := strings.TrimPrefix(name, "no_")
		if c.engine == "vllm" && keys[base] == "" && !silent[base] && c.unfit() == "" {
			out = append(out, "flag without a counterpart: --"+strings.ReplaceAll(name, "_", "-"))
		}
	}
	return out
}
