package diagnose

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Row is a measured value with its conditions: logarithms of the lengths, the
// load, the degree of parallelism and, last, of the sizes of the model. Group
// is the machine and model.
type Row struct {
	Group string
	X     []float64
	Value float64
}

// candidates are the rows of the same group or, when it has none, all.
func candidates(train []Row, r *Row) []Row {
	var own []Row
	for _, t := range train {
		if t.Group == r.Group {
			own = append(own, t)
		}
	}
	if len(own) == 0 {
		return train
	}
	return own
}

// Nearest predicts the value of the nearest row, by the Euclidean distance of
// the logarithms; of equally near rows the geometric mean. NaN without rows.
func Nearest(train []Row, r *Row) float64 {
	best, sum, n := math.Inf(1), 0.0, 0
	for _, t := range candidates(train, r) {
		d := 0.0
		for k := range t.X {
			d += (t.X[k] - r.X[k]) * (t.X[k] - r.X[k])
		}
		switch {
		case d < best-1e-9:
			best, sum, n = d, math.Log(t.Value), 1
		case d < best+1e-9:
			sum, n = sum+math.Log(t.Value), n+1
		}
	}
	return math.Exp(sum / float64(n))
}

// LogLinear interpolates ln value linearly over the logarithms of the
// conditions: along each one in which rows on both sides agree with r in all
// others, the mean of these; else by a linear regression over the rows. NaN
// without rows.
func LogLinear(train []Row, r *Row) float64 {
	own := candidates(train, r)
	sum, n := 0.0, 0
	for k := range r.X {
		if v, ok := along(own, r, k); ok {
			sum, n = sum+v, n+1
		}
	}
	if n > 0 {
		return math.Exp(sum / float64(n))
	}
	return math.Exp(regression(own, r))
}

// along interpolates between the nearest rows on both sides of r on axis k.
func along(rows []Row, r *Row, k int) (v float64, ok bool) {
	below, above := math.Inf(-1), math.Inf(1)
	var lo, hi []float64
	for _, t := range rows {
		same := true
		for i := range t.X {
			same = same && (i == k || math.Abs(t.X[i]-r.X[i]) < 1e-9)
		}
		x, y := t.X[k], math.Log(t.Value)
		switch {
		case !same || math.Abs(x-r.X[k]) < 1e-9:
		case x < r.X[k] && x > below:
			below, lo = x, []float64{y}
		case x == below:
			lo = append(lo, y)
		case x > r.X[k] && x < above:
			above, hi = x, []float64{y}
		case x == above:
			hi = append(hi, y)
		}
	}
	if len(lo) == 0 || len(hi) == 0 {
		return 0, false
	}
	f := (r.X[k] - below) / (above - below)
	return (1-f)*mean(lo) + f*mean(hi), true
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// ridge keeps the regression determined where conditions vary together.
const ridge = 1e-3

// regression predicts ln value at r by least squares over the rows.
func regression(rows []Row, r *Row) float64 {
	if len(rows) == 0 {
		return math.NaN()
	}
	p := len(r.X)
	center, y0 := make([]float64, p), 0.0
	for _, t := range rows {
		for k := range t.X {
			center[k] += t.X[k] / float64(len(rows))
		}
		y0 += math.Log(t.Value) / float64(len(rows))
	}
	a := mat.NewDense(len(rows)+p, p, nil)
	b := mat.NewVecDense(len(rows)+p, nil)
	for i, t := range rows {
		for k := range t.X {
			a.Set(i, k, t.X[k]-center[k])
		}
		b.SetVec(i, math.Log(t.Value)-y0)
	}
	for k := range p {
		a.Set(len(rows)+k, k, ridge)
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		return y0
	}
	for k := range p {
		y0 += c.AtVec(k) * (r.X[k] - center[k])
	}
	return y0
}
