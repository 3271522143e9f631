package hunt

import (
	"fmt"
	"math"
	"strings"

	"scoville/sweep/plan"
	"scoville/sweep/row"
	"scoville/sweep/study"
)

// Size says how many runs the searches of a plan have at most.
func Size(p *plan.Plan) string {
	each := int(plan.SearchRuns(p.Study))
	if p.Len() == 1 {
		return fmt.Sprintf("at most %d of 1 search", each)
	}
	return fmt.Sprintf("at most %d searches x %d = %d", p.Len(), each, p.Len()*each)
}

// Expected is how many runs a plan has, of searches usually.
func Expected(p *plan.Plan) int {
	if p.Study.Search != nil {
		return p.Runs() * usualProbes
	}
	return p.Runs()
}

// Describe says what every search of a plan looks for, and how.
func Describe(p *plan.Plan) string {
	st := p.Study
	s := st.Search
	var b strings.Builder
	goal := "smallest"
	if s.Max {
		goal = "largest"
	}
	fmt.Fprintf(&b, "search  %s %s in %s .. %s", goal, s.Over, study.Show(s.From), study.Show(s.To))
	if s.Whole {
		b.WriteString(", exactly")
	} else {
		fmt.Fprintf(&b, ", to %s%%", study.Show(100*s.Tol))
	}
	if pt, err := p.Point(0); err == nil {
		b.WriteString("; meets")
		for i, l := range pt.Resolved.Scenario.SLO {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(" " + l.Metric)
			if !math.IsNaN(l.Min) {
				b.WriteString(" >= " + study.Show(l.Min))
			}
			if !math.IsNaN(l.Max) {
				b.WriteString(" <= " + study.Show(l.Max))
			}
		}
		if s.RequireSteady && row.Open(&pt.Resolved.Scenario) {
			b.WriteString(" and a stable queue")
		}
	}
	own, fresh := plan.SearchSpec(st).Worst()
	fmt.Fprintf(&b, "\n        at most %d questions on %d replicates each, then %d on %d fresh replicates; usually %d values\n", own, st.Replicates, fresh, s.Confirm, usualProbes)
	return b.String()
}
