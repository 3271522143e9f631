package model

import "scoville/core/unit"

// DenseWeights is the format of attention projections, dense feed-forward,
// shared experts, routers and norms; bf16 when not given.
func (m Model) DenseWeights() unit.DType { return or(m.WeightDType, unit.BF16) }

// ExpertWeights is the format of routed experts; that of DenseWeights when not
// given.
func (m Model) ExpertWeights() unit.DType { return or(m.ExpertDType, m.DenseWeights()) }

// HeadWeights is the format of embedding and LM head; that of DenseWeights
// when not given.
func (m Model) HeadWeights() unit.DType { return or(m.LMHeadDType, m.DenseWeights()) }

// KV is the format of the KV cache; bf16 when not given.
func (m Model) KV() unit.DType { return or(m.KVDType, unit.BF16) }

// Activations is the format GEMM inputs are multiplied in. When not given it
// follows the weights: 8-bit weights are multiplied in their own format, 16-
// and 32-bit ones too, and 4-bit weights are dequantised to bf16.
func (m Model) Activations() unit.DType {
	follow := m.DenseWeights()
	if follow == unit.INT4 || follow == unit.FP4 {
		follow = unit.BF16
	}
	return or(m.ActivationDType, follow)
}

func or(d, fallback unit.DType) unit.DType {
	if d == "" {
		return fallback
	}
	return d
}

// WeightBytes returns the bytes all weights take in memory. A tied embedding
// counts once.
func (m Model) WeightBytes() float64 {
	dense, experts, head := m.GroupBytes()
	return dense + experts + head
}

// GroupBytes splits WeightBytes by format: everything at DenseWeights, the
// routed experts at ExpertWeights, embedding and LM head at HeadWeights.
func (m Model) GroupBytes() (dense, experts, head float64) {
	p := m.Params()
	return (p.Attention + p.DenseFFN + p.SharedExperts + p.Router + p.Norms) * m.DenseWeights().Bytes(),
		p.Experts * m.ExpertWeights().Bytes(),
		(p.Embedding + p.LMHead) * m.HeadWeights().Bytes()
}

// KVBytesPerToken returns the bytes one token takes in the KV cache over all
// layers: layers * 2 * kv_heads * head_dim elements, under MLA layers *
// (kv_lora_rank + rope_head_dim).
func (m Model) KVBytesPerToken() float64 {
	elements := 2 * float64(m.KVHeads) * float64(m.HeadDim)
	if m.MLA() {
		elements = float64(m.KVLoRARank + m.RopeHeadDim)
	}
	return float64(m.Layers) * elements * m.KV().Bytes()
}
