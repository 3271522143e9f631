// Package doubt finds measurements that are not what they are said to be: columns
// in another unit, and exchanged ones. It holds them against one simulation of each
// condition at the centres of the priors, which is right within a factor of a few
// whatever is measured. It fits nothing and drops no row.
package doubt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/calibrate/objective"
	"scoville/core/metrics"
	"scoville/core/workload"
)

// Doubt is what is likely wrong with most values of a column of a file.
type Doubt struct {
	Text string
	Sure bool // no server can be like this: no fit is to be made of it
}

// Refusal is the error of what is sure, nil for nothing.
func Refusal(doubts []Doubt) error {
	var sure []string
	for _, d := range doubts {
		if d.Sure {
			sure = append(sure, d.Text)
		}
	}
	if sure == nil {
		return nil
	}
	return errors.New(strings.Join(sure, "\n") + "\nno fit is made of it; calibrate check shows how the columns were read")
}

// slip is the factor between measured and simulated from which a value is in
// another unit: units of time lie 1,000 apart, and a prior is off by less than 10.
const slip = 100

// Find simulates the conditions once and returns what holds for most of the values
// that a file has of a metric. Of single values that are in another unit it adds a
// suspicion to the row, and takes back that of a warm prefix cache. rows are all
// that were read: those dropped for their unit count too.
func Find(ctx context.Context, conds []objective.Condition, rows []*measured.Observation, jobs int) ([]Doubt, error) {
	targets := targets(conds)
	f := &finder{targets: targets, tallies: map[key]*tally{}}
	if len(targets) > 0 {
		predicted, err := simulate(ctx, conds, targets, jobs)
		if err != nil {
			return nil, err
		}
		for i := range conds {
			for _, o := range conds[i].Rows {
				f.row(&conds[i], o, predicted[i])
			}
		}
	}
	for _, o := range rows {
		if strings.HasPrefix(o.Dropped, measured.WrongUnit) {
			for _, t := range o.Targets {
				if compared(t.Metric) {
					f.tally(o, t.Metric).small(o, t.Value, math.NaN())
				}
			}
		}
	}
	return f.doubts(), nil
}

// compared reports whether a metric is held against the simulation: means and
// medians of times that are of a request or a step. Gaps between chunks may have
// any length.
func compared(metric string) bool {
	return metric == row.StepMetric || (strings.Contains(metric, "_mean_") || strings.Contains(metric, "_p50_")) && !strings.HasPrefix(metric, "itl_")
}

// targets are the metrics to simulate; first the time per token, which is what a
// step takes.
func targets(conds []objective.Condition) []objective.Target {
	var out []objective.Target
	for i := range conds {
		for _, o := range conds[i].Rows {
			for _, t := range o.Targets {
				_, known := metrics.Index(t.Metric)
				same := func(o objective.Target) bool { return o.Metric == t.Metric }
				if compared(t.Metric) && (known || t.Metric == row.StepMetric) && !slices.ContainsFunc(out, same) {
					out = append(out, objective.Target{Metric: t.Metric})
				}
			}
		}
	}
	if out == nil {
		return nil
	}
	return append([]objective.Target{{Metric: "tpot_mean_ms"}}, out...)
}

// simulate predicts the conditions at the centres of their priors.
func simulate(ctx context.Context, conds []objective.Condition, targets []objective.Target, jobs int) ([][]float64, error) {
	at := slices.Clone(conds)
	all := make([]int, len(at))
	for i := range at {
		all[i] = i
		sc := &at[i].Scenario
		for _, p := range objective.Parameters(sc, sc.Engine.TP) {
			if err := sc.Set(p.Path, p.Init); err != nil {
				return nil, fmt.Errorf("prior of %s: %w", p.Name, err)
			}
		}
	}
	obj, err := objective.New(at, nil, targets, 1, jobs)
	if err != nil {
		return nil, err
	}
	predicted, err := obj.Predict(ctx, [][]float64{nil}, all)
	if err != nil {
		return nil, err
	}
	return predicted[0], nil
}

// key is a column of a file; exchanged ones have none of their own.
type key struct{ file, metric string }

// tally counts the values of a key.
type tally struct {
	key
	of        int
	low, high []hit
	lasting   bool // no load explains high values
}

// hit is a value that is off, with measured / simulated; NaN = not simulated.
type hit struct {
	o            *measured.Observation
	value, ratio float64
}

func (t *tally) small(o *measured.Observation, value, ratio float64) {
	t.of++
	t.low = append(t.low, hit{o, value, ratio})
}

type finder struct {
	targets []objective.Target
	tallies map[key]*tally
	order   []*tally
}

func (f *finder) tally(o *measured.Observation, metric string) *tally {
	k := key{o.File, metric}
	if f.tallies[k] == nil {
		f.tallies[k] = &tally{key: k}
		f.order = append(f.order, f.tallies[k])
	}
	return f.tallies[k]
}

// exchanged is the key under which rows with exchanged columns are counted.
const exchanged = "exchanged"

// row compares the values of a row with what is simulated.
func (f *finder) row(c *objective.Condition, o *measured.Observation, predicted []float64) {
	step := predicted[0]
	closed := c.Kind == row.Serving && c.Scenario.Workload.Arrival == workload.Closed
	of := map[string]float64{}
	for i, t := range f.targets[1:] {
		x, ok := o.Target(t.Metric)
		ratio := x / predicted[i+1]
		if !ok || math.IsNaN(ratio) || math.IsInf(ratio, 0) {
			continue
		}
		of[t.Metric] = predicted[i+1]
		first := strings.HasPrefix(t.Metric, "ttft_") // which a warm prefix cache shortens, to that of a step
		lasting := strings.HasPrefix(t.Metric, "tpot_") || t.Metric == row.StepMetric
		n := f.tally(o, t.Metric)
		n.lasting = lasting
		switch {
		case ratio < 1.0/slip && (!first || x < step || !(step > 0) && ratio < 0.1/slip):
			n.small(o, x, ratio)
		case ratio > slip && (lasting || closed): // the queue of an open loop may take any time
			n.of++
			n.high = append(n.high, hit{o, x, ratio})
		default:
			n.of++
		}
	}
	for _, stat := range []string{"_mean_ms", "_p50_ms"} {
		ttft, ok := of["ttft"+stat]
		tpot, ok2 := of["tpot"+stat]
		if !ok || !ok2 || c.Kind != row.Serving {
			continue
		}
		a, _ := o.Target("ttft" + stat)
		b, _ := o.Target("tpot" + stat)
		n := f.tally(o, exchanged+stat)
		n.of++
		if as, other := apart(a, ttft)+apart(b, tpot), apart(a, tpot)+apart(b, ttft); b > a && as > 2*math.Ln2 && other < as/2 {
			n.low = append(n.low, hit{o, a, math.NaN()})
		}
	}
}

// apart is how far two times lie apart, as a logarithm.
func apart(a, b float64) float64 { return math.Abs(math.Log(a / b)) }

// doubts words what holds for most values, and marks single rows.
func (f *finder) doubts() []Doubt {
	var out []Doubt
	for _, t := range f.order {
		for _, h := range t.low {
			h.o.Suspects = slices.DeleteFunc(h.o.Suspects, func(s string) bool { return strings.HasPrefix(s, measured.WarmCache) })
		}
		if stat, swap := strings.CutPrefix(t.metric, exchanged); swap {
			out = append(out, t.swapped(stat)...)
			continue
		}
		switch {
		case 2*len(t.low) > t.of:
			out = append(out, Doubt{t.off(t.low) + unitOf(t.low, "likely seconds; if so, call the column "+strings.TrimSuffix(t.metric, "_ms")+"_s"), true})
		case 2*len(t.high) > t.of:
			out = append(out, Doubt{t.off(t.high) + unitOf(t.high, "likely microseconds; if so, write ms"), t.lasting})
		default:
			for _, h := range slices.Concat(t.low, t.high) {
				if !math.IsNaN(h.ratio) {
					h.o.Suspect("another unit: %s %.3g ms is %s what is expected of the chip and the model", t.metric, h.value, factor(h.ratio))
				}
			}
		}
	}
	return out
}

// swapped is the doubt of exchanged columns of a statistic, or the suspicion of
// single rows.
func (t *tally) swapped(stat string) []Doubt {
	const why = "ttft%s and tpot%s are likely exchanged: a token takes longer than the first one, and each is what is expected of the other"
	if 2*len(t.low) > t.of {
		return []Doubt{{fmt.Sprintf("%s: "+why+", in %d of %d rows (%s)", t.file, stat, stat, len(t.low), t.of, places(t.low)), true}}
	}
	for _, h := range t.low {
		h.o.Suspect("exchanged columns: "+why, stat, stat)
	}
	return nil
}

// off says how far a column is off, and where.
func (t *tally) off(hits []hit) string {
	far := "far below what is possible on"
	if m := median(hits); !math.IsNaN(m) {
		far = "about " + factor(m) + " what is expected of"
	}
	return fmt.Sprintf("%s: %s is %s the chip and the model, in %d of %d rows (%s): ", t.file, t.metric, far, len(hits), t.of, places(hits))
}

// unitOf is the likely unit, where values are off by about a thousand.
func unitOf(hits []hit, likely string) string {
	if m := median(hits); m < 1e-4 || m > 1e4 {
		return "likely another unit than ms"
	}
	return likely
}

// median is that of the simulated ratios, NaN for none.
func median(hits []hit) float64 {
	var ratios []float64
	for _, h := range hits {
		if !math.IsNaN(h.ratio) {
			ratios = append(ratios, h.ratio)
		}
	}
	if ratios == nil {
		return math.NaN()
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// factor words a ratio that is far from 1.
func factor(ratio float64) string {
	if ratio < 1 {
		return fmt.Sprintf("1/%.0f of", 1/ratio)
	}
	return fmt.Sprintf("%.0f times", ratio)
}

// places lists the first lines.
func places(hits []hit) string {
	var out []string
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.o.Line, b.o.Line) })
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, measured.Place(h.o))
	}
	if len(hits) > 3 {
		out = append(out, "…")
	}
	return strings.Join(out, " ")
}
