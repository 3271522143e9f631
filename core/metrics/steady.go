package metrics

import "math"

// Tri is yes, no, or unknown.
type Tri int8

// The values of Tri.
const (
	Unknown Tri = iota
	No
	Yes
)

// Fewest requests after which Growing can judge, and its batches.
const (
	growingMin     = 200
	growingBatches = 10
	// growingT is the one-sided critical value of the slope's t statistic. Batch
	// means of a busy queue stay correlated, so it is set well above the 1 %
	// point of Student's t with 8 degrees of freedom (2.90); with growingShare
	// it holds the false-alarm rate on M/M/1 queues below 1 % up to load 0.9 at
	// 1,000 requests and more, which a test measures.
	growingT = 4.5
	// growingShare is the smallest growth that counts, in requests in the
	// system per arrival: a queue at load 1.05 grows by 0.048.
	growingShare = 0.02
)

// Growing tests whether the requests in the system grow over the second half
// of the arrivals: a rising line through ten batch means, steeper than chance
// and than growingShare. Unknown below 200 requests.
func Growing(reqs []Request) Tri {
	if len(reqs) < growingMin {
		return Unknown
	}
	half := reqs[len(reqs)/2:]
	size := len(half) / growingBatches
	var y [growingBatches]float64
	for b := range y {
		for i := b * size; i < (b+1)*size; i++ {
			y[b] += float64(half[i].InSystem)
		}
		y[b] /= float64(size)
	}
	slope, t := lineTest(y[:])
	if t > growingT && slope/float64(size) > growingShare {
		return Yes
	}
	return No
}

// lineTest fits a line to y over 0, 1, 2 … and returns its slope and the
// slope's t statistic.
func lineTest(y []float64) (slope, t float64) {
	n := float64(len(y))
	mx := (n - 1) / 2
	my := 0.0
	for _, v := range y {
		my += v / n
	}
	var sxx, sxy float64
	for i, v := range y {
		dx := float64(i) - mx
		sxx += dx * dx
		sxy += dx * (v - my)
	}
	slope = sxy / sxx
	rss := 0.0
	for i, v := range y {
		e := v - my - slope*(float64(i)-mx)
		rss += e * e
	}
	se := math.Sqrt(rss / (n - 2) / sxx)
	if se == 0 {
		if slope > 0 {
			return slope, math.Inf(1)
		}
		return slope, 0
	}
	return slope, slope / se
}
