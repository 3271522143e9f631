package metrics

import "math"

// of fills the statistics of values, which it reorders; one without a name is
// not asked for. An empty set has none.
func (d *distribution) of(values []float64, stats []string) {
	n := float64(len(values))
	sum, largest := 0.0, math.Inf(-1)
	for _, v := range values {
		sum += v
		largest = max(largest, v)
	}
	mean := sum / n
	from := 0
	for i, s := range stats {
		switch {
		case n == 0, s == "":
			d.stats[i] = math.NaN()
		case s == "mean":
			d.stats[i] = mean
		case s == "sd":
			d.stats[i] = deviation(values, mean)
		case s == "max":
			d.stats[i] = largest
		default:
			d.stats[i], from = quantile(values, from, quantileStats[s])
		}
	}
}

// deviation returns the sample standard deviation, NaN for one value.
func deviation(values []float64, mean float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(ratio(sum, float64(len(values)-1)))
}

// quantile returns quantile p of x by linear interpolation between the order
// statistics around (n - 1) p (Hyndman and Fan's type 7). It reorders x, whose
// elements before from must be the smallest, and returns how many elements now
// are: quantiles asked in ascending order cost little each.
func quantile(x []float64, from int, p float64) (float64, int) {
	h := p * float64(len(x)-1)
	k := int(h)
	if k < from { // already in place: a prefix element, found by its rank
		from = 0
	}
	nth(x[from:], k-from)
	v := x[k]
	if f := h - float64(k); f > 0 && k+1 < len(x) {
		next := math.Inf(1)
		for _, y := range x[k+1:] {
			next = min(next, y)
		}
		v += f * (next - v)
	}
	return v, k
}

// nth puts the k-th smallest element of x at x[k], smaller ones before it,
// larger ones after it (Hoare's quickselect, median of three).
func nth(x []float64, k int) {
	lo, hi := 0, len(x)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if x[mid] < x[lo] {
			x[mid], x[lo] = x[lo], x[mid]
		}
		if x[hi] < x[lo] {
			x[hi], x[lo] = x[lo], x[hi]
		}
		if x[hi] < x[mid] {
			x[hi], x[mid] = x[mid], x[hi]
		}
		pivot := x[mid]
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
