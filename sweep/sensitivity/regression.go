package sensitivity

import (
	"cmp"
	"math"
	"slices"

	"scoville/core/workload"
)

// Fit is what a sample of independent factors says of an output by a straight
// plane and by ranks.
type Fit struct {
	// Standardised regression coefficients: standard deviations of the output
	// per standard deviation of the factor, the others held. Their squares sum
	// to R2 where the factors are uncorrelated.
	Standardised []Estimate
	R2           Estimate // share of the variance that the plane explains

	// Rank correlation of output and factor (Spearman), in [-1, 1]: how
	// monotone the dependence is, however curved.
	Rank []Estimate

	Rows     int  // that the fit rests on
	Dropped  int  // rows with a missing value
	Few      bool // too few rows are left: nothing is known
	Constant bool
}

// maxVisited bounds the work of rank intervals: fewer resamples of more rows,
// never below leastRanked.
const (
	maxVisited  = 2_000_000
	leastRanked = 200
)

// Regress fits output y to factors x, one row each. A factor that does not vary
// has no estimate. There is no regression with fewer than k + 2 rows.
func Regress(x [][]float64, y []float64, stream workload.Stream) Fit {
	k := 0
	if len(x) > 0 {
		k = len(x[0])
	}
	f := Fit{Standardised: unknown(k), Rank: unknown(k), R2: unknown(1)[0]}
	var rows [][]float64
	var out []float64
	for j := range min(len(x), len(y)) {
		if missing(y[j:j+1]) || missing(x[j]) {
			f.Dropped++
			continue
		}
		rows, out = append(rows, x[j]), append(out, y[j])
	}
	f.Rows = len(rows)
	f.Few = few(f.Rows, f.Dropped, LeastRows)
	if f.Constant = f.Rows > 0 && constant(out); f.Constant || f.Few {
		return f
	}
	columns := make([][]float64, k)
	var vary []int
	for i := range columns {
		for _, row := range rows {
			columns[i] = append(columns[i], row[i])
		}
		if !constant(columns[i]) {
			vary = append(vary, i)
		}
	}
	if f.Rows > len(vary)+1 {
		f.plane(columns, vary, out, stream)
	}
	ranks(&f, columns, vary, out, stream)
	return f
}

// plane estimates the coefficients of the factors that vary.
func (f *Fit) plane(columns [][]float64, vary []int, y []float64, stream workload.Stream) {
	m := len(vary) + 1 // the factors, then the output
	variables := make([][]float64, 0, m)
	for _, i := range vary {
		variables = append(variables, standard(columns[i]))
	}
	variables = append(variables, standard(y))
	s := newSample(f.Rows, 1+m+m*(m+1)/2)
	for j := range f.Rows {
		u := s.unit()
		at := 1 + m
		for a := range m {
			u[1+a] = variables[a][j]
			for b := range a + 1 {
				u[at] = variables[a][j] * variables[b][j]
				at++
			}
		}
	}
	all := s.estimate(stream, func(sums []float64) []float64 { return coefficients(sums, m) })
	for a, i := range vary {
		f.Standardised[i] = all[a]
	}
	f.R2 = all[m-1]
}

// standard shifts and scales values to mean 0 and standard deviation 1, so that
// sums of products lose no digits.
func standard(values []float64) []float64 {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - sum/n) / math.Sqrt(squares/n)
	}
	return out
}

// coefficients are the standardised regression coefficients and R2 from sums of
// m variables, the last the output, and of their products: the solution of the
// correlations' linear equations. NaN where the factors are not independent.
func coefficients(sums []float64, m int) []float64 {
	corr := make([]float64, m*m)
	at := 1 + m
	for a := range m {
		for b := range a + 1 {
			corr[a*m+b] = sums[at]/sums[0] - sums[1+a]*sums[1+b]/sums[0]/sums[0]
			at++
		}
	}
	scale := make([]float64, m)
	for a := range m {
		scale[a] = math.Sqrt(corr[a*m+a])
	}
	for a := range m {
		for b := range a + 1 {
			corr[a*m+b] /= scale[a] * scale[b]
		}
	}
	k := m - 1
	out := make([]float64, m)
	// Cholesky: the factor replaces the lower triangle, its last row solves for
	// the output, and R2 is that row's sum of squares.
	for a := range m {
		for b := range a + 1 {
			v := corr[a*m+b]
			for c := range b {
				v -= corr[a*m+c] * corr[b*m+c]
			}
			switch {
			case b < a:
				corr[a*m+b] = v / corr[b*m+b]
			case a < k && !(v > 1e-10):
				return nan(m)
			case a < k:
				corr[a*m+a] = math.Sqrt(v)
			}
		}
	}
	for i := k - 1; i >= 0; i-- {
		v := corr[k*m+i]
		for j := i + 1; j < k; j++ {
			v -= corr[j*m+i] * out[j]
		}
		out[i] = v / corr[i*m+i]
		out[k] += corr[k*m+i] * corr[k*m+i]
	}
	return out
}

func nan(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// ranks estimates the rank correlations. A resample is ranked anew.
func ranks(f *Fit, columns [][]float64, vary []int, y []float64, stream workload.Stream) {
	n := len(y)
	once := make([]int, n)
	for j := range once {
		once[j] = 1
	}
	orders := make([][]int, len(columns))
	for _, i := range vary {
		orders[i] = order(columns[i])
	}
	byY := order(y)
	ry, rx := make([]float64, n), make([]float64, n)
	correlate := func(count []int) []float64 {
		rank(byY, y, count, ry)
		out := make([]float64, len(vary))
		for a, i := range vary {
			rank(orders[i], columns[i], count, rx)
			out[a] = correlation(rx, ry, count)
		}
		return out
	}
	values := correlate(once)
	draws := make([][]float64, len(vary))
	count := make([]int, n)
	for r := range min(max(maxVisited/n, leastRanked), Resamples) {
		clear(count)
		for j := range n {
			count[int(stream.Uniform(r*n+j)*float64(n))]++
		}
		for a, v := range correlate(count) {
			draws[a] = append(draws[a], v)
		}
	}
	for a, i := range vary {
		f.Rank[i] = interval(values[a], draws[a])
	}
}

// order lists the rows by ascending value.
func order(values []float64) []int {
	rows := make([]int, len(values))
	for j := range rows {
		rows[j] = j
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return rows
}

// rank gives each row its rank where row j occurs count[j] times; equal values
// share the mean of their ranks.
func rank(order []int, values []float64, count []int, into []float64) {
	before := 0
	for i := 0; i < len(order); {
		j, here := i, 0
		for ; j < len(order) && values[order[j]] == values[order[i]]; j++ {
			here += count[order[j]]
		}
		for ; i < j; i++ {
			into[order[i]] = float64(before) + float64(here+1)/2
		}
		before += here
	}
}

// correlation of two variables whose rows occur count times each.
func correlation(x, y []float64, count []int) float64 {
	var n, sx, sy, xx, yy, xy float64
	for j, c := range count {
		w := float64(c)
		n, sx, sy = n+w, sx+w*x[j], sy+w*y[j]
		xx, yy, xy = xx+w*x[j]*x[j], yy+w*y[j]*y[j], xy+w*x[j]*y[j]
	}
	return (xy - sx*sy/n) / math.Sqrt((xx-sx*sx/n)*(yy-sy*sy/n))
}
