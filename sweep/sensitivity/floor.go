package sensitivity

import "math"

// TotalFloor is what the scatter between replicates gives to the total index of
// each of k factors: the mean variance of f(A) - f(AB_i) over replicates, of
// their mean, over 2 V. Replicates that meet the same draws at both rows differ
// alike and add little; a factor that changes nothing has 0. runs returns the
// values of a row by replicate, nil without them. NaN where no block has two
// replicates.
func TotalFloor(runs func(row int) []float32, blocks, k int, variance float64) []float64 {
	out := make([]float64, k)
	for i := range k {
		sum, n := 0.0, 0
		for b := range blocks {
			first := b * (k + 2)
			if v, ok := differ(runs(first), runs(first+1+i)); ok {
				sum, n = sum+v, n+1
			}
		}
		out[i] = sum / float64(n) / 2 / variance
	}
	return out
}

// StepFloor is what the scatter between replicates gives to mu* of each factor:
// the mean size of a normal variable with the variance that it gives to an
// elementary effect. NaN where no step has two replicates.
func StepFloor(runs func(row int) []float32, unit [][]float64) []float64 {
	if len(unit) == 0 {
		return nil
	}
	k := len(unit[0])
	sums, counts := make([]float64, k), make([]float64, k)
	for row := range unit {
		if row%(k+1) == 0 {
			continue
		}
		for i := range k {
			step := unit[row][i] - unit[row-1][i]
			if step == 0 {
				continue
			}
			if v, ok := differ(runs(row), runs(row-1)); ok {
				sums[i], counts[i] = sums[i]+v/step/step, counts[i]+1
			}
		}
	}
	for i := range sums {
		sums[i] = math.Sqrt(sums[i] / counts[i] * 2 / math.Pi)
	}
	return sums
}

// differ is the variance of the mean difference of two rows by replicate.
func differ(a, b []float32) (float64, bool) {
	n := float64(len(a))
	if len(a) < 2 || len(a) != len(b) {
		return 0, false
	}
	mean, squares := 0.0, 0.0
	for r := range a {
		mean += float64(a[r]-b[r]) / n
	}
	for r := range a {
		d := float64(a[r]-b[r]) - mean
		squares += d * d
	}
	v := squares / (n - 1) / n
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
