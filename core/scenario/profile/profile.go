// Package profile reads and writes profiles: a model as a TOML file of five
// parts (compute, memory, io, latency, constraints) and its dimensions, made
// from a config.json or a catalogue entry, reviewed by a person, and read in
// place of either. It finds what such a file says twice and not the same way.
// It knows nothing of workloads or steps.
package profile

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario/document"
	"scoville/core/schema"
)

// Version is the version of the format, the value of the key profile.
const Version = 1

// Profile is one model with what its profile says beside it.
type Profile struct {
	Model  model.Model
	Stated Stated
	Notes  []string // what may surprise, a sentence each that starts with the key
}

// Stated are the keys of a profile that are not of the model: derived numbers,
// which a reader of the file checks, and facts for people. 0 or "" = not said.
type Stated struct {
	Compute     Compute     `toml:"compute"`
	Memory      Memory      `toml:"memory"`
	IO          IO          `toml:"io"`
	Latency     Latency     `toml:"latency"`
	Constraints Constraints `toml:"constraints"`
}

// Compute is what a token costs in arithmetic.
type Compute struct {
	Params        float64 `toml:"params" unit:"parameters" range:"[0,1e18]" help:"all parameters"`
	ActiveParams  float64 `toml:"active_params" unit:"parameters" range:"[0,1e18]" help:"parameters that one token uses"`
	FLOPsPerToken float64 `toml:"flops_per_token" unit:"FLOP" range:"[0,1e18]" help:"GEMM work of one token, LM head included, attention over the context not"`
	Activation    string  `toml:"activation" help:"non-linearity of the feed-forward"`
	RopeTheta     float64 `toml:"rope_theta" unit:"base" range:"[0,1e15]" help:"base of the rotary frequencies"`
	RopeScaling   string  `toml:"rope_scaling" help:"kind of scaling beyond the trained context"`
	RopeFactor    float64 `toml:"rope_factor" unit:"ratio" range:"[0,1e6]" help:"factor of that scaling"`
	RopeOriginal  int     `toml:"rope_original_context" unit:"tokens" range:"[0,1000000000]" help:"context before scaling"`
	MaxPositions  int     `toml:"max_positions" unit:"tokens" range:"[0,1000000000]" help:"positions the model was made for"`
}

// Memory is what the model takes in memory.
type Memory struct {
	WeightBytes float64 `toml:"weight_bytes" unit:"B" range:"[0,1e18]" help:"all weights"`
	KVPerToken  float64 `toml:"kv_bytes_per_token" unit:"B" range:"[0,1e12]" help:"KV cache of one token over all layers"`
	KVPerLayer  float64 `toml:"kv_bytes_per_token_per_layer" unit:"B" range:"[0,1e12]" help:"KV cache of one token in one layer"`
	KVRow       float64 `toml:"kv_row_bytes" unit:"B" range:"[0,1e12]" help:"keys or values of one head and token, under MLA the latent"`
	LineBytes   int     `toml:"line_bytes" unit:"B" range:"[0,65536]" help:"memory line that rows should fill"`
}

// IO is what one token moves outside the GEMMs and attention.
type IO struct {
	Embedding       float64 `toml:"embedding_bytes_per_token" unit:"B" range:"[0,1e12]" help:"embedding row read for each token"`
	EmbeddingAccess string  `toml:"embedding_access" enum:"random|sequential" help:"how embedding rows are read"`
	KVWrite         float64 `toml:"kv_write_bytes_per_token" unit:"B" range:"[0,1e12]" help:"keys and values written for each token"`
	KVWriteAccess   string  `toml:"kv_write_access" enum:"random|sequential" help:"how the KV cache is written"`
	KVRead          float64 `toml:"kv_read_bytes_per_context_token" unit:"B" range:"[0,1e12]" help:"KV read by each decode step for each token of the context"`
	KVReadAccess    string  `toml:"kv_read_access" enum:"random|sequential" help:"how the KV cache is read"`
	Logits          float64 `toml:"logits_bytes_per_row" unit:"B" range:"[0,1e12]" help:"logits of one sampled row"`
	LogitsAccess    string  `toml:"logits_access" enum:"random|sequential" help:"how logits are read"`
}

// Latency is what the model takes alone on a named chip.
type Latency struct {
	Hardware     string  `toml:"hardware" help:"chip of the catalogue, or hardware file, that the times are of"`
	PromptTokens int     `toml:"prompt_tokens" unit:"tokens" range:"[0,100000000]" help:"prompt that prefill_ms is of"`
	PrefillMs    float64 `toml:"prefill_ms" unit:"ms" range:"[0,1e12]" help:"prefill of prompt_tokens, alone"`
	DecodeMs     float64 `toml:"decode_ms" unit:"ms" range:"[0,1e12]" help:"one decode step, alone, short context"`
	OverheadUs   float64 `toml:"overhead_us_per_token" unit:"us" range:"[0,1e9]" help:"host time of one token"`
}

// Constraints is what the formats ask of a chip.
type Constraints struct {
	Tile      string  `toml:"tensor_core_tile" help:"M x N x K of one tensor-core instruction"`
	FormatArc float64 `toml:"dtype_sm_arch" unit:"version" range:"[0,1000]" help:"oldest compute capability with tensor cores of activation_dtype"`
}

// parts are the tables of a profile.
var parts = []string{"model", "compute", "memory", "io", "latency", "constraints"}

// homes are the parts that keys of the model stand in; others stand in model.
var homes = map[string]string{
	"weight_dtype": "compute", "expert_weight_dtype": "compute", "lm_head_dtype": "compute",
	"activation_dtype": "compute", "attention_dtype": "compute", "gated_ffn": "compute",
	"kv_dtype":    "memory",
	"min_sm_arch": "constraints", "required_dtypes": "constraints", "required_features": "constraints",
	"config": "", "profile": "", // of a study, not of a profile
}

// key is one key of a profile: of the model, or of Stated.
type key struct {
	*schema.Node
	ofModel bool
}

// keys are the keys of a profile by their path in it, from the tags. A
// malformed tag is a fault of the program, which the tests find.
var keys = sync.OnceValue(func() map[string]key {
	out := map[string]key{}
	add := func(t reflect.Type, ofModel bool) {
		nodes, err := schema.Read(t, "")
		if err != nil {
			panic("profile: " + err.Error())
		}
		for _, n := range nodes {
			path := n.Path
			if home, moved := homes[path]; ofModel && moved {
				path = home + "." + path
			} else if ofModel {
				path = "model." + path
			}
			out[path] = key{n, ofModel}
		}
	}
	add(reflect.TypeFor[model.Model](), true)
	add(reflect.TypeFor[Stated](), false)
	delete(out, ".config")
	delete(out, ".profile")
	return out
})

// Chip finds the chip that [latency] names.
type Chip func(name string) (hardware.Hardware, error)

// Read reads a profile. Syntax errors, unknown keys, wrong types, dimensions
// that no model has, and stated numbers that are not what the dimensions give
// are a *document.Error at their line with both values. What changes no result
// is a note.
func Read(file string, data []byte, chip Chip) (*Profile, error) {
	doc, err := document.Parse(file, data)
	if err != nil {
		return nil, err
	}
	if v := doc.Value("profile"); v != int64(Version) {
		hint := "sweep profile config.json writes one"
		if v == nil {
			return nil, doc.Errorf("profile", hint, `is no profile: it does not say "profile = %d"`, Version)
		}
		return nil, doc.Errorf("profile", hint, "%s is not a version of the format that this program reads: %d", schema.Show(v), Version)
	}
	p := &Profile{}
	if err := p.fill(doc); err != nil {
		return nil, err
	}
	if err := p.check(doc); err != nil {
		return nil, err
	}
	p.Notes = p.notes(chip)
	return p, nil
}

// fill takes every key of the file.
func (p *Profile) fill(doc *document.Document) error {
	for _, e := range doc.Entries {
		head := e.Path[0]
		if head == "profile" && len(e.Path) == 1 {
			continue
		}
		for _, in := range doc.Under(e.Key()) {
			if err := p.set(doc, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// set takes one key.
func (p *Profile) set(doc *document.Document, e document.Entry) error {
	path := e.Key()
	k, ok := keys()[path]
	if !ok {
		return unknown(doc, e)
	}
	v, bad := k.Convert(e.Value)
	if bad != nil {
		return doc.Errorf(path, bad.Hint, "%s", bad.Message())
	}
	root := reflect.ValueOf(&p.Stated).Elem()
	if k.ofModel {
		root = reflect.ValueOf(&p.Model).Elem()
	}
	k.Put(root, v)
	return nil
}

// unknown words a key that no profile has, which may be another part's.
func unknown(doc *document.Document, e document.Entry) error {
	path, last := e.Key(), e.Path[len(e.Path)-1]
	var known []string
	for k := range keys() {
		if k[strings.IndexByte(k, '.')+1:] == last {
			return doc.Errorf(path, "write it under ["+strings.TrimSuffix(k, "."+last)+"]", "a profile has this key in another part")
		}
		known = append(known, k)
	}
	if last == "config" || last == "profile" {
		return doc.Errorf(path, "name files in the study", "a profile does not refer to another file")
	}
	hint := schema.DidYouMean(schema.Closest(path, known))
	if hint == "" {
		hint = "the parts are " + strings.Join(parts, ", ")
	}
	return doc.Errorf(path, hint, "no such key in a profile")
}

// parseTile reads "16x8x16"; "" gives the tile of the model's format.
func (p *Profile) parseTile() (model.Tile, error) {
	text := p.Stated.Constraints.Tile
	if text == "" {
		return model.TileOf(p.Model.Activations()), nil
	}
	sides := strings.Split(text, "x")
	var n [3]int
	for i := range n {
		if len(sides) == 3 {
			n[i], _ = strconv.Atoi(sides[i])
		}
		if n[i] < 1 || n[i] > 65536 {
			return model.Tile{}, fmt.Errorf("%s is not three sides M x N x K from 1 to 65536", schema.Show(text))
		}
	}
	return model.Tile{M: n[0], N: n[1], K: n[2]}, nil
}
