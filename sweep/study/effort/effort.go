// Package effort decodes what a study says about how much is run: replicates and
// when there are enough, a race, and what may fail or take too long.
package effort

import "math"

// Effort is how much is run of each point.
type Effort struct {
	Replicates  int    // runs per point, at least 1; default 1
	Until       *Until // when a point has enough replicates; nil = Replicates of them
	Independent bool   // every point draws requests of its own (crn = false); default: equal replicates meet the same
	Race        bool   // drop designs that lose by the objectives; default false
	Budget      Budget // how much may go wrong
}

// Default is the effort of a study that says nothing.
func Default() Effort {
	return Effort{Replicates: 1, Budget: Budget{Failures: -1, Share: math.NaN()}}
}

// Until lets a point have more replicates than the first ones: until the mean
// of every metric is known well enough, or there are Max.
type Until struct {
	Metrics []string // names
	RelCI   float64  // half of the 95 % interval over the mean that is narrow enough, ratio
	Max     int      // most replicates of a point
}

// First is the number of replicates before a stopping rule or a race decides for
// the first time; 0 without one.
func (s *Effort) First() int {
	switch {
	case s.Race:
		return RaceFirst
	case s.Until != nil:
		return s.Replicates
	}
	return 0
}

// Most is the largest number of replicates of a point.
func (s *Effort) Most() int {
	if s.Until != nil {
		return s.Until.Max
	}
	return s.Replicates
}

// Budget is how much may go wrong, or take too long, before a run or the whole
// sweep ends. The zero value allows everything.
type Budget struct {
	Events   int64   // of a run, more are a timeout; 0 = any number
	SimS     float64 // of a run in simulated time, s, more is a timeout; 0 = any
	Failures int64   // runs that may fail or time out before the sweep stops; -1 = any number
	Share    float64 // the same as a share of the planned runs; NaN = see Failures
}

// Fewest replicates that a stopping rule begins with, what it takes unless the
// study says, and most of a point unless the study says. The spread of
// fewer says too little of itself: intervals that are narrow by chance would end
// the sampling.
const (
	LeastUntil    = 3
	defaultUntil  = 5
	defaultMaxRep = 100
)
