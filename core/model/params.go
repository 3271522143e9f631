package model

import (
	"fmt"
	"math"

	"scoville/core/unit"
)

// Params counts a model's parameters by what they are for. Biases and the
// norms inside attention heads are left out: under 0.05 % of every model in
// the catalogue.
type Params struct {
	Embedding     float64 // vocab * hidden
	Attention     float64 // projections of all layers
	DenseFFN      float64 // dense feed-forward of the layers without experts
	Experts       float64 // routed experts of all MoE layers
	SharedExperts float64 // shared experts of all MoE layers
	Router        float64 // hidden * experts of all MoE layers
	LMHead        float64 // vocab * hidden; 0 when tied to the embedding
	Norms         float64 // two per layer and one before the LM head, plus MLA's on its latents
	Total         float64 // sum of the above
	Active        float64 // Total less the routed experts a token does not use; the whole embedding counts
}

// Params derives the parameter counts from the dimensions.
func (m Model) Params() Params {
	g := m.GEMMs()
	moe, hidden := float64(m.MoELayers()), float64(m.Hidden)
	p := Params{
		Embedding:     g.LMHead,
		Attention:     g.Attention,
		DenseFFN:      float64(m.Layers-m.MoELayers()) * m.ffn(m.FFN),
		Experts:       moe * float64(m.Experts) * g.Expert,
		SharedExperts: moe * float64(m.SharedExperts) * g.Expert,
		Router:        moe * hidden * float64(m.Experts),
		Norms:         (2*float64(m.Layers)+1)*hidden + float64(m.Layers)*float64(m.QLoRARank+m.KVLoRARank),
	}
	if !m.TiedEmbed {
		p.LMHead = g.LMHead
	}
	p.Total = p.Embedding + p.Attention + p.DenseFFN + p.Experts + p.SharedExperts + p.Router + p.LMHead + p.Norms
	p.Active = p.Total
	if m.Experts > 0 {
		p.Active -= p.Experts * (1 - float64(m.ExpertsPerTok)/float64(m.Experts))
	}
	return p
}

// declaredTolerance is how far a declared parameter count may be from the
// derived one, relative to the derived: names such as "7B" for 6.74e9 (3.9 %)
// are roundings, not contradictions.
const declaredTolerance = 0.05

// CheckDeclared compares DeclaredParams with the count the dimensions give and
// names both when they are more than 5 % apart. A zero DeclaredParams is never
// an error.
func (m Model) CheckDeclared() error {
	n := m.Params().Total
	if m.DeclaredParams == 0 || math.Abs(m.DeclaredParams-n) <= declaredTolerance*n {
		return nil
	}
	return &KeyError{
		Key: "declared_params", Value: m.DeclaredParams,
		Rule: fmt.Sprintf("(%s) disagrees with the dimensions, which give %s (%d layers, hidden %d, %d heads of %d, ffn %d)%s",
			unit.Count(m.DeclaredParams), unit.Count(n), m.Layers, m.Hidden, m.Heads, m.HeadDim, max(m.FFN, m.ExpertFFN), m.fullHeads()),
		Hint: "correct the dimensions, or remove declared_params",
	}
}

// fullHeads says what the count would be with heads that fill the hidden size,
// "" when they do.
func (m Model) fullHeads() string {
	if m.MLA() || m.Heads < 1 || m.Heads*m.HeadDim == m.Hidden || m.Hidden%m.Heads != 0 {
		return ""
	}
	m.HeadDim = m.Hidden / m.Heads
	return fmt.Sprintf("; with heads x head_dim = hidden they would give %s", unit.Count(m.Params().Total))
}

// MoELayers returns the number of layers with routed experts.
func (m Model) MoELayers() int {
	if m.Experts == 0 {
		return 0
	}
	return m.Layers - m.DenseLayers
}

// FullLayers returns the number of layers that attend to the whole context;
// the other SlidingLayers attend to the last SlidingWindow tokens.
func (m Model) FullLayers() int { return m.Layers - m.SlidingLayers }

// MLA reports whether attention works on a compressed latent (multi-head
// latent attention) instead of keys and values by head.
func (m Model) MLA() bool { return m.KVLoRARank > 0 }

// GEMMs are the elements of the weight matrices that a step multiplies with,
// by group. One token costs two FLOPs per element it is multiplied with.
type GEMMs struct {
	Attention float64 // projections of all layers
	Dense     float64 // dense feed-forward of all layers; in MoE layers the router and the shared experts
	Expert    float64 // one routed expert of one layer
	LMHead    float64 // vocab * hidden, also when tied to the embedding
}

// GEMMs derives the elements by group. Attention has per layer
//
//	ordinary: hidden*(heads + 2*kv_heads)*head_dim + heads*head_dim*hidden
//	MLA:      hidden*q_lora + q_lora*heads*(nope+rope)   (without q_lora: hidden*heads*(nope+rope))
//	          + hidden*(kv_lora+rope) + kv_lora*heads*(nope+value) + heads*value*hidden
//
// and a feed-forward of width w has 3*hidden*w elements, or 2*hidden*w when
// not gated.
func (m Model) GEMMs() GEMMs {
	moe, hidden := float64(m.MoELayers()), float64(m.Hidden)
	expert := m.ffn(m.ExpertFFN)
	dense := float64(m.Layers-m.MoELayers()) * m.ffn(m.FFN)
	return GEMMs{
		Attention: float64(m.Layers) * m.attention(),
		Dense:     dense + moe*(hidden*float64(m.Experts)+float64(m.SharedExperts)*expert),
		Expert:    expert,
		LMHead:    float64(m.Vocab) * hidden,
	}
}

// attention returns the elements of one layer's attention projections.
func (m Model) attention() float64 {
	hidden, heads := float64(m.Hidden), float64(m.Heads)
	if !m.MLA() {
		return hidden * float64(m.HeadDim) * float64(2*m.Heads+2*m.KVHeads)
	}
	qk, latent := float64(m.NopeHeadDim+m.RopeHeadDim), float64(m.KVLoRARank)
	q := hidden * heads * qk
	if m.QLoRARank > 0 {
		q = float64(m.QLoRARank) * (hidden + heads*qk)
	}
	return q + hidden*(latent+float64(m.RopeHeadDim)) +
		latent*heads*float64(m.NopeHeadDim+m.ValueDim) + heads*float64(m.ValueDim)*hidden
}

// ffn returns the elements of one feed-forward of the given width.
func (m Model) ffn(width int) float64 {
	matrices := 2.0
	if m.GatedFFN {
		matrices = 3
	}
	return matrices * float64(m.Hidden) * float64(width)
}

// AttentionFLOPsPerPair returns the FLOPs that one query token spends on one
// key token in one layer, scores and weighted values together: 4 * heads *
// head_dim. Under MLA prefill expands the latent to heads,
// 2*heads*(nope+rope+value), and decode works on it directly with the
// projections absorbed, 2*heads*(2*kv_lora+rope).
func (m Model) AttentionFLOPsPerPair() (prefill, decode float64) {
	heads := float64(m.Heads)
	if !m.MLA() {
		f := 4 * heads * float64(m.HeadDim)
		return f, f
	}
	return 2 * heads * float64(m.NopeHeadDim+m.RopeHeadDim+m.ValueDim),
		2 * heads * float64(2*m.KVLoRARank+m.RopeHeadDim)
}
