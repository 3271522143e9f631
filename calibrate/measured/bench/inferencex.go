package bench

import (
	"regexp"
	"strings"

	"scoville/calibrate/measured/row"
)

// IsInferenceX reports whether the file holds aggregates of InferenceX.
func IsInferenceX(src *row.Source) bool { return has(src, "tput_per_gpu", "conc", "isl") }

var bareLatency = regexp.MustCompile(`^(mean|median|std|p[\d.]+)_(ttft|tpot|itl|e2el)$`)

// nodes are machines of InferenceX whose names say less than the catalogue's.
var nodes = map[string]string{"h100": "h100-sxm", "h100-sxm5": "h100-sxm", "a100": "a100-80"}

// ReadInferenceX reads aggregates of InferenceX: seconds, closed loops at conc
// with ten prompts per unit of concurrency and lengths drawn uniformly from 0.8
// of the nominal to all of it, as its launch scripts say.
func ReadInferenceX(src *row.Source, f *row.File) error {
	f.Load = "closed loop at conc, 10 prompts per unit of concurrency, lengths from 0.8 L to L"
	return objects(src, f, func(s *row.Sheet, o *row.Object) error {
		var cells []row.Cell
		for _, k := range o.Keys {
			name, text := k, row.CellText(o.Values[k])
			if full := nodes[strings.ToLower(text)]; k == "hw" && full != "" {
				text = full
			}
			if bareLatency.MatchString(k) {
				if name += "_s"; text == "0" || text == "0.0" {
					text = ""
				}
			}
			cells = append(cells, row.Cell{Name: name, Text: text})
		}
		cells = append(cells, row.Cell{Name: "measurement.length_range", Text: "0.8"})
		r := s.Add(row.Place{Line: o.Line}, cells)
		if strings.EqualFold(row.CellText(o.Values["dp_attention"]), "true") {
			r.Dropped = "attention data parallelism"
		}
		if spec := strings.ToLower(row.CellText(o.Values["spec_decoding"])); spec != "" && spec != "none" && spec != "false" {
			r.Dropped = "speculative decoding: " + row.Shorten(spec)
		}
		if d := strings.ToLower(row.CellText(o.Values["disagg"])); d == "true" {
			r.Dropped = "prefill and decode on separate chips"
		}
		return nil
	})
}
