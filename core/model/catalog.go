package model

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"scoville/core/internal/spell"
	"scoville/core/unit"
)

//go:embed catalog/*.toml
var files embed.FS

// catalogue maps every name and alias, normalised, to its entry.
type catalogue struct {
	models map[string]Model
	names  []string // of entries, without aliases, in file order
}

var load = sync.OnceValues(loadCatalogue)

// Catalog returns the catalogue entry of that name: "llama-2-7b", or a Hugging
// Face id such as "meta-llama/Llama-2-7b-hf". Case and the organisation do not
// matter; endings that change no dimension (-hf, -chat, -instruct, ...) may
// follow, and endings that name a quantisation (-FP8, -AWQ, -quantized.w8a8,
// ...) set the formats. A name without entry is a *KeyError whose hint names
// the nearest.
func Catalog(name string) (Model, error) {
	c, err := load()
	if err != nil {
		return Model{}, err
	}
	key := normalise(name)
	var quantisations []suffix
	for {
		if m, ok := c.models[key]; ok {
			for _, s := range slices.Backward(quantisations) {
				s.apply(&m)
			}
			return m, nil
		}
		s, ok := ending(key)
		if !ok {
			break
		}
		key = strings.TrimSuffix(key, s.text)
		if s.weights != "" {
			quantisations = append(quantisations, s)
		}
	}
	return Model{}, &KeyError{
		Key: "name", Value: name, Rule: "is not in the catalogue",
		Hint: cmp.Or(spell.Suggest(normalise(name), c.names), "use a name of the catalogue") + ` or config = "path/to/config.json" for a model of your own`,
	}
}

// Names lists the entries of the catalogue, without aliases.
func Names() []string {
	c, err := load()
	if err != nil {
		return nil
	}
	return slices.Clone(c.names)
}

// normalise drops the organisation of a Hugging Face id and the case.
func normalise(name string) string { return strings.ToLower(path.Base(name)) }

// suffix is an ending of a name; weights = "" means that it changes nothing.
type suffix struct {
	text                string
	weights, inputs, kv unit.DType
}

// suffixes lists the endings Catalog takes off, longest first where one ends
// in another. The formats are those that the checkpoints of RedHatAI, nvidia,
// amd and Qwen with such names have in their quantization_config.
var suffixes = [...]suffix{
	{text: "-hf"},
	{text: "-chat"},
	{text: "-it"},
	{text: "-instruct"},
	{text: "-base"},
	{text: "-bf16"},
	{text: "-fp16"},
	{text: "-fp8", weights: unit.FP8, inputs: unit.FP8},
	{text: "-fp8-dynamic", weights: unit.FP8, inputs: unit.FP8},
	{text: "-fp8-block", weights: unit.FP8, inputs: unit.FP8},
	{text: "-fp8-kv", weights: unit.FP8, inputs: unit.FP8, kv: unit.FP8},
	{text: "-nvfp4", weights: unit.FP4, inputs: unit.FP4},
	{text: "-awq", weights: unit.INT4},
	{text: "-awq-int4", weights: unit.INT4},
	{text: "-w4a16", weights: unit.INT4},
	{text: "-w8a8", weights: unit.INT8, inputs: unit.INT8},
	{text: "-gptq-int4", weights: unit.INT4},
	{text: "-gptq-int8", weights: unit.INT8},
	{text: "-quantized.w8a8", weights: unit.INT8, inputs: unit.INT8},
	{text: "-quantized.w4a16", weights: unit.INT4},
	{text: "-quantized.w8a16", weights: unit.INT8},
}

func ending(key string) (suffix, bool) {
	for _, s := range suffixes {
		if strings.HasSuffix(key, s.text) {
			return s, true
		}
	}
	return suffix{}, false
}

// apply gives m the formats of a quantised checkpoint. Embedding and LM head
// keep the format of the original weights, as all these checkpoints do.
func (s suffix) apply(m *Model) {
	original := m.HeadWeights()
	m.WeightDType, m.ExpertDType, m.LMHeadDType = s.weights, "", original
	m.ActivationDType = or(s.inputs, original)
	m.KVDType = or(s.kv, m.KVDType)
}

// loadCatalogue reads every embedded file. Every entry must be a valid model
// with a source, and every name and alias must be its own.
func loadCatalogue() (*catalogue, error) {
	c := &catalogue{models: map[string]Model{}}
	list, err := files.ReadDir("catalog")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		text, err := files.ReadFile("catalog/" + f.Name())
		if err == nil {
			err = c.add(text)
		}
		if err != nil {
			return nil, fmt.Errorf("model catalogue: %s: %w", f.Name(), err)
		}
	}
	return c, nil
}

// add takes in one catalogue file: a list of [[model]] tables with the keys of
// Model and a list of aliases.
func (c *catalogue) add(text []byte) error {
	var file struct {
		Model []struct {
			Model
			Aliases []string `toml:"aliases"`
		} `toml:"model"`
	}
	md, err := toml.Decode(string(text), &file)
	if err != nil {
		return err
	}
	if extra := md.Undecoded(); len(extra) > 0 {
		return fmt.Errorf("unknown key %s", extra[0])
	}
	for _, e := range file.Model {
		if e.Source == "" {
			return fmt.Errorf("%s has no source", e.Name)
		}
		if err := e.Check(); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			if _, taken := c.models[normalise(n)]; taken {
				return fmt.Errorf("%s: the name %s is taken", e.Name, n)
			}
			c.models[normalise(n)] = e.Model
		}
		c.names = append(c.names, e.Name)
	}
	return nil
}
