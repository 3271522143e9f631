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

const (
	// growingMin is the fewest requests that Growing judges.
	growingMin = 200
	// growingFloor and growingRate bound the standing backlog of a stable run of
	// n requests: max(growingFloor, growingRate sqrt(n)). Twice the mean of an
	// M/M/1 queue at load 0.9 (9 in the system) holds for short runs; in long ones
	// a stable queue falls back ever more often, while one at load 1 wanders by
	// sqrt(n).
	//
	// Measured on 4,000 to 20,000 M/M/1 queues each, starting empty; a test repeats
	// the main ones:
	//
	//	load 0.5, 0.8   200 to 4,000 requests   "growing" in at most 0.01 % of runs
	//	load 0.9        200, 500, 700, 1,000, 2,000, 4,000   0.2, 0.7, 0.8, 0.8, 0.4, 0.04 %
	//	load 0.95       1,000, 4,000, 16,000    4.8, 1.9, 0.1 %
	//	load 1.05       2,000, 4,000, 8,000     66, 80, 92 %
	//	load 1.1        1,000, 2,000, 4,000     66, 91, 98 %
	//	load 1.3        500, 1,000, 2,000       87, 99.8, 100 %
	//
	// Bursty arrivals (cv 2) at load 0.9: 7.1, 1.5, 0 % at 1,000, 4,000, 16,000.
	// Sequences that run are no backlog, so that a big batch that still fills up
	// does not count.
	growingFloor = 17
	growingRate  = 0.38
)

// Growing tests whether the waiting requests grow over the second half of the
// arrivals. A stable queue falls back to its lowest level time and
// again, a growing one leaves each level for good: the standing backlog, the
// least that any later request finds, averaged over the half and above the
// least of all, is then large. At most 1 % of stable M/M/1 queues up to load
// 0.9 are taken for growing. Unknown below 200 requests.
func Growing(reqs []Request) Tri {
	n := len(reqs)
	if n < growingMin {
		return Unknown
	}
	half := reqs[n/2:]
	least, sum := int32(math.MaxInt32), 0.0
	for i := len(half) - 1; i >= 0; i-- {
		least = min(least, half[i].Waiting)
		sum += float64(least)
	}
	standing := sum/float64(len(half)) - float64(least)
	if standing > max(growingFloor, growingRate*math.Sqrt(float64(n))) {
		return Yes
	}
	return No
}
