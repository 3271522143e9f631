package summary

import (
	"fmt"

	"scoville/report/number"
	"scoville/report/view"
)

// sampling says what a stopping rule or a race made of the replicates.
func sampling(v *view.View) []string {
	m := v.Manifest
	switch {
	case m.Until != "":
		return []string{until(v)}
	case m.Race:
		return []string{race(v)}
	}
	return nil
}

// span is the least and the most of some numbers.
type span struct{ least, most, n int }

func (s *span) add(x int) {
	if s.n == 0 {
		s.least, s.most = x, x
	}
	s.least, s.most, s.n = min(s.least, x), max(s.most, x), s.n+1
}

func (s span) String() string {
	if s.least == s.most {
		return number.Grouped(s.most)
	}
	return number.Grouped(s.least) + " to " + number.Grouped(s.most)
}

// maxMissed is how many points are named that a stopping rule gave up on.
const maxMissed = 4

func until(v *view.View) string {
	var reached, missed span
	var names []int
	for i := range v.Points.Len() {
		runs, _ := v.Points.Int(v.Points.Index("runs"), i)
		switch yes, known := v.Points.Bool(v.Points.Index("until_reached"), i); {
		case !known:
		case yes:
			reached.add(int(runs))
		default:
			missed.add(int(runs))
			names = append(names, v.Index(i))
		}
	}
	line := fmt.Sprintf("until %s: ", v.Manifest.Until)
	if reached.n > 0 {
		line += fmt.Sprintf("reached at %s with %s replicates", number.Plural(reached.n, "point"), reached)
	} else {
		line += "reached nowhere"
	}
	if missed.n > 0 {
		line += fmt.Sprintf("; NOT reached at %s with the most, %s", number.Plural(missed.n, "point"), missed)
		for i, n := range names[:min(len(names), maxMissed)] {
			line += fmt.Sprintf("%s%d", map[bool]string{true: ": number ", false: ", "}[i == 0], n)
		}
		if more := len(names) - maxMissed; more > 0 {
			line += fmt.Sprintf(" and %s more: column until_reached", number.Grouped(more))
		}
	}
	return line + ". An interval that ends the sampling holds the true mean in 91 to 95 % of cases rather than in 95 %"
}

func race(v *view.View) string {
	var dropped span
	for i := range v.Points.Len() {
		if n, ok := v.Points.Int(v.Points.Index("pruned_at"), i); ok {
			dropped.add(int(n))
		}
	}
	if dropped.n == 0 {
		return "race: no point dropped, since none is surely worse than another in every objective"
	}
	runs := 0
	for _, n := range v.Manifest.Counts {
		runs += n
	}
	most := v.Manifest.Most
	return fmt.Sprintf("race: %s of %s dropped after %s replicates, since another is surely better in every objective; %s of %s runs saved (%.0f %%). They are in the tables (pruned_at), and not compared",
		number.Grouped(dropped.n), number.Plural(v.Points.Len(), "point"), dropped, number.Grouped(most-runs), number.Grouped(most), 100*float64(most-runs)/float64(most))
}

// Legend says what the intervals of effects are, and how many replicates they rest
// on.
func Legend(v *view.View) string {
	var n span
	for i := range v.Points.Len() {
		if runs, ok := v.Points.Int(v.Points.Index("runs_ok"), i); ok && runs > 0 {
			n.add(int(runs))
		}
	}
	switch {
	case n.most < 2:
		return "one run a point: no intervals. Ask for more under [replicates], unless nothing is drawn at random"
	case v.Manifest.Independent:
		return fmt.Sprintf("95%% interval of the difference of two independent means (Welch; crn = false, every point serves requests of its own), %s replicates. ~ = includes 0", n)
	case v.Manifest.Until != "" && n.least != n.most:
		return fmt.Sprintf("95%% interval of the paired difference, over the replicates that both points have, of %s. ~ = includes 0", n)
	}
	return fmt.Sprintf("95%% interval of the paired difference, %s replicates. ~ = includes 0", number.Grouped(n.most))
}

// Raced is what shares of replicates need said after a race: those that it dropped
// do not take part.
func Raced(v *view.View) string {
	if !v.Manifest.Race {
		return ""
	}
	return ", among the points that the race left: at least as large as among all"
}
