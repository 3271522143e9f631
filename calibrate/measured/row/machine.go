package row

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Canonical turns names into those of the catalogues where they have them.
// Other names stay as they are: whoever resolves the row reports them.
func Canonical(path, text string) string {
	switch path {
	case "hardware.name":
		if name := Chip(text); name != "" {
			return name
		}
	case "engine.version":
		if m := ImageTag.FindStringSubmatch(text); m != nil {
			return "vllm " + strings.TrimPrefix(m[1], "v")
		}
		if m := versionText.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			return "vllm " + m[1]
		}
	case "model.weight_dtype", "model.kv_dtype":
		text = strings.ToLower(text)
		if d, ok := formatNames[text]; ok {
			return string(d)
		}
	}
	return text
}

// ImageTag finds the version in the name of a container image.
var ImageTag = regexp.MustCompile(`[\w.-]+/[\w.-]+:v?([\w.-]+)`)

// versionText is a version of vLLM as tables and packages write it.
var versionText = regexp.MustCompile(`(?i)^(?:vllm[\s:=/_-]*)?v?(\d+\.\d+[\w.+-]*)$`)

// formatNames are what published tables call number formats.
var formatNames = map[string]unit.DType{
	"bfloat16": unit.BF16, "float16": unit.FP16, "half": unit.FP16, "float32": unit.FP32,
	"fp8_e4m3": unit.FP8, "fp8_e5m2": unit.FP8, "nvfp4": unit.FP4, "mxfp4": unit.FP4,
}

// SetModel sets the model's catalogue name and its number formats: those that
// the name of a quantised checkpoint implies or, when the row gives a weight
// format that the catalogue entry does not have, those of a quantised copy of
// it: 8-bit formats also for the inputs of GEMMs, embedding and LM head as in
// the original. Columns are -1 for none.
func (o *Observation) SetModel(name, formatText string, nameCol, formatCol int) (model.Model, error) {
	var format unit.DType
	if formatText != "" {
		v, err := scenario.Convert("model.weight_dtype", Canonical("model.weight_dtype", formatText))
		if err != nil {
			return model.Model{}, o.FieldError(err, formatCol)
		}
		format = unit.DType(v.(string))
	}
	md, err := known(name)
	if name == "" || err != nil {
		if name != "" {
			o.Set("model.name", name, nameCol)
		}
		if format != "" {
			o.Set("model.weight_dtype", string(format), formatCol)
		}
		return model.Model{}, nil
	}
	o.Set("model.name", md.Name, nameCol)
	plain, err := model.Catalog(md.Name)
	if err != nil {
		return md, err
	}
	if format != "" && format != md.DenseWeights() && format != md.ExpertWeights() {
		original := md.HeadWeights()
		md.WeightDType, md.ExpertDType, md.LMHeadDType, md.ActivationDType = format, "", original, original
		if format == unit.FP8 || format == unit.INT8 {
			md.ActivationDType = format
		}
	}
	for _, f := range []struct {
		path       string
		own, entry unit.DType
	}{
		{"model.weight_dtype", md.WeightDType, plain.WeightDType},
		{"model.expert_weight_dtype", md.ExpertDType, plain.ExpertDType},
		{"model.lm_head_dtype", md.LMHeadDType, plain.LMHeadDType},
		{"model.activation_dtype", md.ActivationDType, plain.ActivationDType},
		{"model.kv_dtype", md.KVDType, plain.KVDType},
	} {
		if f.own != f.entry && f.own != "" {
			o.Set(f.path, string(f.own), -1)
		}
	}
	return md, nil
}

var (
	snapshot = regexp.MustCompile(`(?i)^(.*)/snapshots/[0-9a-f]+/?$`)
	revision = regexp.MustCompile(`[@:][\w.-]+$`)
	spelt    = []struct{ from, to string }{
		{`^(?:meta-)?llama-?(\d)[.-](\d)-`, "llama-$1.$2-"}, {`^(?:meta-)?llama-?(\d)-`, "llama-$1-"}, {`^qwen-?(\d(?:\.\d)?)-`, "qwen$1-"},
	}
)

// known returns the catalogue's entry of a model as files write it: as a path, as
// a folder of a download, with its revision, with blanks.
func known(name string) (model.Model, error) {
	md, first := model.Catalog(name)
	if first == nil {
		return md, nil
	}
	text := strings.ToLower(strings.TrimSpace(name))
	if m := snapshot.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = revision.ReplaceAllString(text, "")
	text = text[strings.LastIndexAny(strings.TrimRight(text, "/"), "/")+1:]
	text = strings.TrimRight(text[strings.LastIndex(text, "--")+1:], "/")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "-")
	if md, err := model.Catalog(text); err == nil {
		return md, nil
	}
	for _, s := range spelt {
		if to := regexp.MustCompile(s.from).ReplaceAllString(text, s.to); to != text {
			if md, err := model.Catalog(to); err == nil {
				return md, nil
			}
		}
	}
	return model.Model{}, first
}

// Fill gives rows the chip and the model that the file does not say, "" for
// none. A name that the file has and the catalogue does not is replaced; one
// that the catalogue has must agree.
func (o *Observation) Fill(chip, modelName string) error {
	if chip != "" {
		chip = Canonical("hardware.name", chip)
		have, _ := o.Value("hardware.name").(string)
		if _, err := hardware.Catalog(have); err == nil && have != chip {
			return o.Errorf("hardware.name", "", "the file says %s, --hardware says %s", have, chip)
		}
		o.Set("hardware.name", chip, -1)
	}
	if modelName == "" {
		return nil
	}
	for suffix, key := range map[string]string{".json": "model.config", ".toml": "model.profile"} {
		if strings.HasSuffix(modelName, suffix) {
			o.Values = slices.DeleteFunc(o.Values, func(a scenario.Assignment) bool { return a.Path == "model.name" })
			o.Set(key, modelName, -1)
			return nil
		}
	}
	want, err := model.Catalog(modelName)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	have, _ := o.Value("model.name").(string)
	if md, err := model.Catalog(have); err == nil {
		if md.Name != want.Name {
			return o.Errorf("model.name", "", "the file says %s, --model says %s", md.Name, want.Name)
		}
		return nil
	}
	format, _ := o.Value("model.weight_dtype").(string)
	o.Values = slices.DeleteFunc(o.Values, func(a scenario.Assignment) bool {
		return a.Path == "model.name" || a.Path == "model.weight_dtype"
	})
	_, err = o.SetModel(modelName, format, -1, o.column["model.weight_dtype"])
	return err
}

// FieldError points the schema's error at a cell.
func (o *Observation) FieldError(err error, c int) error {
	fe, ok := err.(*scenario.FieldError)
	if !ok {
		return err
	}
	return o.sheet.CellError(o.record, c, fe.Hint, "%s", fe.Message())
}
