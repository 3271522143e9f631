// Package diagnose judges a fit: what trivial predictions of the same rows would
// have missed by, whether stated intervals hold what was measured, which
// pattern the residuals still show, and how far repeats of one run lie apart.
// It fits and simulates nothing.
package diagnose

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"scoville/calibrate/results"
)

// Share is that of the intervals stated for single rows, and z their half width
// in standard deviations.
const (
	Share = 0.90
	z     = 1.645
)

// Prediction is what a fit says of one condition, for each target: its value,
// and the standard deviation of its logarithm.
type Prediction struct{ Value, SD []float64 }

// Plain wraps predictions without intervals.
func Plain(values [][]float64) []Prediction {
	out := make([]Prediction, len(values))
	for i := range values {
		out[i].Value = values[i]
	}
	return out
}

// Widen adds what parameters do not explain to the standard deviations.
func (p *Prediction) Widen(noise []float64) {
	for t := range p.SD {
		p.SD[t] = math.Hypot(p.SD[t], noise[t])
	}
}

// Interval returns the ends within which Share of the measured values of a
// target should lie.
func (p *Prediction) Interval(t int) (lo, hi float64) {
	return p.Value[t] * math.Exp(-z*p.SD[t]), p.Value[t] * math.Exp(z*p.SD[t])
}

// Spread is the standard deviation of ln(predicted / measured) that residuals
// show when the fit has learned effective parameters from them: from their 90th
// percentile, so that the tail counts.
func Spread(logs []float64, effective float64) float64 {
	abs := make([]float64, 0, len(logs))
	for _, x := range logs {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			abs = append(abs, math.Abs(x))
		}
	}
	if len(abs) == 0 {
		return math.NaN()
	}
	slices.Sort(abs)
	n := float64(len(abs))
	return stat.Quantile(0.9, stat.LinInterp, abs, nil) / z * math.Sqrt(n/max(n-effective, 0.25*n))
}

// prior is how many groups of rows the stated scale of a residual counts for: a
// few groups that happen to agree are no proof that the next one will.
const prior = 4

// Scale is what parameters do not explain, as the standard deviation of the
// normal law whose Share interval is that of a new row. sd is the spread of the
// residuals, which rows of one level of load share, so that they count as groups
// less one; sigma is the scale that was stated before them. Together they make
// the variance of a Student law with groups - 1 + prior degrees of freedom (the
// predictive law of a normal one with a scaled inverse chi-squared prior of its
// variance; Gelman et al., Bayesian Data Analysis, 2013, 2.6). Without a spread,
// NaN, sigma alone counts.
func Scale(sd float64, groups int, sigma float64) float64 {
	nu := float64(max(groups-1, 1))
	if math.IsNaN(sd) {
		nu, sd = 0, 0
	}
	s := math.Sqrt((prior*sigma*sigma + nu*sd*sd) / (prior + nu))
	return s * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: prior + nu}.Quantile((1+Share)/2) / z
}

// Coverage counts how many held-out values lie inside their intervals, by
// metric, and the median of high over low end.
func Coverage(rows []results.Residual) []results.Coverage {
	var out []results.Coverage
	widths := map[string][]float64{}
	for _, r := range rows {
		if r.Split != results.HeldOut || math.IsNaN(r.Lo) || math.IsNaN(r.Hi) {
			continue
		}
		k := slices.IndexFunc(out, func(c results.Coverage) bool { return c.Metric == r.Metric })
		if k < 0 {
			k = len(out)
			out = append(out, results.Coverage{Metric: r.Metric, Share: Share})
		}
		out[k].Rows++
		if r.Lo <= r.Measured && r.Measured <= r.Hi {
			out[k].Inside++
		}
		widths[r.Metric] = append(widths[r.Metric], r.Hi/r.Lo)
	}
	for k := range out {
		w := widths[out[k].Metric]
		slices.Sort(w)
		out[k].Width = stat.Quantile(0.5, stat.LinInterp, w, nil)
	}
	return out
}

// conditions that residuals are held against.
var conditions = []struct {
	name string
	of   func(*results.Residual) float64
}{
	{"prompt_tokens", func(r *results.Residual) float64 { return r.Prompt }},
	{"output_tokens", func(r *results.Residual) float64 { return r.Output }},
	{"concurrency", func(r *results.Residual) float64 {
		if !math.IsNaN(r.Rate) {
			return math.NaN()
		}
		return float64(r.Concurrency)
	}},
	{"rate_rps", func(r *results.Residual) float64 { return r.Rate }},
	{"tp", func(r *results.Residual) float64 { return float64(r.TP) }},
}

// level of significance of a pattern, all tests of one fit together.
const level = 0.01

// Patterns tests whether the residuals of the fitted rows rise or fall with a
// condition: Spearman's rank correlation, its p value by Student's t, all tests
// corrected together (Holm 1979). Those that hold are returned, the surest
// first.
func Patterns(rows []results.Residual) []results.Pattern {
	var metrics []string
	for _, r := range rows {
		if !slices.Contains(metrics, r.Metric) {
			metrics = append(metrics, r.Metric)
		}
	}
	var all []results.Pattern
	for _, m := range metrics {
		for _, c := range conditions {
			var x, y []float64
			for i := range rows {
				r := &rows[i]
				e, v := math.Log(r.Predicted/r.Measured), c.of(r)
				if r.Split == results.Fitted && r.Metric == m && !math.IsNaN(e) && !math.IsInf(e, 0) && !math.IsNaN(v) {
					x, y = append(x, v), append(y, e)
				}
			}
			if rho, p, ok := spearman(x, y); ok {
				all = append(all, results.Pattern{Metric: m, Condition: c.name, Rho: rho, P: p})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b results.Pattern) int { return cmp.Compare(a.P, b.P) })
	var out []results.Pattern
	worst := 0.0
	for k, p := range all {
		worst = max(worst, min(1, p.P*float64(len(all)-k)))
		if p.P = worst; worst >= level {
			break
		}
		out = append(out, p)
	}
	return out
}

// spearman returns the rank correlation of x and y and the two-sided p value of
// none; ok is false with fewer than 8 pairs, or with one value of x or y.
func spearman(x, y []float64) (rho, p float64, ok bool) {
	if len(x) < 8 {
		return 0, 0, false
	}
	rho = stat.Correlation(ranks(x), ranks(y), nil)
	if math.IsNaN(rho) {
		return 0, 0, false
	}
	nu := float64(len(x) - 2)
	t := math.Abs(rho) * math.Sqrt(nu/max(1-rho*rho, 1e-12))
	return rho, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Survival(t), true
}

// ranks returns the rank of each value, the mean rank among equals.
func ranks(x []float64) []float64 {
	idx := make([]int, len(x))
	for i := range idx {
		idx[i] = i
	}
	slices.SortFunc(idx, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]float64, len(x))
	for i := 0; i < len(idx); {
		k := i
		for k < len(idx) && x[idx[k]] == x[idx[i]] {
			k++
		}
		for _, j := range idx[i:k] {
			out[j] = float64(i+k-1) / 2
		}
		i = k
	}
	return out
}

// Noise is the spread of repeats of one condition: the standard deviation of
// ln(measured) within conditions, pooled over those with two rows or more. ok is
// false when there is none. No fit can be expected to come closer.
func Noise(metric string, groups [][]float64) (n results.Noise, ok bool) {
	n.Metric = metric
	sum, free := 0.0, 0
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		logs := make([]float64, len(g))
		for i, x := range g {
			logs[i] = math.Log(x)
		}
		_, v := stat.MeanVariance(logs, nil)
		sum, free = sum+v*float64(len(g)-1), free+len(g)-1
		n.Conditions++
		n.Rows += len(g)
	}
	if free == 0 {
		return n, false
	}
	n.SD = math.Sqrt(sum / float64(free))
	return n, true
}
