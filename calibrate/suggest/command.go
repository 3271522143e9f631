package suggest

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"scoville/calibrate/objective"
	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// command words the run of a candidate: the server, and the client that writes
// what calibrate fit needs into the result.
func (p *plan) command(c *objective.Condition) Run {
	sc := &c.Scenario
	w := &sc.Workload
	prompt, output := c.Lengths()
	n := w.Requests
	load := fmt.Sprintf("--request-rate %g", w.RateRPS)
	text := fmt.Sprintf("isl %.0f  osl %.0f  ", prompt[0], output[0])
	if !c.Open() {
		n = max(10, sc.Measurement.PerConc*w.Concurrent)
		load = fmt.Sprintf("--max-concurrency %d", w.Concurrent)
		text += fmt.Sprintf("concurrency %d", w.Concurrent)
	} else {
		text += fmt.Sprintf("rate %g/s", w.RateRPS)
	}
	if sc.Engine.TP > 1 {
		text += fmt.Sprintf("  tp %d", sc.Engine.TP)
	}
	id := word(p.served(sc))
	r := Run{Text: text, Server: fmt.Sprintf("vllm serve %s --tensor-parallel-size %d%s%s", id, sc.Engine.TP, p.limits(sc), formats(sc))}
	r.Command = fmt.Sprintf("vllm bench serve --model %s --dataset-name random --random-input-len %.0f --random-output-len %.0f %s --num-prompts %d --ignore-eos --percentile-metrics ttft,tpot,itl,e2el --save-result --metadata gpu_name=%s tensor_parallel_size=%d precision=%s kv_cache_dtype=%s",
		id, math.Round(prompt[0]), math.Round(output[0]), load, n, word(sc.Hardware.Name), sc.Engine.TP, weights(sc), sc.Model.KV())
	return r
}

// served is the model as a server takes it: as the user says it, its repository
// where that is only the catalogue's name, or the folder of its config.json.
func (p *plan) served(sc *scenario.Scenario) string {
	if file, ok := p.fixedValue("model.config"); ok {
		return filepath.Dir(file)
	}
	if name, ok := p.fixedValue("model.name"); ok {
		return hub(name)
	}
	return hub(sc.Model.Name)
}

// weights is the format that says how the model was quantised: that of its
// experts where these are in another.
func weights(sc *scenario.Scenario) unit.DType {
	if sc.Model.Experts > 0 {
		return sc.Model.ExpertWeights()
	}
	return sc.Model.DenseWeights()
}

// published is where an entry of the model catalogue comes from.
var published = regexp.MustCompile(`^Hugging Face ([\w.-]+/[\w.-]+)`)

// hub is the repository of a model of the catalogue; other names stay.
func hub(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	if md, err := model.Catalog(name); err == nil && strings.EqualFold(md.Name, name) {
		if m := published.FindStringSubmatch(md.Source); m != nil {
			return m[1]
		}
	}
	return name
}

// limits are flags of the server for keys of the engine that the candidates set.
func (p *plan) limits(sc *scenario.Scenario) string {
	set := map[string]bool{}
	for _, s := range append(p.settings, p.fixed...) {
		set[strings.TrimPrefix(s.key, "engine.")] = true
	}
	e := &sc.Engine
	out := ""
	add := func(when bool, format string, args ...any) {
		if when {
			out += fmt.Sprintf(format, args...)
		}
	}
	add(e.DP > 1, " --data-parallel-size %d", e.DP)
	add(e.EP > 1, " --enable-expert-parallel")
	add(set["max_num_seqs"], " --max-num-seqs %d", e.MaxNumSeqs)
	add(set["max_num_batched_tokens"], " --max-num-batched-tokens %d", e.MaxTokens)
	add(set["block_size"], " --block-size %d", e.BlockSize)
	add(set["memory_fraction"], " --gpu-memory-utilization %g", e.MemoryFrac)
	add(!set["prefix_caching"] || !e.PrefixCache, " --no-enable-prefix-caching")
	return out
}

// formats are flags for number formats that the model's repository does not
// have, and a remark where no flag makes them.
func formats(sc *scenario.Scenario) string {
	own, err := model.Catalog(sc.Model.Name)
	if err != nil {
		own.WeightDType, own.KVDType = unit.BF16, unit.BF16
	}
	out, remark := "", ""
	if w := sc.Model.DenseWeights(); w != own.DenseWeights() {
		if w == unit.FP8 {
			out += " --quantization fp8"
		} else {
			remark = fmt.Sprintf("   # with a checkpoint of %s weights", w)
		}
	}
	if kv := sc.Model.KV(); kv != own.KV() {
		if kv == unit.FP8 {
			out += " --kv-cache-dtype fp8"
		} else {
			remark = fmt.Sprintf("   # with a KV cache of %s", kv)
		}
	}
	return out + remark
}

// word is a word as a shell takes it.
func word(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+,@", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func (p *plan) fixedValue(key string) (string, bool) {
	for _, s := range p.fixed {
		if s.key == key {
			return s.values[0], true
		}
	}
	return "", false
}
