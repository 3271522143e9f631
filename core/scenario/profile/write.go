package profile

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/unit"
)

// defaultLine is the memory line a profile assumes, in bytes.
const defaultLine = 64

// latencyPrompt is the prompt that prefill_ms is given for, in tokens.
const latencyPrompt = 2048

// Origin is where a profile is made from.
type Origin struct {
	Name    string // file or catalogue entry, for people
	SHA256  string // of the file, in hex; "" for a catalogue entry
	Details model.Details
	Chip    string             // what the user calls the chip of [latency]; "" = none
	Device  *hardware.Hardware // that chip
}

// New makes the profile of a model: its derived numbers and what the origin
// says beside the dimensions. A model that contradicts itself is an error.
func New(m *model.Model, o *Origin) (*Profile, error) {
	p := &Profile{Model: *m}
	p.Model.Config, p.Model.Profile = "", ""
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := m.CheckDeclared(); err != nil {
		return nil, err
	}
	root := reflect.ValueOf(&p.Stated).Elem()
	for _, d := range derivations {
		keys()[d.path].Put(root, d.value(m))
	}
	d, s := &o.Details, &p.Stated
	s.Compute.Activation, s.Compute.RopeTheta, s.Compute.RopeScaling = d.Activation, d.RopeTheta, d.RopeScaling
	s.Compute.RopeFactor, s.Compute.RopeOriginal, s.Compute.MaxPositions = d.RopeFactor, d.RopeOriginal, d.MaxPositions
	s.Memory.LineBytes = defaultLine
	s.IO.EmbeddingAccess, s.IO.KVWriteAccess, s.IO.KVReadAccess, s.IO.LogitsAccess = "random", "sequential", "sequential", "sequential"
	s.Constraints.Tile = model.TileOf(m.Activations()).String()
	if o.Device != nil {
		c, err := NewClosed(m, o.Device)
		if err != nil {
			return nil, err
		}
		s.Latency = Latency{
			Hardware: o.Chip, PromptTokens: latencyPrompt,
			PrefillMs: rounded(c.Prefill(latencyPrompt) / unit.Ms), DecodeMs: rounded(c.Decode() / unit.Ms),
		}
	}
	p.Notes = p.notes(func(string) (hardware.Hardware, error) { return *o.Device, nil })
	return p, nil
}

// rounded keeps four digits, which is more than a closed form is good for.
func rounded(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return y
}

// writer lays out a profile.
type writer struct {
	b strings.Builder
	p *Profile
	o *Origin
}

// Write returns the profile as TOML, each number with its grade and where it
// comes from or how it follows.
func Write(p *Profile, o *Origin) []byte {
	w := &writer{p: p, o: o}
	from := o.Name
	if o.SHA256 != "" {
		from += " (SHA-256 " + o.SHA256 + ")"
	}
	w.text("# Profile of a model, written by sweep profile from %s.", oneLine(from))
	w.text("# Review it, then give it to a study: [model] profile = \"this file\". Every line may be")
	w.text("# changed; a derived one that no longer follows from the others is an error until it is")
	w.text("# corrected or removed. After the # of a line: its grade, and where it is from.")
	for _, n := range p.Notes {
		w.text("# note: %s", oneLine(n))
	}
	w.text("profile = %d\n", Version)
	w.modelPart()
	w.computePart()
	w.memoryPart()
	w.ioPart()
	w.latencyPart()
	w.constraintsPart()
	return []byte(w.b.String())
}

func (w *writer) text(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// line writes one key with its comment; an empty value as a comment, so that
// the reader sees what could be said.
func (w *writer) line(path, comment string) {
	_, name, _ := strings.Cut(path, ".")
	k := keys()[path]
	root := reflect.ValueOf(&w.p.Stated).Elem()
	if k.ofModel {
		root = reflect.ValueOf(&w.p.Model).Elem()
	}
	v := k.Get(root)
	if reflect.ValueOf(v).IsZero() && v != false {
		name = "# " + name
		if rest, ok := strings.CutPrefix(comment, "published: "); ok {
			comment = "not stated: " + rest
		}
	}
	w.b.WriteString(padded(name+" = "+show(v)) + "# " + oneLine(comment) + "\n")
}

// padded makes comments of short lines stand in one column.
func padded(s string) string { return s + strings.Repeat(" ", max(1, 46-len(s))) }

// oneLine keeps a comment on its line, whatever a file put into it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// show writes a value as TOML.
func show(v any) string {
	switch v := v.(type) {
	case float64:
		return number(v)
	case string:
		return quoted(v)
	}
	return fmt.Sprint(v)
}

// quoted writes a TOML basic string.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "?") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number writes a number that reads back exactly, whole ones without exponent.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// help is the meaning of a key.
func help(path string) string { return keys()[path].Help }

// derive writes a derived key with its formula.
func (w *writer) derive(path string) {
	i := slices.IndexFunc(derivations, func(d derived) bool { return d.path == path })
	w.line(path, "derived: "+derivations[i].how(&w.p.Model))
}

// published writes keys that the origin states.
func (w *writer) published(paths ...string) {
	for _, path := range paths {
		w.line(path, "published: "+help(path))
	}
}

// present is published for the keys that are not zero.
func (w *writer) present(paths ...string) {
	for _, path := range paths {
		if !reflect.ValueOf(&w.p.Model).Elem().FieldByIndex(keys()[path].Index).IsZero() {
			w.published(path)
		}
	}
}

// modelPart writes the dimensions, those of absent features left out.
func (w *writer) modelPart() {
	m := &w.p.Model
	w.text("[model] # dimensions, from %s", oneLine(w.o.Name))
	w.published("model.name", "model.layers", "model.hidden", "model.heads", "model.kv_heads")
	how := "published: " + help("model.head_dim")
	switch {
	case m.MLA():
		how = "derived: nope_head_dim + rope_head_dim"
	case m.Heads*m.HeadDim == m.Hidden:
		how = fmt.Sprintf("derived: hidden / heads = %d / %d", m.Hidden, m.Heads)
	}
	w.line("model.head_dim", how)
	w.published("model.ffn", "model.vocab", "model.tied_embeddings")
	w.present("model.experts", "model.experts_per_token", "model.shared_experts", "model.dense_layers", "model.expert_ffn")
	w.present("model.kv_lora_rank", "model.q_lora_rank", "model.rope_head_dim", "model.nope_head_dim", "model.value_head_dim")
	w.present("model.sliding_window", "model.sliding_layers")
	w.published("model.max_context")
	w.published("model.declared_params")
	w.line("model.source", "where the dimensions are from")
}

func (w *writer) computePart() {
	m, g := &w.p.Model, w.p.Model.GEMMs()
	w.text("\n[compute] # number format of each GEMM group, and what a token costs")
	grade := "published: "
	if w.o.SHA256 != "" && w.o.Details.Format == "" {
		grade = "assumed, the file has no dtype: "
	}
	w.line("compute.weight_dtype", fmt.Sprintf("%sattention projections %s and dense feed-forward, shared experts and routers %s weights", grade, unit.Count(g.Attention), unit.Count(g.Dense)))
	if m.Experts > 0 || m.ExpertDType != "" {
		w.line("compute.expert_weight_dtype", fmt.Sprintf("published: routed experts, %s weights; empty = weight_dtype", unit.Count(m.Params().Experts)))
	}
	w.line("compute.lm_head_dtype", fmt.Sprintf("published: embedding and LM head, %s weights each; empty = weight_dtype", unit.Count(g.LMHead)))
	w.line("compute.activation_dtype", fmt.Sprintf("derived: format GEMMs are multiplied in; empty = %s, by the weights", m.Activations()))
	w.line("compute.attention_dtype", "assumed: "+help("compute.attention_dtype"))
	w.line("compute.gated_ffn", "derived from activation: "+help("compute.gated_ffn"))
	w.published("compute.activation")
	w.line("compute.rope_theta", "published: "+help("compute.rope_theta")+", no context and no factor")
	w.published("compute.rope_scaling", "compute.rope_factor", "compute.rope_original_context", "compute.max_positions")
	w.derive("compute.params")
	w.derive("compute.active_params")
	w.derive("compute.flops_per_token")
}

func (w *writer) memoryPart() {
	w.text("\n[memory]")
	grade := "published"
	if m := &w.p.Model; m.KV() == m.HeadWeights() {
		grade = "assumed"
	}
	w.line("memory.kv_dtype", grade+": format of the KV cache; that of the checkpoint unless it quantises the cache")
	w.derive("memory.kv_bytes_per_token")
	w.derive("memory.kv_bytes_per_token_per_layer")
	w.derive("memory.kv_row_bytes")
	w.line("memory.line_bytes", "assumed: "+help("memory.line_bytes"))
	w.derive("memory.weight_bytes")
}

func (w *writer) ioPart() {
	w.text("\n[io] # bytes per token or row beside the weights")
	w.derive("io.embedding_bytes_per_token")
	w.line("io.embedding_access", "assumed: rows by token id, all over the table")
	w.derive("io.kv_write_bytes_per_token")
	w.line("io.kv_write_access", "assumed: whole blocks of tokens")
	w.derive("io.kv_read_bytes_per_context_token")
	w.line("io.kv_read_access", "assumed: whole blocks of tokens")
	w.derive("io.logits_bytes_per_row")
	w.line("io.logits_access", "assumed: the whole row, when sampling reads it")
}

func (w *writer) latencyPart() {
	l := &w.p.Stated.Latency
	w.text("\n[latency] # one request alone on one chip; compared with the closed form when read, acts on nothing")
	w.line("latency.hardware", "chip the times are of")
	w.line("latency.prompt_tokens", "prompt that prefill_ms is of")
	prefill, decode := "max(2 x active_params x prompt_tokens / compute, weight_bytes / bandwidth)", "max(2 x active_params / compute, bytes of the weights one token uses / bandwidth)"
	if l.Hardware != "" {
		h := w.o.Device
		bw := h.MemoryBandwidthGBs
		if h.KVPath == hardware.Separate {
			bw = h.WeightBandwidthGBs
		}
		at := fmt.Sprintf(" at %g TFLOP/s of %s and %g GB/s", h.Peak.Of(w.p.Model.Activations())*full(h.ComputeUtil), w.p.Model.Activations(), bw*min(full(h.WeightBandwidthUtil), full(h.DRAMUtilCap)))
		prefill, decode = prefill+at, decode+at
	}
	w.line("latency.prefill_ms", "derived: "+prefill)
	w.line("latency.decode_ms", "derived: "+decode)
	w.line("latency.overhead_us_per_token", "measure it: no datasheet has it; a study sets engine.sequence_overhead_us")
}

func (w *writer) constraintsPart() {
	m := &w.p.Model
	w.text("\n[constraints] # a chip that does not meet them makes a point infeasible")
	w.line("constraints.tensor_core_tile", fmt.Sprintf("derived: mma.sync of %s (NVIDIA PTX ISA)", m.Activations()))
	w.derive("constraints.dtype_sm_arch")
	w.line("constraints.min_sm_arch", "assumed: "+help("constraints.min_sm_arch"))
	w.line("constraints.required_dtypes", "assumed: none; "+help("constraints.required_dtypes"))
	w.line("constraints.required_features", "assumed: none; "+help("constraints.required_features"))
}
