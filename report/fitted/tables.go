package fitted

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/results"
	"scoville/report/page"
)

// errors are the tables of errors: fitted, held out, trivial predictions, models,
// intervals, repeats.
func (m *maker) errors() page.Section {
	s := page.Section{ID: "errors", Title: "Errors", TablesFirst: true}
	t := page.Table{Head: []string{"metric", "rows of", "rows", "median", "90th percentile", "bias"}}
	add := func(split string, e results.Error) {
		t.Rows = append(t.Rows, []string{e.Metric, split, fmt.Sprint(e.Rows), percent(e.Median), percent(e.P90), signed(e.Bias)})
	}
	for _, e := range m.Errors {
		add(e.Split, e)
	}
	for _, e := range m.Baselines {
		add("held out, predicted by "+e.Split, e)
	}
	for _, model := range m.Models {
		for _, e := range model.Errors {
			add(model.Name+", "+e.Split, e)
		}
	}
	if m.Saturated != nil {
		for _, e := range m.Saturated.Errors {
			add(e.Split+", throughput", e)
		}
	}
	t.Notes = []string{"of |predicted / measured - 1|; bias is the median of predicted / measured - 1"}
	if m.split(results.HeldOut) != nil {
		t.Notes = append(t.Notes, "held-out errors are of conditions, not of devices: conventions and prior centres were chosen on published data that may include these rows")
	}
	if t.Rows != nil {
		s.Tables = append(s.Tables, t)
	}
	for _, c := range m.Coverage {
		s.Lines = append(s.Lines, fmt.Sprintf("%s: %.0f %% intervals hold %d of %d held-out rows; their high end is %.2f of the low end in the median.", c.Metric, 100*c.Share, c.Inside, c.Rows, c.Width))
	}
	for _, n := range m.Noise {
		s.Lines = append(s.Lines, fmt.Sprintf("%s: repeats of one condition differ by %s (%s, %s); no model can do better.", n.Metric, percent(n.SD), results.Count(n.Rows, "row"), results.Count(n.Conditions, "condition")))
	}
	if m.Noise == nil {
		s.Lines = append(s.Lines, "No condition was measured twice: how much of the errors is noise of the measurement is not known.")
	}
	return s
}

// signed is a ratio with its sign.
func signed(x float64) string {
	if math.Abs(x) > huge {
		return "without limit"
	}
	return fmt.Sprintf("%+.1f %%", 100*x)
}

// parameters are what was fitted: a picture of what the data add to what was known
// before, and the table.
func (m *maker) parameters() page.Section {
	s := page.Section{ID: "parameters", Title: "Parameters", Lines: m.known()}
	t := page.Table{Head: []string{"parameter", "value", "95 % interval", "unit", "start", "prior", "bounds", "how it is known", "note"}}
	for i := range m.Parameters {
		p := &m.Parameters[i]
		interval, prior := "", ""
		if !p.Held {
			interval = plain(p.Lo) + " to " + plain(p.Hi)
		}
		if p.Prior != nil {
			prior = fmt.Sprintf("%s ×/÷ %.2f", plain(p.Prior.Center), math.Exp(p.Prior.SDLn))
		}
		notes := slices.DeleteFunc(slices.Clone(p.Notes), func(n string) bool { return strings.HasPrefix(n, how(p)) })
		for k, n := range notes {
			notes[k] = strings.TrimPrefix(n, "WEAK: ")
		}
		if p.Tied != "" {
			notes = append(notes, "= "+p.Tied)
		}
		t.Rows = append(t.Rows, []string{p.Name, plain(p.Value), interval, p.Unit, plain(p.Init), prior, plain(p.Min) + " to " + plain(p.Max), how(p), strings.Join(notes, "; ")})
	}
	t.Notes = []string{"prior: the value that was expected, and the factor that one standard deviation is"}
	for _, mode := range m.Modes {
		t.Notes = append(t.Notes, fmt.Sprintf("fitted with %s = %v, %s: under another they mean nothing", mode.Path, mode.Value, mode.Because))
	}
	s.Tables = []page.Table{t}
	if c := m.narrowed(); c != nil {
		s.Charts = []page.Chart{*c}
	}
	return s
}

// widest is how far from its value a prior or an interval is drawn, in percent.
const widest = 200

// narrowed draws the interval of each fitted parameter beside its prior.
func (m *maker) narrowed() *page.Chart {
	c := &page.Chart{
		Kind: page.Bars, Title: "what the data add: 95 % intervals beside those of the priors", X: page.Axis{Label: "distance from the fitted value", Unit: "%", Min: -100, Max: widest},
		Kinds:    []string{"fitted", "prior"},
		Reading:  "Where the fitted interval is much shorter than that of the prior the data tell the parameter; where both are alike they do not. The upper line of each is the fitted one.",
		Notes:    []string{fmt.Sprintf("intervals end at %+d %% in the picture; the table has their ends", widest)},
		Interval: "as drawn (%)",
		Table:    &page.Table{Head: []string{"parameter", "what", "value", "95 % interval", "unit"}},
	}
	for i := range m.Parameters {
		p := &m.Parameters[i]
		if how(p) == held || how(p) == tied || p.Value == 0 {
			continue
		}
		add := func(what string, value, lo, hi float64) string {
			ends := plain(lo) + " to " + plain(hi)
			c.Table.Rows = append(c.Table.Rows, []string{p.Name, what, plain(value), ends, p.Unit})
			return ends
		}
		of := func(x float64) float64 { return max(-100, min(widest, 100*(x/p.Value-1))) }
		row := page.Row{Name: p.Name, Bars: []page.Bar{{Value: 0, Lo: of(p.Lo), Hi: of(p.Hi), Text: add(c.Kinds[0], p.Value, p.Lo, p.Hi)}}}
		if p.Prior != nil {
			factor := math.Exp(1.96 * p.Prior.SDLn)
			lo, hi := max(p.Prior.Center/factor, p.Min), min(p.Prior.Center*factor, p.Max)
			row.Bars = append(row.Bars, page.Bar{Value: of(p.Prior.Center), Lo: of(lo), Hi: of(hi), Kind: 1, Text: add(c.Kinds[1], p.Prior.Center, lo, hi)})
		}
		c.Rows = append(c.Rows, row)
	}
	if c.Rows == nil {
		return nil
	}
	return c
}

// starts are the end points of the search.
func (m *maker) starts() page.Section {
	s := page.Section{ID: "starts", Title: "Starts of the search", Folded: true}
	if len(m.Starts) == 0 {
		return s
	}
	s.Lines = []string{m.Agreement + fmt.Sprintf("; %s, %d iterations, %d evaluations of all conditions", m.Status, m.Iterations, m.Evals)}
	var free []int
	t := page.Table{Title: "where each start ended", Head: []string{"start", "status", "iterations", "on", "cost"}}
	for k := range m.Parameters {
		if p := &m.Parameters[k]; how(p) != held && how(p) != tied && len(m.Starts[0].To) == len(m.Parameters) {
			free = append(free, k)
			t.Head = append(t.Head, p.Name)
		}
	}
	kinds := []page.Series{{Name: "searched to the end, on all conditions"}, {Name: "searched on a part of the conditions"}}
	lowest := []float64{math.Inf(1), math.Inf(1)}
	for i, st := range m.Starts {
		which, on := 1, "a part"
		if st.Polished {
			which, on = 0, "all"
		}
		row := []string{fmt.Sprint(i + 1), st.Status, fmt.Sprint(st.Iterations), on, plain(st.Cost)}
		for _, k := range free {
			row = append(row, plain(st.To[k]))
		}
		t.Rows = append(t.Rows, row)
		if st.Cost > 0 && st.Cost < huge {
			kinds[which].Points = append(kinds[which].Points, page.XYPoint(float64(i), st.Cost))
			lowest[which] = min(lowest[which], st.Cost)
		}
	}
	t.Notes = []string{"the cost on a part of the conditions is of fewer rows, and compares with others of that kind alone"}
	s.Tables = []page.Table{t}
	c := page.Chart{
		Kind: page.XY, Title: "cost at the end of each start", X: page.Axis{Label: "start"}, Y: page.Axis{Label: "cost over the lowest of its kind", Log: true},
		Reading: "Starts at 1 found one optimum; those above were stopped by a worse one.",
	}
	for i := range m.Starts {
		c.X.Words = append(c.X.Words, fmt.Sprint(i+1))
	}
	c.Y.Min, c.Y.Max = 0.9, 2
	for which, k := range kinds {
		for i := range k.Points {
			k.Points[i].Y /= lowest[which]
			c.Y.Max = max(c.Y.Max, 1.2*k.Points[i].Y)
		}
		if k.Points != nil {
			c.Series = append(c.Series, k)
		}
	}
	if c.Series != nil {
		s.Charts = []page.Chart{c}
	}
	return s
}

// left is what the fit did not use, and what it took for granted.
func (m *maker) left() page.Section {
	s := page.Section{ID: "left", Title: "What was left out, and assumed"}
	t := page.Table{Title: "rows left out", Head: []string{"rows", "why", "which"}}
	for _, d := range m.Dropped {
		const few = 8
		which := strings.Join(d.Rows[:min(few, len(d.Rows))], ", ")
		if n := len(d.Rows) - few; n > 0 {
			which += fmt.Sprintf(" and %d more", n)
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(len(d.Rows)), d.Reason, which})
	}
	if t.Rows != nil {
		s.Tables = append(s.Tables, t)
	}
	for _, a := range m.Assumed {
		s.Lines = append(s.Lines, "assumed: "+a)
	}
	if m.Saturated != nil {
		for _, u := range m.Saturated.Unscored {
			s.Lines = append(s.Lines, "beyond saturation and not compared: "+u)
		}
	}
	return s
}

// next says what to measure.
func (m *maker) next() page.Section {
	s := page.Section{ID: "next", Title: "What to measure next"}
	var unsure []string
	for i := range m.Parameters {
		if w := how(&m.Parameters[i]); w == weak || w == asPrior {
			unsure = append(unsure, m.Parameters[i].Name)
		}
	}
	if unsure != nil {
		s.Lines = append(s.Lines, fmt.Sprintf("Runs that tell %s: the command below chooses them, and says how far each narrows what.", enumerate(unsure)))
	}
	for _, v := range m.Validity {
		if v.Lo == v.Hi {
			s.Lines = append(s.Lines, fmt.Sprintf("Another value of %s: %s alone was measured.", v.Path, plain(v.Lo)))
		}
	}
	if m.Noise == nil {
		s.Lines = append(s.Lines, "One condition again, three times or more: it tells how much of the errors is noise.")
	}
	for _, p := range m.Patterns {
		s.Lines = append(s.Lines, fmt.Sprintf("More values of %s: %s has a pattern there.", p.Condition, p.Metric))
	}
	if m.split(results.HeldOut) == nil {
		s.Lines = append(s.Lines, "Rows to hold out: --holdout by=concurrency, or fraction=0.2, says how far the fit can be trusted.")
	}
	command := "calibrate suggest " + m.overlay
	if len(m.AppliesTo.Model) != 1 {
		command += " --model NAME"
	}
	text := command + "\n"
	if p := m.worst(); p != "" {
		s.Lines = append(s.Lines, "The second command is about the row that the fit misses most.")
		text += command + " --predict " + p + "\n"
	}
	s.Texts = []page.Text{{Title: "to run here: it prints the runs as commands of vllm bench serve", Body: text}}
	return s
}

// worst is the row that the fit misses most, as a prediction of calibrate suggest;
// "" where it has no lengths or no load, or is of no server.
func (m *maker) worst() string {
	var worst *Row
	for i := range m.rows {
		r := &m.rows[i]
		served := strings.HasPrefix(r.Metric, "ttft_") || strings.HasPrefix(r.Metric, "tpot_")
		known := served && r.Prompt > 0 && r.Output > 0 && (r.Concurrency > 0 || r.Rate > 0)
		if known && r.Split == results.Fitted && r.drawable() && (worst == nil || math.Abs(r.off()) > math.Abs(worst.off())) {
			worst = r
		}
	}
	if worst == nil {
		return ""
	}
	load := "concurrency=" + plain(worst.Concurrency)
	if worst.Rate > 0 {
		load = "rate=" + plain(worst.Rate)
	}
	out := fmt.Sprintf("%s@isl=%.0f,osl=%.0f,%s", worst.Metric, worst.Prompt, worst.Output, load)
	if worst.TP > 0 {
		out += ",tp=" + plain(worst.TP)
	}
	return out
}
