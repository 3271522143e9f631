package sensitivity

import "math"

// Noise adds up how much the replicates of design points scatter beyond what
// all points share: the residual of the sum of a point's and a replicate's
// effect (two-way analysis of variance without repetition). Draws that all
// points share (common random numbers) shift a replicate everywhere alike: they
// are no noise in a comparison of points. The zero value is ready.
type Noise struct {
	replicates int // of a point
	points     int
	centre     float64
	byRep      []float64 // sums over points
	sum        float64   // of the points' means
	means      float64   // of their squares
	squares    float64   // of all values
}

// Add takes the values of one point, by replicate. Points with a missing value
// or another number of replicates than the first are left out.
func (s *Noise) Add(values []float64) {
	if len(values) < 2 || missing(values) || s.points > 0 && len(values) != s.replicates {
		return
	}
	if s.points == 0 {
		s.replicates, s.centre, s.byRep = len(values), values[0], make([]float64, len(values))
	}
	s.points++
	mean := 0.0
	for r, v := range values {
		v -= s.centre
		mean += v / float64(len(values))
		s.byRep[r] += v
		s.squares += v * v
	}
	s.sum += mean
	s.means += mean * mean
}

// Share is the variance that noise gives to a point's mean over its replicates,
// relative to the variance of the means over the points: what of the output's
// variance is not due to the factors. NaN without replicates or without
// variance.
func (s *Noise) Share() float64 {
	p, r := float64(s.points), float64(s.replicates)
	if p < 2 {
		return math.NaN()
	}
	mean := s.sum / p
	variance := s.means/p - mean*mean
	if !(variance > 0) {
		return math.NaN()
	}
	columns := 0.0
	for _, v := range s.byRep {
		columns += (v / p) * (v / p)
	}
	rest := s.squares - r*s.means - p*columns + p*r*mean*mean
	return math.Max(rest, 0) / ((p - 1) * (r - 1)) / r / (variance * p / (p - 1))
}
