// Package silicon reads rows of silicon_sample.csv of NVIDIA's aiconfigurator:
// closed loops at a concurrency that stands in a text. It knows the campaign's
// conventions, which the file does not say.
package silicon

import (
	"fmt"
	"regexp"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/model"
	"scoville/core/unit"
)

// What the publisher does not say of the runs and the data do: which convention
// explains the rows was found by fitting each. TTFT and TPOT are means over ten prompts per unit of
// concurrency, opening burst included. Rows with "measured=" in their source
// text draw lengths from 0.8 L to L under a token budget of 8192; the others
// have exact lengths and a budget of 1.125 prompt lengths.
const (
	drawnLengths      = 0.8
	measuredBudget    = 8192
	exactBudgetFactor = 1.125
	engineSeqs        = 512 // runs of so many requests exceed the engine's batch
)

// kvFormats are KV formats that differ from the model's own, by chip and
// model. The launch scripts of the campaign say fp8 for Llama-3.1-70B on all
// chips; the rows tell where that was so. On one H200 32 requests of 8192 + 1024
// tokens are served at once, which takes 1.3 times the cache that 16 bits
// leave, and 64 are served as if there was room for 47 of them (fp8: 48). On two
// H100 TTFT shows room for 29 of 32 (16 bits: 29, fp8: 59), so that the cache is
// of 16 bits there. For gpt-oss-120b on H100 fp8 lowers the robust cost of the
// fit from 206 to 140, and with 16 bits the KV path would have to run above its
// bandwidth.
var kvFormats = map[[2]string]unit.DType{
	{"b200", "llama-3.1-70b"}:    unit.FP8,
	{"h200", "llama-3.1-70b"}:    unit.FP8,
	{"h100-sxm", "gpt-oss-120b"}: unit.FP8,
}

var concurrencyText = regexp.MustCompile(`(?:^|;)\s*silicon_concurrency=([^;]*)`)

// siliconColumns are the columns the form needs, with what they are taken for.
var siliconColumns = [][2]string{
	{"system", "hardware.name"},
	{"model_path", "model.name"},
	{"precision", "model.weight_dtype (blank: the model's own)"},
	{"isl", "workload.prompt_tokens"},
	{"osl", "workload.output_tokens"},
	{"tp_size", "engine.tp"},
	{"pp_size", "dropped unless 1"},
	{"attention_dp_size", "dropped unless 1 or blank"},
	{"moe_tp_size", "mixture of experts: dropped unless moe_tp x moe_ep = tp"},
	{"moe_ep_size", "engine.ep"},
	{"backend", "dropped unless vllm"},
	{"mode", "dropped unless agg"},
	{"backend_version", "engine.version (blank: tag of the image in silicon_data_source)"},
	{"silicon_data_source", "workload.concurrency, measurement.length_range, engine.version"},
	{"silicon_ttft_ms", "ttft_mean_ms (the statistic is measurement.statistic, the mean unless set)"},
	{"silicon_tpot_ms", "tpot_mean_ms (likewise)"},
}

// Is reports whether the file has the columns that name the form.
func Is(src *row.Source) bool { return src.Has("silicon_ttft_ms", "silicon_data_source") }

// Read reads the rows of a file into f.
func Read(src *row.Source, f *row.File) error {
	s, err := src.Sheet()
	if err != nil {
		return err
	}
	col := map[string]int{}
	for _, m := range siliconColumns {
		i := s.Index(m[0])
		if i < 0 {
			return s.HeadError(0, "", "the aiconfigurator form has a column %q, this file has none", m[0])
		}
		col[m[0]] = i
		f.Mapping = append(f.Mapping, row.Mapping{Column: m[0], Meaning: m[1]})
	}
	f.Load = "closed loop at silicon_concurrency, 10 prompts per unit of concurrency"
	for _, h := range s.Header {
		if _, ok := col[h]; !ok {
			f.Ignored = append(f.Ignored, h)
		}
	}
	for i := range s.Records {
		r := siliconRow{Observation: row.New(s, i), col: col, sheet: s, record: i}
		if err := r.read(); err != nil {
			return err
		}
		f.Rows = append(f.Rows, r.Observation)
	}
	return nil
}

// siliconRow reads one row.
type siliconRow struct {
	row.Observation
	col    map[string]int
	sheet  *row.Sheet
	record int
}

func (r *siliconRow) text(column string) string {
	return r.sheet.Records[r.record].Cells[r.col[column]]
}

// count reads a positive whole number; blank counts as the fallback, an error
// when that is 0.
func (r *siliconRow) count(column string, fallback int) (int, error) {
	if r.text(column) == "" && fallback > 0 {
		return fallback, nil
	}
	x, err := r.sheet.Number(r.record, r.col[column])
	if err != nil {
		return 0, err
	}
	if x < 1 || x > 1e8 || x != float64(int(x)) {
		return 0, r.sheet.CellError(r.record, r.col[column], "", "%g is not a whole number from 1 to 1e8", x)
	}
	return int(x), nil
}

func (r *siliconRow) read() error {
	r.Source = r.text("silicon_data_source")
	if b := r.text("backend"); b != "vllm" {
		r.Drop("backend %s, not vllm", b)
	}
	if m := r.text("mode"); m != "agg" {
		r.Drop("mode %s, not agg", m)
	}
	md, err := r.machine()
	if err != nil {
		return err
	}
	tp, err := r.parallelism(md)
	if err != nil {
		return err
	}
	r.Set("engine.tp", tp, r.col["tp_size"])
	if err := r.load(); err != nil {
		return err
	}
	for _, t := range [][2]string{{"silicon_ttft_ms", "ttft_mean_ms"}, {"silicon_tpot_ms", "tpot_mean_ms"}} {
		c := r.col[t[0]]
		if r.text(t[0]) == "" {
			continue
		}
		ms, err := r.sheet.Latency(r.record, c, 1)
		if err != nil {
			return err
		}
		r.Measure(t[1], ms, c, true)
	}
	if len(r.Targets) == 0 {
		r.Drop("no measured value")
	}
	return nil
}

// machine sets chip, model, formats and engine version.
func (r *siliconRow) machine() (model.Model, error) {
	chip := row.Canonical("hardware.name", r.text("system"))
	r.Set("hardware.name", chip, r.col["system"])
	md, err := r.SetModel(r.text("model_path"), r.text("precision"), r.col["model_path"], r.col["precision"])
	if err != nil {
		return md, err
	}
	if d, ok := kvFormats[[2]string{chip, md.Name}]; ok {
		r.Set("model.kv_dtype", string(d), -1)
	}
	if v := r.version(); v != "" {
		r.Set("engine.version", v, r.col["backend_version"])
	}
	return md, nil
}

// version is "vllm 0.12.0" from the column, or from the tag of the image.
func (r *siliconRow) version() string {
	v := r.text("backend_version")
	if m := row.ImageTag.FindStringSubmatch(r.Source); v == "" && m != nil {
		v = m[1]
	}
	if v == "" {
		return ""
	}
	return "vllm " + strings.TrimPrefix(v, "v")
}

// parallelism checks how the model was split and returns tp.
func (r *siliconRow) parallelism(md model.Model) (int, error) {
	n := map[string]int{}
	for _, c := range []string{"tp_size", "pp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size"} {
		fallback := 1
		if c == "tp_size" {
			fallback = 0
		}
		var err error
		if n[c], err = r.count(c, fallback); err != nil {
			return 0, err
		}
	}
	tp, ep := n["tp_size"], n["moe_ep_size"]
	if n["pp_size"] != 1 {
		r.Drop("pipeline parallelism %d", n["pp_size"])
	}
	if n["attention_dp_size"] != 1 {
		r.Drop("attention data parallelism %d", n["attention_dp_size"])
	}
	if md.Experts > 0 {
		if got := n["moe_tp_size"] * ep; got != tp {
			r.Drop("experts on %d chips, attention on %d: whether concurrency is per rank is not said", got, tp)
		}
		if ep > 1 {
			r.Set("engine.ep", ep, r.col["moe_ep_size"])
		}
	}
	return tp, nil
}

// load sets lengths, concurrency, and how the run was measured.
func (r *siliconRow) load() error {
	prompt, err := r.count("isl", 0)
	if err != nil {
		return err
	}
	output, err := r.count("osl", 0)
	if err != nil {
		return err
	}
	at := r.col["silicon_data_source"]
	m := concurrencyText.FindStringSubmatch(r.Source)
	if m == nil {
		return r.sheet.CellError(r.record, at, "", "no silicon_concurrency=N in the source text")
	}
	var conc int
	if _, err := fmt.Sscanf(strings.TrimSpace(m[1]), "%d", &conc); err != nil || conc < 1 || conc > 1e7 {
		return r.sheet.CellError(r.record, at, "", "silicon_concurrency=%s is not a whole number from 1 to 1e7", row.Shorten(m[1]))
	}
	if conc >= engineSeqs {
		r.Saturate("concurrency %d exceeds the engine's batch", conc)
	}
	r.Set(row.PromptPath, float64(prompt), r.col["isl"])
	r.Set(row.OutputPath, float64(output), r.col["osl"])
	r.Set(row.ConcurrencyPath, conc, at)
	r.Set("measurement.prompts_per_concurrency", row.PromptsPerConcurrency, -1)
	budget := measuredBudget
	if strings.Contains(r.Source, "measured=") {
		r.Set("measurement.length_range", drawnLengths, at)
	} else {
		budget = int(exactBudgetFactor * float64(prompt))
	}
	r.Set("engine.max_num_batched_tokens", budget, -1)
	r.Set("engine.max_num_seqs", max(conc, 256), -1)
	return nil
}
