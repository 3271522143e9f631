package plan

import (
	"fmt"
	"strings"

	"scoville/core"
	"scoville/core/workload"
	"scoville/sweep/study"
)

// seedOf is the seed of the streams of a point: that of the study, so that equal
// replicates of all points meet the same requests; with crn = false one that
// follows from it and the id of the point.
func (p *Plan) seedOf(id string) uint64 {
	if !p.Study.Independent {
		return p.Study.Seed
	}
	return uint64(workload.NewStream(p.Study.Seed, 0, "point "+id))
}

// Options are those of a run of a point.
func (p *Plan) Options(pt *Point, replicate int) core.Options {
	return p.options(pt.Seed, replicate)
}

// OptionsAt are those of a run of point i, which need not be resolved for them.
func (p *Plan) OptionsAt(i, replicate int) core.Options {
	return p.options(p.seedOf(p.ID(i)), replicate)
}

func (p *Plan) options(seed uint64, replicate int) core.Options {
	return core.Options{Seed: seed, Replicate: replicate, Limit: p.Limit()}
}

// Limit is how long a run of the plan may go on.
func (p *Plan) Limit() core.Limit {
	return core.Limit{Events: p.Study.Budget.Events, SimS: p.Study.Budget.SimS}
}

// Least is the number of runs that point i has whatever comes of them: those
// before the first decision of a stopping rule or a race, else all.
func (p *Plan) Least(i int) int {
	if least := p.Study.First(); least > 0 {
		return min(least, p.Replicates(i))
	}
	return p.Replicates(i)
}

// LeastRuns is the number of runs that the plan has whatever comes of them.
func (p *Plan) LeastRuns() int {
	if p.Study.First() == 0 {
		return p.Runs()
	}
	runs := 0
	for i := range p.Len() {
		runs += p.Least(i)
	}
	return runs
}

// replicates words the number of replicates as a factor of the size of a plan.
func replicates(st *study.Study) string {
	if st.Until != nil {
		return fmt.Sprintf("replicates at most %d", st.Most())
	}
	return fmt.Sprintf("replicates %d", st.Replicates)
}

// seedNotes says what independent streams cost, and what a race compares that
// hardly competes.
func (p *Plan) seedNotes() (notes []string) {
	if p.Study.Independent {
		notes = append(notes, "crn = false: every point draws requests of its own. Effects are differences of independent means, with wider intervals than paired ones, and an axis without any effect is not told from chance")
	}
	if !p.Study.Race {
		return notes
	}
	for _, a := range p.Study.Axes {
		for _, path := range a.Paths {
			if len(a.Levels) > 1 && strings.HasPrefix(path, "workload.") {
				return append(notes, fmt.Sprintf("the race compares all points, as the objectives do, those that differ in %s too: the easiest load may drop all others. A study for each load keeps them apart", path))
			}
		}
	}
	return notes
}
