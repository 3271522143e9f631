package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// of is the fit as one model's overlay has it: the shared parameters and the
// model's own.
func (f *Fit) of(m *Model) *Fit {
	out := *f
	out.AppliesTo, out.Rows, out.Errors = m.AppliesTo, m.Rows, m.Errors
	out.Conditions = m.Conditions
	if len(out.AppliesTo.EngineVersion) == 0 { // not said: the era of the models it is pooled with
		out.AppliesTo.EngineVersion = f.AppliesTo.EngineVersion
	}
	out.Parameters, out.Free, out.Covariance = nil, nil, nil
	var keep []int
	for _, p := range f.Parameters {
		if p.Scope != "" && p.Scope != m.Name {
			continue
		}
		if i := slices.Index(f.Free, p.Name); i >= 0 {
			keep = append(keep, i)
			out.Free = append(out.Free, p.Name)
		}
		out.Parameters = append(out.Parameters, p)
	}
	for _, i := range keep {
		row := make([]float64, len(keep))
		for k, c := range keep {
			row[k] = f.Covariance[i][c]
		}
		out.Covariance = append(out.Covariance, row)
	}
	return &out
}

// perModel reports whether models have parameters of their own.
func (f *Fit) perModel() bool {
	return slices.ContainsFunc(f.Parameters, func(p Parameter) bool { return p.Scope != "" })
}

// shared is the fit as the overlay for every model of the chip and era has it:
// the shared parameters, and for each one that models have of their own the
// geometric mean of theirs, with what another model may differ by in its
// variance: the spread between the models, at least the half of the prior that
// is the model's own.
func (f *Fit) shared() *Fit {
	if len(f.Models) < 2 {
		return f
	}
	out := *f
	out.AppliesTo.Model = nil
	if !f.perModel() {
		return &out
	}
	out.Mean = true
	out.Parameters, out.Free, out.Covariance = nil, nil, nil
	var mix [][]float64 // of the free parameters, for each of out's
	var extra []float64
	done := map[string]bool{}
	for _, p := range f.Parameters {
		var members []Parameter
		if p.Scope == "" {
			members = []Parameter{p}
		} else if !done[p.Base] {
			done[p.Base] = true
			for _, q := range f.Parameters {
				if q.Base == p.Base && q.Scope != "" {
					members = append(members, q)
				}
			}
		} else {
			continue
		}
		q, weights, spread := f.mean(members)
		out.Parameters = append(out.Parameters, q)
		if !q.Held && q.Tied == "" {
			out.Free, mix, extra = append(out.Free, q.Name), append(mix, weights), append(extra, spread)
		}
	}
	for i := range mix {
		row := make([]float64, len(mix))
		for k := range mix {
			for a, wa := range mix[i] {
				for b, wb := range mix[k] {
					if wa != 0 && wb != 0 {
						row[k] += wa * wb * f.Covariance[a][b]
					}
				}
			}
		}
		row[i] += extra[i]
		out.Covariance = append(out.Covariance, row)
	}
	for i := range out.Parameters {
		p := &out.Parameters[i]
		if k := slices.Index(out.Free, p.Name); p.Across > 0 && k >= 0 {
			half := 1.96 * math.Sqrt(out.Covariance[k][k])
			p.Lo, p.Hi = max(p.Value*math.Exp(-half), p.Min), min(p.Value*math.Exp(half), p.Max)
		}
	}
	return &out
}

// mean is the geometric mean of one parameter over models, its weights of the
// free parameters, and the variance of ln value by which another model differs.
func (f *Fit) mean(members []Parameter) (p Parameter, weights []float64, spread float64) {
	p = members[0]
	weights = make([]float64, len(f.Free))
	n := float64(len(members))
	var logs []float64
	for _, m := range members {
		logs = append(logs, math.Log(m.Value))
		if i := slices.Index(f.Free, m.Name); i >= 0 {
			weights[i] = 1 / n
		}
	}
	if p.Scope == "" {
		return p, weights, 0
	}
	p.Name, p.Scope, p.Across = p.Base, "", len(members)
	center := 0.0
	for _, l := range logs {
		center += l / n
	}
	for _, l := range logs {
		spread += (l - center) * (l - center) / max(n-1, 1)
	}
	if p.Prior != nil {
		spread = max(spread, ownShare*p.Prior.SDLn*p.Prior.SDLn)
	}
	p.Value = Round(math.Exp(center), 5)
	return p, weights, spread * (1 + 1/n)
}

// ownShare is the part of a prior's variance that is the model's own.
const ownShare = 0.5

// widest is the largest standard deviation of a logit that is written: about a
// value anywhere between the bounds.
const widest = 2

// covariance writes the free parameters with their covariance in coordinates
// without bounds: ln value, ln(value / (1 - value)) of shares, or the value. The
// bounds of the search go with it, so that no draw leaves them.
func (f *Fit) covariance(b *strings.Builder) {
	var paths, scales []string
	var mean, slope, lo, hi []float64
	for i, name := range f.Free {
		at := slices.IndexFunc(f.Parameters, func(p Parameter) bool { return p.Name == name })
		if at < 0 {
			continue
		}
		p := &f.Parameters[at]
		scale, x, s := "log", math.Log(p.Value), 1.0
		switch share := min(p.Value, 1-1e-4); {
		case p.Linear:
			scale, x = "linear", p.Value
		case p.Min >= 0 && p.Max == 1:
			scale, x, s = "logit", math.Log(share/(1-share)), 1/(1-share)
			if sd := s * math.Sqrt(f.Covariance[i][i]); sd > widest {
				s *= widest / sd
			}
		}
		paths, scales, mean, slope = append(paths, p.Path), append(scales, scale), append(mean, x), append(slope, s)
		lo, hi = append(lo, min(p.Min, p.Value)), append(hi, max(p.Max, p.Value))
	}
	b.WriteString("\n[calibration.covariance]   # of the coordinates: log = ln(value), logit = ln(value / (1 - value)), linear = value\n")
	fmt.Fprintf(b, "paths = %s\nscale = %s\nmean = [%s]\nmatrix = [\n", list(paths), list(scales), numbers(mean))
	for i, row := range f.Covariance {
		scaled := make([]float64, len(row))
		for k := range row {
			scaled[k] = row[k] * slope[i] * slope[k]
		}
		fmt.Fprintf(b, "  [%s],\n", numbers(scaled))
	}
	fmt.Fprintf(b, "]\nmin = [%s]   # bounds of the values in the fit\nmax = [%s]\n", numbers(lo), numbers(hi))
	if len(f.ModelError) > 0 {
		b.WriteString("\n[calibration.model_error]   # standard deviation of ln(predicted / measured): what parameters do not explain\n")
		done := map[string]bool{}
		for _, e := range f.ModelError {
			key, _, _ := strings.Cut(e.Metric, "_")
			if done[key] {
				continue
			}
			done[key] = true
			fmt.Fprintf(b, "%s_sd = %s   # %s, %s\n", key, number(Round(e.SD, 4)), e.Metric, e.Split)
		}
	}
}

func numbers(values []float64) string {
	text := make([]string, len(values))
	for i, x := range values {
		text[i] = number(Round(x, 6))
	}
	return strings.Join(text, ", ")
}
