package plan

import (
	"fmt"

	"scoville/core/unit"
)

// Drawn lists the points, by position, that [uncertainty] draws parameters for:
// those that can run and that an overlay with a covariance applies to.
func (p *Plan) Drawn() (points []int) {
	for i, is := range p.drawn {
		if is {
			points = append(points, i)
		}
	}
	return points
}

// DrawRuns is the number of runs of all draws. It looks at every point.
func (p *Plan) DrawRuns() int { return len(p.Drawn()) * p.Study.Draws }

// Replicates is the number of runs of point i.
func (p *Plan) Replicates(i int) int { return p.first[i+1] - p.first[i] }

// drawNotes says which points have no prediction intervals, and why.
func (p *Plan) drawNotes() (notes []string) {
	if p.Study.Draws == 0 {
		return nil
	}
	if missing := p.Len() - len(p.Drawn()); missing > 0 {
		notes = append(notes, fmt.Sprintf("no overlay that says how sure it is ([calibration.covariance]) applies to %s of %s points, or they cannot run: they have no prediction intervals",
			unit.Grouped(missing), unit.Grouped(p.Len())))
	}
	return notes
}
