package profile

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"scoville/core/model"
	"scoville/core/scenario/document"
	"scoville/core/unit"
)

// derived is a key whose value follows from the dimensions and formats.
type derived struct {
	path  string
	value func(m *model.Model) float64
	how   func(m *model.Model) string // formula with its numbers
}

// logitBytes is the size of one logit: samplers work in fp32.
const logitBytes = 4

// derivations are the derived keys in the order of the file.
var derivations = []derived{
	{"compute.params", func(m *model.Model) float64 { return m.Params().Total }, howParams},
	{"compute.active_params", func(m *model.Model) float64 { return m.Params().Active }, howActive},
	{"compute.flops_per_token", flopsPerToken, func(m *model.Model) string {
		return "2 x GEMM weights a token meets, LM head included, embedding not"
	}},
	{"memory.weight_bytes", func(m *model.Model) float64 { return m.WeightBytes() }, howWeights},
	{"memory.kv_bytes_per_token", func(m *model.Model) float64 { return m.KVBytesPerToken() }, func(m *model.Model) string {
		return fmt.Sprintf("over all layers: layers x %s = %d x %s", kvElements(m), m.Layers, kvNumbers(m))
	}},
	{"memory.kv_bytes_per_token_per_layer", kvPerLayer, func(m *model.Model) string {
		return fmt.Sprintf("%s = %s", kvElements(m), kvNumbers(m))
	}},
	{"memory.kv_row_bytes", func(m *model.Model) float64 { return m.KVRowBytes() }, func(m *model.Model) string {
		if m.MLA() {
			return "(kv_lora_rank + rope_head_dim) x bytes: the latent of a token"
		}
		return fmt.Sprintf("head_dim x bytes = %d x %g: keys or values of one head", m.HeadDim, m.KV().Bytes())
	}},
	{"io.embedding_bytes_per_token", func(m *model.Model) float64 { return float64(m.Hidden) * m.HeadWeights().Bytes() }, func(m *model.Model) string {
		return fmt.Sprintf("hidden x bytes = %d x %g", m.Hidden, m.HeadWeights().Bytes())
	}},
	{"io.kv_write_bytes_per_token", func(m *model.Model) float64 { return m.KVBytesPerToken() }, func(*model.Model) string { return "kv_bytes_per_token" }},
	{"io.kv_read_bytes_per_context_token", func(m *model.Model) float64 { return kvPerLayer(m) * float64(m.FullLayers()) }, func(m *model.Model) string {
		if m.SlidingLayers > 0 {
			return fmt.Sprintf("full-attention layers x bytes per layer = %d x %g; the %d others read the last %d tokens", m.FullLayers(), kvPerLayer(m), m.SlidingLayers, m.SlidingWindow)
		}
		return "kv_bytes_per_token, every decode step anew"
	}},
	{"io.logits_bytes_per_row", func(m *model.Model) float64 { return logitBytes * float64(m.Vocab) }, func(m *model.Model) string {
		return fmt.Sprintf("vocab x 4 = %d x 4: samplers work in fp32", m.Vocab)
	}},
	{"constraints.dtype_sm_arch", func(m *model.Model) float64 { return model.SMArchOf(m.Activations()) }, func(m *model.Model) string {
		return fmt.Sprintf("tensor cores of %s (NVIDIA PTX ISA); peak_tflops of the chip decides", m.Activations())
	}},
}

func kvPerLayer(m *model.Model) float64 { return m.KVBytesPerToken() / float64(m.Layers) }

func kvElements(m *model.Model) string {
	if m.MLA() {
		return "(kv_lora_rank + rope_head_dim) x bytes"
	}
	return "2 x kv_heads x head_dim x bytes"
}

func kvNumbers(m *model.Model) string {
	if m.MLA() {
		return fmt.Sprintf("(%d + %d) x %g", m.KVLoRARank, m.RopeHeadDim, m.KV().Bytes())
	}
	return fmt.Sprintf("2 x %d x %d x %g", m.KVHeads, m.HeadDim, m.KV().Bytes())
}

func howParams(m *model.Model) string {
	p := m.Params()
	s := fmt.Sprintf("embedding %s + attention %s", unit.Count(p.Embedding), unit.Count(p.Attention))
	for _, part := range []struct {
		name string
		n    float64
	}{
		{"dense FFN", p.DenseFFN}, {"experts", p.Experts}, {"shared experts", p.SharedExperts}, {"router", p.Router}, {"LM head", p.LMHead}, {"norms", p.Norms},
	} {
		if part.n > 0 {
			s += fmt.Sprintf(" + %s %s", part.name, unit.Count(part.n))
		}
	}
	return s
}

func howActive(m *model.Model) string {
	if m.Experts == 0 {
		return "all of them"
	}
	return fmt.Sprintf("params - routed experts x (1 - %d / %d)", m.ExpertsPerTok, m.Experts)
}

func howWeights(m *model.Model) string {
	dense, experts, head := m.GroupBytes()
	s := fmt.Sprintf("attention and dense %s in %s", unit.Bytes(dense), m.DenseWeights())
	if experts > 0 {
		s += fmt.Sprintf(" + experts %s in %s", unit.Bytes(experts), m.ExpertWeights())
	}
	return s + fmt.Sprintf(" + embedding and LM head %s in %s", unit.Bytes(head), m.HeadWeights())
}

// flopsPerToken is twice the GEMM weights that a token is multiplied with.
func flopsPerToken(m *model.Model) float64 {
	g := m.GEMMs()
	return 2 * (g.Attention + g.Dense + float64(m.MoELayers()*m.ExpertsPerTok)*g.Expert + g.LMHead)
}

// tolerance is how far a stated number may be from the derived one.
const tolerance = 0.01

// stated returns the value of a derived key in the file; 0 = not there.
func (p *Profile) stated(path string) float64 {
	k := keys()[path]
	return reflect.ValueOf(&p.Stated).Elem().FieldByIndex(k.Index).Float()
}

// check compares the file with itself.
func (p *Profile) check(doc *document.Document) error {
	m := &p.Model
	for _, err := range []error{m.Check(), m.CheckDeclared()} {
		if ke, ok := errors.AsType[*model.KeyError](err); ok {
			return keyError(doc, m, ke)
		}
	}
	if _, err := p.parseTile(); err != nil {
		return doc.Errorf("constraints.tensor_core_tile", "write 16x8x16", "%s", err)
	}
	for i := range derivations {
		d := &derivations[i]
		got, want := p.stated(d.path), d.value(m)
		if !doc.Has(d.path) || math.Abs(got-want) <= tolerance*want {
			continue
		}
		return doc.Errorf(d.path, fmt.Sprintf("write %s, or remove the line to have it derived", number(want)),
			"%s is stated, %s is derived: %s%s", number(got), number(want), d.how(m), diagnose(d.path, m, got))
	}
	return nil
}

// keyError points at the key of a model error.
func keyError(doc *document.Document, m *model.Model, ke *model.KeyError) error {
	path := "model." + ke.Key
	if home := homes[ke.Key]; home != "" {
		path = home + "." + ke.Key
	}
	hint := ke.Hint
	if ke.Key == "head_dim" && m.Heads > 0 && m.HeadDim == 0 {
		hint = fmt.Sprintf("most models have hidden / heads = %d", m.Hidden/m.Heads)
	}
	if ke.Value == nil {
		return doc.Errorf(path, hint, "%s", ke.Rule)
	}
	if v, ok := ke.Value.(float64); ok {
		ke.Value = number(v)
	}
	return doc.Errorf(path, hint, "%v %s", ke.Value, ke.Rule)
}

// same reports whether a stated number is the other one.
func same(got, other float64) bool { return math.Abs(got-other) <= tolerance*other }

// diagnose names the mistake that gives a wrong number, "" for none known.
func diagnose(path string, m *model.Model, got float64) string {
	kv := m.KVBytesPerToken()
	naive := float64(m.Layers) * 2 * float64(m.Hidden) * m.KV().Bytes()
	perLayer := path == "memory.kv_bytes_per_token_per_layer"
	if perLayer {
		kv, naive = kv/float64(m.Layers), naive/float64(m.Layers)
	}
	switch isKV := perLayer || path == "memory.kv_bytes_per_token" || path == "io.kv_write_bytes_per_token"; {
	case isKV && same(got, naive) && !same(naive, kv):
		const context = 128 << 10
		s := fmt.Sprintf("; %s is that of 2 x hidden x bytes a layer, without grouped heads: %.3g times too large", number(got), got/kv)
		if !perLayer {
			s += fmt.Sprintf(", %.3g GB and not %.3g GB at 128 Ki tokens", got*context/unit.GB, kv*context/unit.GB)
		}
		return s
	case perLayer && (same(got, kv*float64(m.Layers)) || same(got, naive*float64(m.Layers))):
		return fmt.Sprintf("; %s is over all %d layers, not of one", number(got), m.Layers)
	case isKV && same(got*float64(m.Layers), kv):
		return fmt.Sprintf("; %s is of one of %d layers, not over all", number(got), m.Layers)
	case path == "memory.weight_bytes":
		if d := formatOf(got, func(d unit.DType) float64 { return m.Params().Total * d.Bytes() }); d != "" {
			return fmt.Sprintf("; %s is that of all weights in %s", number(got), d)
		}
	case isKV:
		if d := formatOf(got, func(d unit.DType) float64 { return kv / m.KV().Bytes() * d.Bytes() }); d != "" {
			return fmt.Sprintf("; %s is that of a %s cache", number(got), d)
		}
	}
	return ""
}

// formatOf returns the format whose size is the stated number, "" for none.
func formatOf(got float64, size func(unit.DType) float64) unit.DType {
	for _, d := range unit.DTypes {
		if same(got, size(d)) {
			return d
		}
	}
	return ""
}
