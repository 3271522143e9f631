package suggest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/objective"
	"scoville/core/model"
	"scoville/core/scenario"
)

// setting is a column of conditions with its values.
type setting struct {
	key    string
	values []string
}

// Prompts of a run for each of those in flight.
const perConcurrency = "measurement.prompts_per_concurrency"

// usual are the candidates where nobody says others: what a client can choose.
var usual = []setting{
	{"isl", []string{"128", "1024", "4096", "16384"}},
	{"osl", []string{"16", "128", "512"}},
	{"concurrency", []string{"1", "8", "32", "128"}},
}

// machine reads what all conditions share: chip, model, formats and version that
// the overlay holds for.
func (p *plan) machine() error {
	a := p.in.Overlay.AppliesTo
	if a == nil {
		a = &scenario.AppliesTo{}
	}
	for _, s := range []struct {
		key, flag, given string
		list             []string
	}{
		{"hardware.name", "--hardware", p.in.Hardware, a.Hardware},
		{"model.name", "--model", p.in.Model, a.Model},
		{"model.weight_dtype", "", "", a.WeightDType},
		{"model.kv_dtype", "", "", a.KVDType},
		{"engine.version", "", "", a.EngineVersion},
	} {
		value := s.given
		if value == "" && len(s.list) > 0 {
			value = s.list[0]
		}
		switch {
		case s.flag != "" && s.given == "" && len(s.list) != 1:
			return fmt.Errorf("%s holds for %s: which one? Give %s NAME", p.in.Overlay.Name, several(s.list), s.flag)
		case s.key == "model.name" && filepath.Ext(value) == ".json":
			p.fixed = append(p.fixed, setting{"model.config", []string{value}})
		case s.key == "model.name" && filepath.Ext(value) == ".toml":
			p.fixed = append(p.fixed, setting{"model.profile", []string{value}})
		case value != "":
			p.fixed = append(p.fixed, setting{s.key, []string{value}})
		}
	}
	if name, ok := p.fixedValue("model.name"); ok && p.in.Model != "" {
		if _, err := model.Catalog(name); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
	}
	p.fixed = append(p.fixed, setting{perConcurrency, []string{"10"}})
	return nil
}

func several(list []string) string {
	if len(list) == 0 {
		return "any"
	}
	return strings.Join(list, ", ")
}

// likePredictions are settings that clients do not choose, such as tp, as the
// predictions have them: what is measured elsewhere says less of them.
func (p *plan) likePredictions() (out []setting) {
	for _, text := range p.in.Predict {
		_, where, _ := strings.Cut(text, "@")
		for _, part := range strings.Split(where, ",") {
			key, value, ok := strings.Cut(part, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			if !ok || slices.Contains([]string{"isl", "osl", "concurrency", "rate", "workload.rate_rps", "workload.concurrency"}, key) {
				continue
			}
			i := slices.IndexFunc(out, func(s setting) bool { return s.key == key })
			if i < 0 {
				out, i = append(out, setting{key: key}), len(out)
			}
			if !slices.Contains(out[i].values, value) {
				out[i].values = append(out[i].values, value)
			}
		}
	}
	return out
}

// axes reads the candidates that are asked for, over the usual ones.
func (p *plan) axes() error {
	p.settings = append(slices.Clone(usual), p.likePredictions()...)
	if lo, hi, ok := p.in.Overlay.Range("engine.tp"); ok && hi > 1 && len(p.in.Predict) == 0 {
		tp := setting{key: "engine.tp"}
		for n := 1; float64(n) <= hi; n *= 2 {
			if float64(n) >= lo {
				tp.values = append(tp.values, strconv.Itoa(n))
			}
		}
		if tp.values != nil {
			p.settings = append(p.settings, tp)
		}
	}
	for _, text := range p.in.Candidates {
		key, list, ok := strings.Cut(text, "=")
		values := strings.Split(list, ",")
		if !ok || key == "" || slices.Contains(values, "") {
			return fmt.Errorf("--candidates %s: write KEY=VALUE,VALUE, such as isl=1024,8192", text)
		}
		if key == "rate" || key == "workload.rate_rps" { // an open loop has no concurrency
			p.settings = slices.DeleteFunc(p.settings, func(s setting) bool { return s.key == "concurrency" })
		}
		key = strings.TrimSpace(key)
		if key == "tp" || key == "engine.tp" { // two names of one
			p.settings = slices.DeleteFunc(p.settings, func(s setting) bool { return s.key == "tp" || s.key == "engine.tp" })
		}
		p.settings = with(p.settings, setting{key, values})
	}
	n := 1
	for _, s := range p.settings {
		n *= len(s.values)
	}
	if n > maxCandidates {
		return fmt.Errorf("%d candidates are more than %d; give fewer values with --candidates", n, maxCandidates)
	}
	return nil
}

// maxCandidates bounds the grid: each is simulated twice a parameter.
const maxCandidates = 1000

// with replaces or appends a setting.
func with(list []setting, s setting) []setting {
	list = slices.DeleteFunc(slices.Clone(list), func(o setting) bool { return o.key == s.key })
	return append(list, s)
}

// grid makes the conditions of all candidates.
func (p *plan) grid(ctx context.Context) ([]objective.Condition, []string, error) {
	rows := [][]setting{p.fixed}
	for _, s := range p.settings {
		var next [][]setting
		for _, row := range rows {
			for _, v := range s.values {
				next = append(next, with(row, setting{s.key, []string{strings.TrimSpace(v)}}))
			}
		}
		rows = next
	}
	conds, dropped, err := p.conditions(ctx, "--candidates", rows)
	all := len(conds)
	conds = slices.DeleteFunc(conds, func(c objective.Condition) bool {
		prompt, output := c.Lengths()
		limit := float64(c.Scenario.Model.MaxContext)
		return limit > 0 && prompt[1]+output[1] > limit
	})
	if len(conds) < all {
		dropped = append(dropped, "longer than the model's context")
	}
	if err == nil && len(conds) == 0 {
		err = fmt.Errorf("--candidates: none can be measured: %s", strings.Join(dropped, ", "))
	}
	return conds, dropped, err
}

// Text prints a suggestion for people.
func Text(s *Suggestion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "suggest %s: %d parameters, %d candidates", s.Overlay, s.Parameters, s.Candidates)
	if len(s.Dropped) > 0 {
		fmt.Fprintf(&b, "; left out: %s", strings.Join(s.Dropped, ", "))
	}
	b.WriteString("\n")
	for _, a := range s.Assumed {
		fmt.Fprintf(&b, "assumed %s\n", a)
	}
	for i := range s.Predictions {
		p := &s.Predictions[i]
		lo, hi := p.Interval(p.SD)
		fmt.Fprintf(&b, "predict %s = %.4g %s [%.4g .. %.4g] by the parameters", p.Text, p.Value, p.Unit, lo, hi)
		if p.ModelSD > 0 {
			fmt.Fprintf(&b, "; a measured value also lies %.1f%% off what parameters explain", 100*p.ModelSD)
		}
		b.WriteString("\n")
	}
	server := ""
	for i, r := range s.Runs {
		fmt.Fprintf(&b, "run %-3d %s", i+1, r.Text)
		for k := range s.Predictions {
			p := &s.Predictions[k]
			lo, hi := p.Interval(r.SD[k])
			fmt.Fprintf(&b, "    then [%.4g .. %.4g], %.0f%% of the first width", lo, hi, 100*r.SD[k]/p.SD)
		}
		if len(s.Predictions) == 0 {
			fmt.Fprintf(&b, "    then the parameters' standard deviations are %.0f%% of the first, geometric mean", 100*r.Shrink)
		}
		b.WriteString("\n")
		if r.Server != server {
			server = r.Server
			fmt.Fprintf(&b, "  # on %s\n", server)
		}
		fmt.Fprintf(&b, "  %s\n", r.Command)
	}
	b.WriteString("intervals hold 90 % and are what is expected if the model is right: fit all measurements together to see\n")
	return b.String()
}

// Rows is a table of the runs of a suggestion, with the interval of each prediction
// that is expected after them.
func Rows(s *Suggestion) [][]string {
	head := []string{"run", "conditions", "server", "command"}
	if len(s.Predictions) == 0 {
		head = append(head, "sd_ratio")
	}
	for _, p := range s.Predictions {
		head = append(head, p.Text+" lo", p.Text+" hi")
	}
	out := [][]string{head}
	for i, r := range s.Runs {
		row := []string{strconv.Itoa(i + 1), r.Text, r.Server, r.Command}
		if len(s.Predictions) == 0 {
			row = append(row, fmt.Sprintf("%.4g", r.Shrink))
		}
		for k := range s.Predictions {
			lo, hi := s.Predictions[k].Interval(r.SD[k])
			row = append(row, fmt.Sprintf("%.4g", lo), fmt.Sprintf("%.4g", hi))
		}
		out = append(out, row)
	}
	return out
}
