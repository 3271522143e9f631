package model

import (
	"encoding/json"
	"math"
)

// Details are facts of a config.json that cost no time or memory here, so that
// Model does not hold them: what a profile shows its reader beside the costs.
// Zero values mean that the file does not say.
type Details struct {
	Activation   string  // non-linearity of the feed-forward: "silu"
	RopeTheta    float64 // base of the rotary frequencies: 10000, 500000
	RopeScaling  string  // kind of scaling beyond the trained context: "yarn"
	RopeFactor   float64 // factor of that scaling
	RopeOriginal int     // context before scaling, in tokens
	Format       string  // dtype or torch_dtype as written
	MaxPositions int     // max_position_embeddings, in tokens
}

// ReadDetails reads the details of a config.json that ReadConfig accepts. Rope
// keys may stand by themselves (rope_theta, rope_scaling) or in
// rope_parameters, of models with two kinds of layers those of the full ones.
// A value of the wrong type is a *KeyError.
func ReadDetails(data []byte) (Details, error) {
	keys, err := decodeConfig(data)
	if err != nil {
		return Details{}, err
	}
	r := &configReader{keys: keys, names: map[string]string{}}
	d := Details{Activation: r.text("hidden_act", "hidden_activation")}
	d.Format = r.text("dtype", "torch_dtype")
	r.optional(&d.MaxPositions, "", "max_position_embeddings")
	d.RopeTheta = r.number("rope_theta")
	for _, name := range []string{"rope_scaling", "rope_parameters"} {
		_, v := r.find(name)
		rope, ok := v.(map[string]any)
		if v != nil && !ok {
			r.fail(name, v, "must be an object")
		}
		if full, ok := rope["full_attention"].(map[string]any); ok {
			rope = full
		}
		r.rope(&d, name, rope)
	}
	return d, r.err
}

// rope reads one object of rope keys.
func (r *configReader) rope(d *Details, name string, keys map[string]any) {
	in := &configReader{keys: keys, names: map[string]string{}}
	if kind := in.text("rope_type", "type"); kind != "" && kind != "default" {
		d.RopeScaling = kind
	}
	if x := in.number("factor"); x > 0 {
		d.RopeFactor = x
	}
	if x := in.number("rope_theta"); x > 0 {
		d.RopeTheta = x
	}
	in.optional(&d.RopeOriginal, "", "original_max_position_embeddings")
	if e, ok := in.err.(*KeyError); ok && r.err == nil {
		e.Key = name + "." + e.Key
		r.err = e
	}
}

// number returns a number that is not negative; 0 when absent.
func (r *configReader) number(name string) float64 {
	_, v := r.find(name)
	if v == nil {
		return 0
	}
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil || f < 0 || math.IsInf(f, 0) {
		r.fail(name, v, "must be a number that is not negative")
		return 0
	}
	return f
}
