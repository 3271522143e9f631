// Package summary says first what a reader must know of a study: how many
// points ran, which are saturated and what would hold, what the numbers rest
// on, and why points failed.
package summary

import (
	"fmt"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// Lines says how many points and runs ended how, how long they took, and why
// those that failed.
func Lines(v *view.View) []string {
	out := Timeless(v)
	out[0] += fmt.Sprintf(" in %.3g s", v.Manifest.WallSeconds)
	return out
}

// Timeless is Lines without what changes from one making of the same results to
// the next.
func Timeless(v *view.View) []string {
	points, m := v.Points, v.Manifest
	status, states := map[string]int{}, map[view.State]int{}
	for i := range points.Len() {
		s, _ := points.String(points.Index("status"), i)
		status[s]++
		states[v.State(i)]++
	}
	line := fmt.Sprintf("%s: %s", m.Study, number.Plural(points.Len(), "point"))
	for _, s := range []string{results.OK, results.Infeasible, results.Failed, results.Timeout} {
		if status[s] > 0 {
			line += fmt.Sprintf(", %s %s", number.Grouped(status[s]), s)
		}
	}
	runs := 0
	for _, n := range m.Counts {
		runs += n
	}
	out := []string{line + "; " + number.Plural(runs, "run")}
	out = append(out, sampling(v)...)
	probes := slices.Contains(m.Tables, results.SearchesFile) // points that a search tried: to fail is an answer
	if n := states[view.Saturated]; n > 0 && !probes {
		out = append(out, saturation(v, n)...)
	}
	if n := states[view.Unjudged]; n > 0 && !probes {
		out = append(out, number.Plural(n, "point")+" not judged: most runs are too short to tell whether the queue is stable or grows; a mean may be one of a longer run or not")
	}
	if status[results.OK] > 0 {
		out = append(out, basis(v))
		if line := mixed(v); line != "" {
			out = append(out, line)
		}
	}
	if n := states[view.Steady]; n > 0 && !probes {
		out = append(out, fmt.Sprintf("steady: %s of %s with arrivals at a rate; steady is a load below 1 with no standing queue that grows over the second half of the arrivals, in most runs of the point", number.Grouped(n), number.Plural(n+states[view.Saturated]+states[view.Unjudged], "point")))
	}
	for _, path := range m.Inert {
		out = append(out, path+" changed nothing: every metric of every run is the same along it")
	}
	return append(out, causes(v)...)
}

// basis says what the numbers rest on.
func basis(v *view.View) string {
	points := v.Points
	calibrated, outside, ok := 0, 0, 0
	var keys, sources []string
	for i := range points.Len() {
		if s, _ := points.String(points.Index("status"), i); s != results.OK {
			continue
		}
		ok++
		if c, _ := points.Bool(points.Index("calibrated"), i); c {
			calibrated++
		}
		if text, out := points.String(points.Index("outside"), i); out {
			outside++
			for _, sentence := range strings.Split(text, results.OutsideSeparator) {
				if key, _, _ := strings.Cut(sentence, " "); !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		if s, _ := points.String(points.Index("weakest_source"), i); s != "" && !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	weakest := ""
	if len(sources) > 0 {
		slices.Sort(sources)
		weakest = "; weakest source of a hardware number: " + strings.Join(sources, ", ")
	}
	beyond := ""
	if outside > 0 {
		beyond = fmt.Sprintf("; %s of them extrapolated beyond what it was measured at, in %s", number.Grouped(outside), listed(keys))
	}
	switch {
	case calibrated == 0:
		none := ""
		if n := len(v.Manifest.Overlays); n > 0 {
			none = " (no overlay of the study comes from a calibration that succeeded and applies here)"
			if slices.ContainsFunc(v.Manifest.Notes, func(note string) bool { return strings.Contains(note, " does not act at ") }) {
				none = " (no overlay of the study comes from a calibration that succeeded and applies here, the notes say why)"
			}
		}
		return "not calibrated" + none + ": efficiencies that nobody gave are 1 and host costs 0, so times are what the figures allow at best" + weakest
	case calibrated < ok:
		return fmt.Sprintf("calibrated at %s of %s points, the others lie outside what the calibration applies to%s%s", number.Grouped(calibrated), number.Grouped(ok), beyond, weakest)
	}
	return fmt.Sprintf("calibrated at %s%s%s", number.Plural(calibrated, "point"), beyond, weakest)
}

// listed joins at most four words.
func listed(words []string) string {
	slices.Sort(words)
	if n := len(words) - 4; n > 0 {
		words = append(slices.Clone(words[:4]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}

// maxCauses is how many reasons are named.
const maxCauses = 5

// causes groups the points that are not ok by reason, numbers aside, with an
// example each.
func causes(v *view.View) []string {
	points := v.Points
	type cause struct {
		count, example int
		status, reason string
	}
	var causes []*cause
	byText := map[string]*cause{}
	for i := range points.Len() {
		status, _ := points.String(points.Index("status"), i)
		if status == results.OK {
			continue
		}
		reason, _ := points.String(points.Index("error"), i)
		key := status + strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' || c == '.' {
				return -1
			}
			return c
		}, reason)
		c := byText[key]
		if c == nil {
			c = &cause{status: status, reason: reason, example: i}
			byText[key] = c
			causes = append(causes, c)
		}
		c.count++
	}
	slices.SortStableFunc(causes, func(a, b *cause) int { return b.count - a.count })
	var out []string
	for i, c := range causes {
		if i == maxCauses {
			out = append(out, fmt.Sprintf("%d more reasons: see the column error of %s", len(causes)-i, results.PointsFile))
			break
		}
		index, _ := points.Int(points.Index("point_index"), c.example)
		out = append(out, fmt.Sprintf("%s x %s, for example point %d: %s", number.Grouped(c.count), c.status, index, c.reason))
	}
	return out
}
