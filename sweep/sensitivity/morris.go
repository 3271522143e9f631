package sensitivity

import (
	"math"

	"scoville/core/workload"
)

// Screening is what Morris trajectories say of an output, in units of the
// output per whole range of the factor.
type Screening struct {
	Mu     []Estimate // mean elementary effect: its sign is that of the effect
	MuStar []Estimate // mean size of the elementary effects: effects of both signs do not cancel
	Sigma  []Estimate // their standard deviation: large beside mu* = nonlinear, or interactions

	Trajectories int  // that the effects rest on
	Dropped      int  // trajectories that hold a missing value
	Few          bool // too few trajectories are left: no effect is known
	Constant     bool
}

// Morris estimates the elementary effects of k factors (Morris, Technometrics
// 33 (1991) 161; mu* of Campolongo et al., Environ. Model. Softw. 22 (2007)
// 1509). A trajectory is k + 1 rows, each of which moves one factor of the row
// before; unit are the rows' places in the unit cube. A step that moves nothing
// or several factors breaks its trajectory.
func Morris(unit [][]float64, y []float64, stream workload.Stream) Screening {
	k := 0
	if len(unit) > 0 {
		k = len(unit[0])
	}
	r := Screening{Mu: unknown(k), MuStar: unknown(k), Sigma: unknown(k)}
	n := min(len(y), len(unit)) / (k + 1)
	s := newSample(n, 1+3*k)
	effects := make([]float64, k)
	var used []float64
	for j := range n {
		from, to := j*(k+1), (j+1)*(k+1)
		if !elementary(unit[from:to], y[from:to], effects) {
			r.Dropped++
			continue
		}
		used = append(used, y[from:to]...)
		u := s.unit()
		for i, e := range effects {
			u[1+i], u[1+k+i], u[1+2*k+i] = e, math.Abs(e), e*e
		}
	}
	r.Trajectories = s.units
	r.Few = few(r.Trajectories, r.Dropped, LeastTrajectories)
	if r.Constant = s.units > 0 && constant(used); r.Constant || r.Few {
		return r
	}
	out := s.estimate(stream, func(sums []float64) []float64 {
		n := sums[0]
		measures := make([]float64, 3*k)
		for i := range k {
			mean := sums[1+i] / n
			square := sums[1+2*k+i] / n
			spread := square - mean*mean
			if spread < rounding*square {
				spread = 0 // the same effect everywhere
			}
			measures[i], measures[k+i], measures[2*k+i] = mean, sums[1+k+i]/n, math.Sqrt(spread*n/(n-1))
		}
		return measures
	})
	r.Mu, r.MuStar, r.Sigma = out[:k], out[k:2*k], out[2*k:]
	return r
}

// elementary fills the elementary effects of one trajectory; false if it is
// broken.
func elementary(unit [][]float64, y, effects []float64) bool {
	if missing(y) {
		return false
	}
	seen := make([]bool, len(effects))
	for t := 1; t < len(unit); t++ {
		moved := -1
		for i := range effects {
			if unit[t][i] == unit[t-1][i] {
				continue
			}
			if moved >= 0 || seen[i] {
				return false
			}
			moved, seen[i] = i, true
		}
		if moved < 0 {
			return false
		}
		effects[moved] = change(y[t-1], y[t]) / (unit[t][moved] - unit[t-1][moved])
	}
	return true
}
