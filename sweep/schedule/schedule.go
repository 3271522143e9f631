// Package schedule decides which runs of a plan there are: all of them, or as many
// as a stopping rule or a race finds worth having. A decision follows from finished
// runs alone, never from the order in which they finish, so that a schedule that
// is told of stored runs again decides again what it did. It runs nothing.
package schedule

import (
	"slices"

	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/fate"
)

// Schedule says which runs of a plan there are. It is for one goroutine.
type Schedule interface {
	// Start returns the runs to begin with, in the order to run in.
	Start() []int
	// Done takes a finished run, once, and returns those that there are because
	// of it.
	Done(item int, r *results.Run) []int
	// Fate says how the sampling of a point ended; nil where nothing was decided.
	Fate(point int) *fate.Fate
}

// New returns the schedule that the study of a plan asks for.
func New(p *plan.Plan) Schedule {
	switch {
	case p.Study.Race:
		return newRace(p)
	case p.Study.Until != nil:
		return newUntil(p)
	}
	return all{p}
}

// all are the runs of a plan without decisions.
type all struct{ plan *plan.Plan }

func (a all) Start() []int               { return a.plan.Order() }
func (all) Done(int, *results.Run) []int { return nil }
func (all) Fate(int) *fate.Fate          { return nil }

// first returns the runs that there are whatever comes of them.
func first(p *plan.Plan) []int {
	return slices.DeleteFunc(p.Order(), func(item int) bool {
		point, replicate := p.Run(item)
		return replicate >= p.Least(point)
	})
}

// items are runs of a point by replicate.
func items(p *plan.Plan, i, from, to int) (out []int) {
	for replicate := from; replicate < to; replicate++ {
		out = append(out, p.Item(i, replicate))
	}
	return out
}

// grown is how many replicates follow on n: half as many again, so that the looks
// at a point are few. Each look is a chance to stop on a run of luck.
func grown(n, most int) int { return min((3*n+1)/2, most) }
