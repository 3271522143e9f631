package profile

import (
	"fmt"
	"math"
	"slices"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/unit"
)

// maxDifference is how far a stated time may be from the closed form without a
// note.
const maxDifference = 0.10

// notes lists what changes no result but may not be meant.
func (p *Profile) notes(chip Chip) (notes []string) {
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	m, s := &p.Model, &p.Stated
	if n := m.Heads * m.HeadDim; !m.MLA() && n != m.Hidden {
		say("model.head_dim: heads x head_dim = %d x %d = %d is not hidden = %d: right only for a model whose publisher gives head_dim", m.Heads, m.HeadDim, n, m.Hidden)
	}
	p.ropeNotes(say)
	tile, err := p.parseTile()
	if err != nil {
		return notes
	}
	line := s.Memory.LineBytes
	if line == 0 {
		line = defaultLine
	}
	notes = append(notes, m.Misaligned(line, 1, tile)...)
	if s.Latency.OverheadUs > 0 {
		say("latency.overhead_us_per_token = %g does not act from here: a study sets engine.sequence_overhead_us", s.Latency.OverheadUs)
	}
	return append(notes, p.latencyNotes(chip)...)
}

// stretches are the kinds of scaling that lengthen the context by their factor;
// others (llama3, longrope) do not, or not by that alone.
var stretches = []string{"linear", "dynamic", "yarn"}

// ropeNotes looks for a rope base that is another number of the same family.
func (p *Profile) ropeNotes(say func(string, ...any)) {
	c, limit := &p.Stated.Compute, p.Model.MaxContext
	const base = "rope_theta is the base of the rotary frequencies, as 10000 or 500000"
	switch theta := c.RopeTheta; {
	case theta == 0:
	case theta == c.RopeFactor:
		say("compute.rope_theta = %s is the scaling factor: %s", number(theta), base)
	case theta == float64(c.RopeOriginal) || theta == float64(c.MaxPositions) || theta == float64(limit):
		say("compute.rope_theta = %s is a context: %s", number(theta), base)
	case theta < 1000:
		say("compute.rope_theta = %s is too small: %s", number(theta), base)
	}
	switch {
	case c.MaxPositions > 0 && limit > c.MaxPositions:
		say("model.max_context = %d is beyond the %d positions the model was made for (compute.max_positions)", limit, c.MaxPositions)
	case slices.Contains(stretches, c.RopeScaling) && c.RopeOriginal > 0 && c.RopeFactor > 0 && float64(limit) > float64(c.RopeOriginal)*c.RopeFactor*(1+tolerance):
		say("model.max_context = %d is beyond rope_original_context x rope_factor = %d x %g = %.0f", limit, c.RopeOriginal, c.RopeFactor, float64(c.RopeOriginal)*c.RopeFactor)
	}
}

// latencyNotes compares stated times with the closed form on the same chip.
func (p *Profile) latencyNotes(chip Chip) (notes []string) {
	l := &p.Stated.Latency
	if l.PrefillMs == 0 && l.DecodeMs == 0 {
		return nil
	}
	if l.Hardware == "" {
		return []string{"latency.hardware: prefill_ms and decode_ms are not compared: no chip is named"}
	}
	h, err := chip(l.Hardware)
	if err != nil {
		return []string{fmt.Sprintf("latency.hardware: prefill_ms and decode_ms are not compared: %v", err)}
	}
	c, err := NewClosed(&p.Model, &h)
	if err != nil {
		return []string{fmt.Sprintf("latency.hardware: prefill_ms and decode_ms are not compared: %v", err)}
	}
	compare := func(key string, stated, closed float64) {
		if stated > 0 && math.Abs(stated/closed-1) > maxDifference {
			notes = append(notes, fmt.Sprintf("latency.%s = %g ms is %+.0f %% off the closed form on %s, %.3g ms", key, stated, 100*(stated/closed-1), l.Hardware, closed))
		}
	}
	if l.PromptTokens > 0 {
		compare("prefill_ms", l.PrefillMs, c.Prefill(l.PromptTokens)/unit.Ms)
	} else if l.PrefillMs > 0 {
		notes = append(notes, "latency.prefill_ms is not compared: prompt_tokens is not given")
	}
	compare("decode_ms", l.DecodeMs, c.Decode()/unit.Ms)
	return notes
}

// Closed is the closed form of a model alone on one chip, at the efficiencies
// the chip states: prefill = max(2 N P / C, W / B), decode = max(2 N / C, W / B)
// with N the parameters a token uses, C the compute, B the bandwidth of the
// weights and W the bytes read: all weights in prefill, in a decode step those
// of the experts one token uses.
type Closed struct {
	active, flops     float64 // parameters, FLOP/s
	weights, oneToken float64 // bytes
	bandwidth         float64 // bytes/s
}

// NewClosed returns the closed form, or an error when the chip does not state
// what it needs.
func NewClosed(m *model.Model, h *hardware.Hardware) (*Closed, error) {
	d := m.Activations()
	bw := h.MemoryBandwidthGBs
	if h.KVPath == hardware.Separate {
		bw = h.WeightBandwidthGBs
	}
	c := &Closed{
		active: m.Params().Active, weights: m.WeightBytes(), oneToken: m.WeightBytes(),
		flops: h.Peak.Of(d) * unit.Tera * full(h.ComputeUtil), bandwidth: bw * unit.GB * min(full(h.WeightBandwidthUtil), full(h.DRAMUtilCap)),
	}
	if c.flops == 0 {
		return nil, fmt.Errorf("%s has no %s units", h.Name, d)
	}
	if c.bandwidth == 0 {
		return nil, fmt.Errorf("%s states no bandwidth", h.Name)
	}
	if m.Experts > 0 {
		_, experts, _ := m.GroupBytes()
		c.oneToken -= experts * (1 - float64(m.ExpertsPerTok)/float64(m.Experts))
	}
	return c, nil
}

// full reads an efficiency that a catalogue entry may leave out.
func full(util float64) float64 {
	if util == 0 {
		return 1
	}
	return util
}

// Prefill returns the seconds of a prompt of so many tokens.
func (c *Closed) Prefill(tokens int) float64 {
	return max(2*c.active*float64(tokens)/c.flops, c.weights/c.bandwidth)
}

// Decode returns the seconds of one token.
func (c *Closed) Decode() float64 { return max(2*c.active/c.flops, c.oneToken/c.bandwidth) }
