package sample

import (
	"math"
	"strconv"
)

// Kinds of a dimension.
const (
	Range      = "range"      // Min to Max with equal probability, on a log scale if Log
	Levels     = "levels"     // a list, each with equal probability
	Normal     = "normal"     // Mean and SD
	LogNormal  = "lognormal"  // Mean and SD of the value itself, not of its logarithm
	Triangular = "triangular" // Min, Mode and Max
)

// Dim is how one parameter varies.
type Dim struct {
	Path string   `json:"path"`
	Kind string   `json:"kind"`
	Min  *float64 `json:"min,omitempty"` // smallest value, cutting off a distribution; nil = none
	Max  *float64 `json:"max,omitempty"`
	Log  bool     `json:"log,omitempty"`  // of a range: the logarithm is uniform
	Step float64  `json:"step,omitempty"` // of a range: only Min, Min + Step, ... Max; 0 = every value
	Mean float64  `json:"mean,omitempty"`
	SD   float64  `json:"sd,omitempty"`   // standard deviation, before cutting off
	Mode float64  `json:"mode,omitempty"` // most probable value of a triangle

	Whole    bool     `json:"whole,omitempty"`    // whole numbers only
	Relative bool     `json:"relative,omitempty"` // values are factors on what the study gives the parameter
	Values   []string `json:"values,omitempty"`   // levels, as the study writes them
	Names    bool     `json:"names,omitempty"`    // levels are names, which have no order
}

// Bins is the number of values of a dimension that has finitely many with equal
// probability: levels, steps, whole numbers of a range. 0 for others.
func (d *Dim) Bins() int {
	switch {
	case d.Kind == Levels:
		return len(d.Values)
	case d.Kind != Range || d.Log:
		return 0
	case d.Step > 0:
		return int(math.Round((*d.Max-*d.Min)/d.Step)) + 1
	case d.Whole:
		return int(*d.Max-*d.Min) + 1
	}
	return 0
}

// Bin is the number of the value at coordinate u of a dimension with Bins: bins
// are equally wide, so that the first and the last value are as frequent as the
// others, which rounding would halve.
func (d *Dim) Bin(u float64) int {
	bins := d.Bins()
	return max(0, min(int(u*float64(bins)), bins-1))
}

// Number is the value at coordinate u of a dimension other than Levels. It has
// 12 significant digits, so that it is the same on every machine.
func (d *Dim) Number(u float64) float64 {
	if d.Bins() > 0 {
		step := d.Step
		if step == 0 {
			step = 1
		}
		return Round(*d.Min + step*float64(d.Bin(u)))
	}
	lo, hi := d.bounds()
	switch {
	case d.Kind == Normal:
		return d.finish(d.Mean + d.SD*cutNormal(u, (lo-d.Mean)/d.SD, (hi-d.Mean)/d.SD))
	case d.Kind == LogNormal:
		spread := math.Sqrt(math.Log1p(d.SD / d.Mean * d.SD / d.Mean))
		middle := math.Log(d.Mean) - spread*spread/2
		return d.finish(math.Exp(middle + spread*cutNormal(u, (math.Log(lo)-middle)/spread, (math.Log(hi)-middle)/spread)))
	case d.Kind == Triangular:
		return d.finish(triangle(u, lo, d.Mode, hi))
	case d.Log && d.Whole: // the whole number below, of a range that ends before Max + 1
		return max(*d.Min, min(math.Floor(Round(*d.Min*math.Pow((*d.Max+1) / *d.Min, u))), *d.Max))
	case d.Relative && !d.Log: // the product is rounded
		return *d.Min + u*(*d.Max-*d.Min)
	case d.Log:
		return d.finish(*d.Min * math.Pow(*d.Max / *d.Min, u))
	}
	return d.finish(*d.Min + u*(*d.Max-*d.Min))
}

// bounds are where the values end, infinite where they do not. Whole numbers
// reach half a number further, since they are rounded.
func (d *Dim) bounds() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if d.Kind == LogNormal {
		lo = 0
	}
	half := 0.0
	if d.Whole && d.Kind != Range {
		half = 0.5
	}
	if d.Min != nil {
		lo = max(lo, *d.Min-half)
	}
	if d.Max != nil {
		hi = *d.Max + half
	}
	return lo, hi
}

// finish rounds a value and keeps it within the ends.
func (d *Dim) finish(x float64) float64 {
	if x = Round(x); d.Whole {
		x = math.Round(x)
	}
	if d.Min != nil {
		x = max(x, *d.Min)
	}
	if d.Max != nil {
		x = min(x, *d.Max)
	}
	return x
}

// Share is the probability that a normal or lognormal value lies between Min
// and Max before it is cut off; 1 for other kinds.
func (d *Dim) Share() float64 {
	lo, hi := d.bounds()
	switch d.Kind {
	case Normal:
		return below((hi-d.Mean)/d.SD) - below((lo-d.Mean)/d.SD)
	case LogNormal:
		spread := math.Sqrt(math.Log1p(d.SD / d.Mean * d.SD / d.Mean))
		middle := math.Log(d.Mean) - spread*spread/2
		return below((math.Log(hi)-middle)/spread) - below((math.Log(lo)-middle)/spread)
	}
	return 1
}

// Position is where the value at coordinate u stands between the ends of its
// dimension, from 0 to 1: what a Morris step moves a whole number, a step or a
// level by. Distributions stand at u.
func (d *Dim) Position(u float64) float64 {
	switch bins := d.Bins(); {
	case bins == 1:
		return 0
	case bins > 1:
		return float64(d.Bin(u)) / float64(bins-1)
	case d.Kind == Range && d.Whole && *d.Max > *d.Min:
		return math.Log(d.Number(u) / *d.Min) / math.Log(*d.Max / *d.Min)
	}
	return u
}

// below is the standard normal distribution function.
func below(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// cutNormal is the quantile of a standard normal value between lo and hi. It
// works in the tail that holds the interval, where probabilities are small
// numbers and not nearly 1.
func cutNormal(u, lo, hi float64) float64 {
	if lo > 0 {
		return -cutNormal(1-u, -hi, -lo)
	}
	p := below(lo) + u*(below(hi)-below(lo))
	if p <= 0 || p >= 1 {
		return math.Inf(int(2*p - 1))
	}
	z := -math.Sqrt(-2 * math.Log(p)) // far out, where math.Erfcinv is not exact
	if p > 1e-5 {
		z = -math.Sqrt2 * math.Erfcinv(2*p)
	}
	for range 6 { // Newton on the logarithm of the probability
		q := below(z)
		z -= math.Log(q/p) * q / (math.Exp(-z*z/2) / math.Sqrt(2*math.Pi))
	}
	return z
}

// triangle is the quantile of a triangular distribution.
func triangle(u, lo, mode, hi float64) float64 {
	rise := (mode - lo) / (hi - lo)
	if u < rise {
		return lo + math.Sqrt(u*(hi-lo)*(mode-lo))
	}
	return hi - math.Sqrt((1-u)*(hi-lo)*(hi-mode))
}

// Round rounds to 12 significant digits.
func Round(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	return y
}
