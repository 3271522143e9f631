package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/results"
)

// group is what one fit is about: rows of different chips, models, weight
// formats or engine versions do not share parameters. Model and weights are
// empty where models are pooled.
type group struct{ hardware, model, weights, version string }

// pooled reports whether rows of that kind share parameters whatever the model:
// those that show steps or whole batches, without a server around them.
func pooled(k row.Kind) bool { return k == row.Batch || k == row.Phase || k == row.Step }

// selects is the filter that picks the group's rows among others.
func (g group) selects(others []group) string {
	text := fmt.Sprintf("hardware.name == %q && engine.version == %q", g.hardware, g.version)
	if g.model != "" {
		text = fmt.Sprintf("hardware.name == %q && model.name == %q && engine.version == %q", g.hardware, g.model, g.version)
	}
	same := func(o group) bool {
		return o != g && o.hardware == g.hardware && o.model == g.model && o.version == g.version
	}
	if slices.ContainsFunc(others, same) {
		text += fmt.Sprintf(" && model.weight_dtype == %q", g.weights)
	}
	return text
}

// oneGroup returns an error that asks for what is missing, or that lists the
// groups when there are several.
func (in *input) oneGroup() error {
	rows := map[group]int{}
	for _, o := range in.rows {
		if o.Dropped != "" {
			continue
		}
		text := func(path string) string {
			for _, a := range slices.Backward(in.spec.Fixed) {
				if a.Path == path {
					return fmt.Sprint(a.Value)
				}
			}
			s, _ := o.Value(path).(string)
			return s
		}
		g := group{text("hardware.name"), text("model.name"), text("model.weight_dtype"), text("engine.version")}
		if g.hardware == "" {
			return o.Errorf("hardware.name", `give --hardware NAME ("h100-sxm") or a column hardware`, "the file does not say which chip")
		}
		if g.model == "" {
			if g.model = cmp.Or(text("model.config"), text("model.profile")); g.model == "" {
				return o.Errorf("model.name", `give --model NAME ("llama-3.1-70b", or a config.json or profile) or a column model`, "the file does not say which model")
			}
		}
		if pooled(o.Kind) {
			g.model, g.weights = "", ""
		}
		rows[g]++
	}
	if len(rows) < 2 {
		return nil
	}
	groups := slices.SortedFunc(maps.Keys(rows), func(a, b group) int {
		return cmp.Or(rows[b]-rows[a], cmp.Compare(a.hardware, b.hardware), cmp.Compare(a.model, b.model), cmp.Compare(a.version, b.version), cmp.Compare(a.weights, b.weights))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "the rows are of %d chips, models or engine versions, and one fit is about one; choose with", len(groups))
	for _, g := range groups {
		fmt.Fprintf(&b, "\n  --where '%s'   # %s", g.selects(groups), count(rows[g], "row"))
	}
	return &severalError{b.String()}
}

// reasons words dropped rows: "3 saturated, 1 repeats x.csv:3 exactly".
func reasons(dropped []results.Dropped) string {
	parts := make([]string, len(dropped))
	for i, d := range dropped {
		parts[i] = fmt.Sprintf("%d %s", len(d.Rows), d.Reason)
	}
	return strings.Join(parts, ", ")
}

// severalError lists the groups among the rows.
type severalError struct{ text string }

func (e *severalError) Error() string { return e.text }
