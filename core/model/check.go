package model

import (
	"fmt"

	"scoville/core/unit"
)

// maxLayers is the most layers a model can have.
const maxLayers = 10_000

// Check reports the first contradiction between the dimensions as a *KeyError
// with a study key below "model.". It does not judge DeclaredParams; see
// CheckDeclared.
func (m Model) Check() error {
	for _, check := range []func() error{m.checkAttention, m.checkFFN, m.checkDTypes} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m Model) checkAttention() error {
	for _, f := range []struct {
		key string
		n   int
		max int
	}{
		{"layers", m.Layers, maxLayers},
		{"hidden", m.Hidden, 1e6},
		{"vocab", m.Vocab, 1e8},
		{"heads", m.Heads, 1e5},
		{"kv_heads", m.KVHeads, 1e5},
		{"head_dim", m.HeadDim, 1e5},
	} {
		if f.n < 1 || f.n > f.max {
			return &KeyError{Key: f.key, Value: f.n, Rule: fmt.Sprintf("must lie in 1 to %d", f.max)}
		}
	}
	switch {
	case !m.MLA() && m.Heads%m.KVHeads != 0:
		return &KeyError{Key: "kv_heads", Value: m.KVHeads, Rule: fmt.Sprintf("must divide the number of query heads, %d", m.Heads)}
	case m.MLA() && (m.RopeHeadDim < 1 || m.NopeHeadDim < 1 || m.ValueDim < 1):
		return &KeyError{
			Key: "kv_lora_rank", Value: m.KVLoRARank,
			Rule: fmt.Sprintf("means latent attention, which also needs rope_head_dim, nope_head_dim and value_head_dim (have %d, %d, %d)",
				m.RopeHeadDim, m.NopeHeadDim, m.ValueDim),
		}
	case m.SlidingLayers < 0 || m.SlidingLayers > m.Layers:
		return &KeyError{Key: "sliding_layers", Value: m.SlidingLayers, Rule: fmt.Sprintf("must lie in 0 to %d, the number of layers", m.Layers)}
	case m.SlidingLayers > 0 && m.SlidingWindow < 1:
		return &KeyError{Key: "sliding_window", Value: m.SlidingWindow, Rule: fmt.Sprintf("must be positive with %d sliding layers", m.SlidingLayers)}
	}
	return nil
}

func (m Model) checkFFN() error {
	switch {
	case m.Experts < 0 || m.DenseLayers < 0 || m.SharedExperts < 0:
		return &KeyError{Key: "experts", Value: m.Experts, Rule: "must not be negative, nor may dense_layers or shared_experts"}
	case m.DenseLayers > m.Layers:
		return &KeyError{Key: "dense_layers", Value: m.DenseLayers, Rule: fmt.Sprintf("must lie in 0 to %d, the number of layers", m.Layers)}
	case m.Experts > 0 && (m.ExpertsPerTok < 1 || m.ExpertsPerTok > m.Experts):
		return &KeyError{Key: "experts_per_token", Value: m.ExpertsPerTok, Rule: fmt.Sprintf("must lie in 1 to %d, the number of experts", m.Experts)}
	case m.Experts == 0 && m.ExpertsPerTok > 0:
		return &KeyError{Key: "experts_per_token", Value: m.ExpertsPerTok, Rule: "needs experts"}
	case m.Experts > 0 && m.ExpertFFN < 1:
		return &KeyError{Key: "expert_ffn", Value: m.ExpertFFN, Rule: fmt.Sprintf("must be positive with %d experts", m.Experts)}
	case m.Layers > m.MoELayers() && m.FFN < 1:
		return &KeyError{Key: "ffn", Value: m.FFN, Rule: fmt.Sprintf("must be positive with %d dense layers", m.Layers-m.MoELayers())}
	}
	return nil
}

func (m Model) checkDTypes() error {
	for _, f := range []struct {
		key string
		d   unit.DType
	}{
		{"weight_dtype", m.WeightDType},
		{"expert_weight_dtype", m.ExpertDType},
		{"lm_head_dtype", m.LMHeadDType},
		{"kv_dtype", m.KVDType},
		{"activation_dtype", m.ActivationDType},
		{"attention_dtype", m.AttentionDType},
	} {
		if f.d != "" && !f.d.Valid() {
			return &KeyError{Key: f.key, Value: f.d, Rule: fmt.Sprintf("must be one of %v", unit.DTypes)}
		}
	}
	return nil
}
