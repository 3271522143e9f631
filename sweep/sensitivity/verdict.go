package sensitivity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// How narrow intervals must be for a result to count as converged. Sarrazin,
// Pianosi and Wagener, Environ. Model. Softw. 79 (2016) 135, call indices
// converged when the widest interval is below 0.05 of the scale, and a
// screening when that of the factors without influence is; these limits are
// wider by a factor that costs the reader a decimal, not the order of the
// factors.
const (
	IndexWidth       = 0.1 // of a Sobol' index
	ScreeningWidth   = 0.2 // of mu*, relative to the largest mu*
	CorrelationWidth = 0.2 // of a rank correlation or a standardised coefficient
)

const (
	// NotableNoise is the share of the output's variance from which simulation
	// noise is said.
	NotableNoise = 0.05
	// LinearR2 is the share of the variance that a plane must explain for its
	// coefficients to rank the factors (Saltelli et al., Sensitivity Analysis in
	// Practice, 2004, section 1.2: 0.7).
	LinearR2 = 0.7
	// fewShare is the share of blocks that may be missing before the rest is no
	// longer a sample of the space.
	fewShare = 0.1
)

// Judge makes the sentences on one output. N is what the study asked for as n,
// Factors names the factors, Dummy is the place of the inert one, -1 without.
// Noise is Noise.Share.
type Judge struct {
	N       int
	Factors []string
	Dummy   int
	Noise   float64
}

// widest is the factor of the widest interval, with the width relative to
// scale.
func (j Judge) widest(sets [][]Estimate, scale float64) (name string, e Estimate, width float64) {
	for _, set := range sets {
		for i, x := range set {
			if w := x.Width() / scale; w > width {
				name, e, width = j.Factors[i], x, w
			}
		}
	}
	return name, e, width
}

// converged says whether the widest interval is within the limit, and how large
// n would bring it there: intervals narrow as one over the root of n.
func (j Judge) converged(what string, sets [][]Estimate, scale, limit float64) string {
	name, e, width := j.widest(sets, scale)
	if width <= limit {
		return "converged: every " + what + " interval is narrower than " + short(limit*scale)
	}
	doublings := math.Ceil(2*math.Log2(width/limit) - 1e-9)
	advice := fmt.Sprintf("double n to %d", 2*j.N)
	if doublings > 1 {
		advice += fmt.Sprintf(", and on to about %.0f", float64(j.N)*math.Pow(2, doublings))
	}
	return fmt.Sprintf("not converged: the interval of %s, %s to %s, is wider than %s: %s", name, short(e.Lo), short(e.Hi), short(limit*scale), advice)
}

// dropped says how much is missing; "" if nothing.
func dropped(thing string, missing, kept int) string {
	if missing == 0 {
		return ""
	}
	line := fmt.Sprintf("%d of %d %s left out: a run in them failed, is saturated or has no value", missing, missing+kept, thing)
	if float64(missing) > fewShare*float64(missing+kept) && missing <= kept {
		line += "; what is left is no even sample of the ranges any more, so the shares hold for that part of them alone"
	}
	if float64(missing) > fewShare*float64(missing+kept) {
		line += ": narrow the ranges to where every point is steady"
	}
	return line
}

// tooFew says why there is no measure.
func tooFew(what string, kept, missing, least int) string {
	if kept < least && missing <= kept {
		return fmt.Sprintf("no %s: %d are too few, give n = %d at least", what, kept, least)
	}
	return fmt.Sprintf("no %s: with %d of %d missing the rest does not stand for the ranges that were asked about", what, missing, missing+kept)
}

// noise says what simulation noise there is; dummy is the inert factor's total
// index, where it has one.
func (j Judge) noise(dummy *Estimate) string {
	switch {
	case dummy != nil && dummy.Lo > 0:
		return fmt.Sprintf("noise: the inert dummy has a total index of %s (%s to %s): nothing below that is an effect; more replicates lower it", short(dummy.Value), short(dummy.Lo), short(dummy.Hi))
	case j.Noise >= NotableNoise:
		return fmt.Sprintf("noise: the scatter between replicates makes up %s of the output's variance: more replicates, or longer runs", percent(j.Noise))
	}
	return ""
}

// Variance makes the sentences on Sobol' indices, empty ones left out.
func (j Judge) Variance(v Variance) []string {
	lines := []string{dropped("blocks", v.Dropped, v.Blocks)}
	switch {
	case v.Few:
		return some(append(lines, tooFew("indices", v.Blocks, v.Dropped, LeastBlocks)))
	case v.Constant:
		return some(append(lines, "the output is the same in every block: no factor matters to it"))
	}
	lines = append(lines, j.converged("index", [][]Estimate{v.First, v.Total}, 1, IndexWidth))
	first := 0.0
	for _, e := range v.First {
		first += e.Value
	}
	lines = append(lines, fmt.Sprintf("first-order indices sum to %s: %s of the variance is due to interactions", short(first), percent(math.Max(0, 1-first))))
	if j.Dummy >= 0 {
		lines = append(lines, j.noise(&v.Total[j.Dummy]))
	} else {
		lines = append(lines, j.noise(nil))
	}
	return some(lines)
}

// Screening makes the sentences on Morris' effects.
func (j Judge) Screening(s Screening) []string {
	lines := []string{dropped("trajectories", s.Dropped, s.Trajectories)}
	switch {
	case s.Few:
		return some(append(lines, tooFew("effects", s.Trajectories, s.Dropped, LeastTrajectories)))
	case s.Constant:
		return some(append(lines, "the output is the same everywhere: no factor matters to it"))
	}
	largest := 0.0
	for _, e := range s.MuStar {
		largest = math.Max(largest, e.Value)
	}
	lines = append(lines, j.converged("mu*", [][]Estimate{s.MuStar}, largest, ScreeningWidth))
	if j.Dummy >= 0 && s.MuStar[j.Dummy].Value > 0 {
		d := s.MuStar[j.Dummy]
		lines = append(lines, fmt.Sprintf("noise: the inert dummy has a mu* of %s (%s to %s): nothing below that is an effect; more replicates lower it", short(d.Value), short(d.Lo), short(d.Hi)))
	} else {
		lines = append(lines, j.noise(nil))
	}
	return some(lines)
}

// Fit makes the sentences on a regression.
func (j Judge) Fit(f Fit) []string {
	lines := []string{dropped("rows", f.Dropped, f.Rows)}
	switch {
	case f.Few:
		return some(append(lines, tooFew("correlations", f.Rows, f.Dropped, LeastRows)))
	case f.Constant:
		return some(append(lines, "the output is the same in every row: no factor matters to it"))
	}
	lines = append(lines, j.converged("correlation", [][]Estimate{f.Rank}, 1, CorrelationWidth))
	switch {
	case !f.R2.Known():
		lines = append(lines, "no regression: too few rows for the factors, or factors that go together")
	case f.R2.Value < LinearR2:
		lines = append(lines, fmt.Sprintf("a plane explains %s of the variance only (R2): its coefficients miss what is curved or interacts; method = \"saltelli\" finds that", short(f.R2.Value)))
	default:
		lines = append(lines, fmt.Sprintf("a plane explains %s of the variance (R2)", short(f.R2.Value)))
	}
	return some(append(lines, j.noise(nil)))
}

func some(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// percent prints a share to two digits.
func percent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// short prints a number to three digits.
func short(v float64) string {
	if math.Abs(v) < 0.0005 && v != 0 && math.Abs(v) > 1e-12 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	if math.Abs(v) < 1 {
		return strings.Replace(strconv.FormatFloat(v, 'f', 3, 64), "-0.000", "0.000", 1)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
