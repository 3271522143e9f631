package schedule

import (
	"fmt"
	"strconv"
	"strings"

	"scoville/sweep/plan"
	"scoville/sweep/study"
)

// Describe says in a line how the number of replicates is decided; "" if it is
// fixed.
func Describe(p *plan.Plan) string {
	st := p.Study
	switch {
	case st.Until != nil:
		return fmt.Sprintf("until   %s; looks after %s of at most %d replicates\n", Rule(st), listed(looks(st.Replicates, st.Until.Max)), st.Until.Max)
	case st.Race:
		var goals []string
		for _, o := range st.Objectives {
			goals = append(goals, fmt.Sprintf("%s %s", o.Goal, o.Metric))
		}
		return fmt.Sprintf("race    drops a point that another beats in %s, surely (%g %% to lose any of the best); looks after %s of %d replicates\n",
			strings.Join(goals, " and "), 100*RaceError, listed(RaceLooks(st.Replicates)), st.Replicates)
	}
	return ""
}

// Rule is the stopping rule of a study in words; "" without one.
func Rule(st *study.Study) string {
	if st.Until == nil {
		return ""
	}
	return fmt.Sprintf("half the 95 %% interval of %s is at most %g %% of the mean", strings.Join(st.Until.Metrics, " and "), 100*st.Until.RelCI)
}

// looks are the numbers of replicates after which a stopping rule looks.
func looks(n, most int) (out []int) {
	for ; n < most; n = grown(n, most) {
		out = append(out, n)
	}
	return out
}

// listed lists a few numbers.
func listed(numbers []int) string {
	var out []string
	for i, n := range numbers {
		if i == 6 && len(numbers) > 7 {
			out = append(out, "...")
			break
		}
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}
