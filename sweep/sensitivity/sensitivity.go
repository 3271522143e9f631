// Package sensitivity tells which inputs of a sampled design matter for a
// number that comes out: Sobol' indices from Saltelli blocks, Morris' screening
// from trajectories, regression and rank correlation from samples. Every
// measure has an interval, and each method says in words whether the interval
// is narrow enough. It knows numbers only: no study, no metric, no file.
//
// A value that is missing (a failed run, a saturated point, an undefined
// metric) is NaN. The block or trajectory that holds one is left out as a whole
// and counted: the estimators pair the values of a block, and a part of it
// would bias them.
package sensitivity

import (
	"math"
	"slices"

	"scoville/core/workload"
)

// Estimate is a measure with the ends of its 95 % interval: percentiles of the
// bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
// section 13.3). All are NaN where the values say nothing.
type Estimate struct{ Value, Lo, Hi float64 }

// Width of the interval.
func (e Estimate) Width() float64 { return e.Hi - e.Lo }

// Known reports whether there is a value.
func (e Estimate) Known() bool { return !math.IsNaN(e.Value) }

// Resamples is how many resamples an interval rests on.
const Resamples = 1000

// maxUnits is how many units are resampled; of more, some are taken together.
// Every measure is a function of means, and means of equal groups of
// independent units scatter as the units do. The groups are drawn at random:
// neighbours in a Sobol' sequence are not independent.
const maxUnits = 1024

// Stream is the stream of random draws that an analysis resamples with: the same
// study, the same intervals.
func Stream(seed uint64) workload.Stream { return workload.NewStream(seed, 0, "bootstrap") }

// sample is what is resampled: of each unit a vector of sums, whose first
// element is the number of units in it.
type sample struct {
	size  int // of a vector
	sums  []float64
	units int
}

// newSample makes room for n units with vectors of some size.
func newSample(n, size int) *sample { return &sample{size: size, sums: make([]float64, 0, n*size)} }

// unit appends a unit and returns its vector.
func (s *sample) unit() []float64 {
	at := len(s.sums)
	s.sums = append(s.sums, make([]float64, s.size)...)
	s.sums[at] = 1
	s.units++
	return s.sums[at:]
}

// grouped takes units together where there are more than maxUnits.
func (s *sample) grouped(stream workload.Stream) {
	if s.units <= maxUnits {
		return
	}
	order := make([]int, s.units)
	for j := range order {
		order[j] = j
	}
	for j := s.units - 1; j > 0; j-- { // Fisher and Yates; draws below 0 are of no resample
		k := int(stream.Uniform(-1-j) * float64(j+1))
		order[j], order[k] = order[k], order[j]
	}
	g := newSample(maxUnits, s.size)
	for u := range maxUnits {
		into := g.unit()
		into[0] = 0
		for _, j := range order[u*s.units/maxUnits : (u+1)*s.units/maxUnits] {
			for i, v := range s.sums[j*s.size : (j+1)*s.size] {
				into[i] += v
			}
		}
	}
	*s = *g
}

// estimate is the measures of all units, with intervals from resampled ones.
// measure turns sums into some measures.
func (s *sample) estimate(stream workload.Stream, measure func(sums []float64) []float64) []Estimate {
	total := make([]float64, s.size)
	for j := range s.units {
		for i, v := range s.sums[j*s.size : (j+1)*s.size] {
			total[i] += v
		}
	}
	values := measure(total)
	s.grouped(stream)
	draws := make([][]float64, len(values))
	for r := range Resamples {
		clear(total)
		for j := range s.units {
			u := int(stream.Uniform(r*s.units+j) * float64(s.units))
			for i, v := range s.sums[u*s.size : (u+1)*s.size] {
				total[i] += v
			}
		}
		for i, v := range measure(total) {
			draws[i] = append(draws[i], v)
		}
	}
	out := make([]Estimate, len(values))
	for i, v := range values {
		out[i] = interval(v, draws[i])
	}
	return out
}

// interval is a value with the percentiles of its resampled values. Resamples
// without a value are left out; if they are many there is no interval.
func interval(value float64, draws []float64) Estimate {
	all := len(draws)
	draws = slices.DeleteFunc(draws, math.IsNaN)
	if math.IsNaN(value) || len(draws) < 2 || 10*len(draws) < 9*all {
		return Estimate{value, math.NaN(), math.NaN()}
	}
	slices.Sort(draws)
	return Estimate{value, percentile(draws, 0.025), percentile(draws, 0.975)}
}

// percentile of sorted values, between neighbours by straight line.
func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Fewest blocks, trajectories and rows that measures rest on: of fewer a
// resample is too often narrow by chance.
const (
	LeastBlocks       = 16
	LeastTrajectories = 4
	LeastRows         = 10
)

// few reports whether what is left says nothing: too little, or less than half,
// which is no sample of the space that was asked about.
func few(kept, dropped, least int) bool { return kept < least || dropped > kept }

// unknown are n estimates that say nothing.
func unknown(n int) []Estimate {
	return slices.Repeat([]Estimate{{math.NaN(), math.NaN(), math.NaN()}}, n)
}

// rounding is how far apart values may be, relative to the largest, and still
// be one value computed in another order.
const rounding = 1e-12

// constant reports whether known values are all equal but for rounding.
func constant(values []float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			least, most = min(least, v), max(most, v)
		}
	}
	return !(most-least > rounding*max(math.Abs(least), math.Abs(most)))
}

// change is b - a, 0 where that is rounding alone.
func change(a, b float64) float64 {
	if d := b - a; math.Abs(d) > rounding*math.Max(math.Abs(a), math.Abs(b)) {
		return d
	}
	return 0
}

// missing reports whether any value is none.
func missing(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
