package sensitivity

import (
	"math"

	"scoville/core/workload"
)

// Variance is what a Saltelli design says of an output: how much of its
// variance is due to each factor.
type Variance struct {
	First, Total []Estimate // by factor
	Blocks       int        // that the indices rest on
	Dropped      int        // blocks that hold a missing value
	Few          bool       // too few blocks are left: no index is known
	Constant     bool       // the output does not vary: there is nothing to share out
	Variance     float64    // V, in the unit of the output squared
}

// Sobol estimates the first-order and the total index of k factors from
// Saltelli blocks: the rows of a block are A, AB_1 … AB_k, B, where AB_i is A
// with factor i of B. With f_0 removed and V the variance over A and B,
//
//	S_i  = mean(f(B) (f(AB_i) - f(A))) / V         Saltelli et al., Comput. Phys. Commun. 181 (2010) 259, table 2 (b)
//	ST_i = mean((f(A) - f(AB_i))^2) / (2 V)        Jansen, Comput. Phys. Commun. 117 (1999) 35; table 2 (f) there
//
// S_i is the share of V that goes if factor i is known, ST_i the share that
// stays if all but factor i are known, in [0, 1] but for sampling errors; ST_i -
// S_i is due to interactions. Both are 0 for a factor without effect.
func Sobol(y []float64, k int, stream workload.Stream) Variance {
	n := len(y) / (k + 2)
	v := Variance{First: unknown(k), Total: unknown(k)}
	block := func(j int) []float64 { return y[j*(k+2) : (j+1)*(k+2)] }
	var kept []int
	sum := 0.0
	var used []float64
	for j := range n {
		if b := block(j); missing(b) {
			v.Dropped++
		} else {
			kept = append(kept, j)
			sum += b[0] + b[k+1]
			used = append(used, b...)
		}
	}
	v.Blocks = len(kept)
	v.Few = few(v.Blocks, v.Dropped, LeastBlocks)
	if v.Constant = v.Blocks > 0 && constant(used); v.Constant || v.Few {
		return v
	}
	centre := sum / float64(2*v.Blocks) // any constant leaves the indices unbiased; this one has little scatter
	s := newSample(v.Blocks, 3+2*k)
	for _, j := range kept {
		row, u := block(j), s.unit()
		a, b := row[0]-centre, row[k+1]-centre
		u[1], u[2] = (a+b)/2, (a*a+b*b)/2
		for i := range k {
			d := change(row[0], row[1+i])
			u[3+i], u[3+k+i] = b*d, d*d/2
		}
	}
	out := s.estimate(stream, func(sums []float64) []float64 {
		variance := spread(sums)
		indices := make([]float64, 2*k)
		for i := range indices {
			if indices[i] = sums[3+i] / sums[0] / variance; !(variance > 0) {
				indices[i] = math.NaN()
			}
		}
		return indices
	})
	v.First, v.Total = out[:k], out[k:]
	var all [3]float64
	for j := range s.sums {
		if i := j % s.size; i < len(all) {
			all[i] += s.sums[j]
		}
	}
	v.Variance = spread(all[:])
	return v
}

// spread is the variance from a count, a sum and a sum of squares.
func spread(sums []float64) float64 {
	mean := sums[1] / sums[0]
	return sums[2]/sums[0] - mean*mean
}
