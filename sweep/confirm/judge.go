package confirm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/sweep/statistic"
	"scoville/sweep/study"
)

// judge says whether the winner holds up. Another point beats it if the
// interval of the paired difference, widened for the number of points that try,
// is all on the better side.
func (c *confirmation) judge(r *Report) {
	winner := c.chosen[0]
	failed, reason, grows := winner.broken()
	name := fmt.Sprintf("point %d", winner.index)
	switch {
	case failed > 0:
		r.Verdict, r.Reason = Broken, fmt.Sprintf("%s: %d of %d fresh runs are not ok: %s", name, failed, len(winner.fresh), reason)
		return
	case grows:
		r.Verdict, r.Reason = Broken, name+" is saturated on the fresh replicates: its queue grows, and its mean is none"
		return
	case !slices.ContainsFunc(c.chosen, func(k *candidate) bool { return k.random }):
		r.Verdict, r.Reason = Fixed, "nothing is drawn at random at these points: the study's numbers are all there is"
		return
	case len(c.chosen) == 1:
		r.Verdict, r.Reason = Holds, name+" was run again alone: its numbers are confirmed, its rank is not"
		return
	}
	by, ahead := c.goals[0], 0
	var best *candidate
	var lead statistic.Estimate
	for _, k := range c.chosen[1:] {
		if !k.sound() {
			continue
		}
		e := c.against(k, winner)
		if by.worse(e.Mean) < 0 {
			ahead++
		}
		e = c.t.Among(e, len(c.chosen)-1)
		if beats(by, e) && (best == nil || by.worse(e.Mean) < by.worse(lead.Mean)) {
			best, lead = k, e
		}
	}
	switch {
	case best != nil:
		r.Verdict = Luck
		r.Reason = fmt.Sprintf("point %d is better than %s by %s on the fresh replicates (interval widened for %d comparisons)",
			best.index, name, percent(math.Abs(lead.Mean), (lead.Hi-lead.Lo)/2, false), len(c.chosen)-1)
	case ahead > 0:
		r.Verdict = Tied
		r.Reason = fmt.Sprintf("%d of %d others are ahead of %s on the fresh replicates, none by more than chance", ahead, len(c.chosen)-1, name)
	default:
		r.Verdict, r.Reason = Holds, name+" is first on the fresh replicates too"
	}
}

// beats reports whether all of a change is for the better.
func beats(g goal, e statistic.Estimate) bool {
	return max(g.worse(e.Lo), g.worse(e.Hi)) < 0 // false with NaN
}

// order counts the pairs of points whose order holds.
func (c *confirmation) order(r *Report) {
	by := c.goals[0]
	for i, a := range c.chosen {
		for _, b := range c.chosen[i+1:] {
			if !a.sound() || !b.sound() {
				continue
			}
			r.Pairs++
			e := c.against(b, a)
			switch {
			case e.Lo <= 0 && e.Hi >= 0 || math.IsNaN(e.Lo) && a.random:
				r.Undecided++
			case by.worse(e.Mean) < 0:
				r.Swapped++
			default:
				r.Kept++
			}
		}
	}
}

// curse says by how much the points looked better than they are.
func (c *confirmation) curse(r *Report) {
	by := c.goals[0]
	sum, n := 0.0, 0
	for i, k := range c.chosen {
		if !k.random || !k.sound() {
			continue
		}
		e := c.t.Welch(column(c.values(k), 0), column(k.first, 0))
		lo, hi := by.worse(e.Lo), by.worse(e.Hi)
		e = statistic.Estimate{Mean: by.worse(e.Mean), Lo: min(lo, hi), Hi: max(lo, hi), N: e.N}
		if math.IsNaN(e.Mean) {
			continue
		}
		if i == 0 {
			r.Curse = estimate(e)
		}
		sum += e.Mean
		n++
	}
	if n > 0 {
		r.Mean = known(sum / float64(n))
	}
}

// place says where a point is in the design.
func (c *confirmation) place(index int) (out []string) {
	p := c.data.Points
	for i := range p.Len() {
		if at, _ := p.Int(p.Index("point_index"), i); int(at) != index {
			continue
		}
		row := p.Row(i)
		if path, ok := p.String(p.Index("oat_path"), i); ok {
			level, _ := p.String(p.Index("oat_level"), i)
			return []string{strings.TrimSpace(path + " " + level)}
		}
		for _, col := range c.data.Axes() {
			if v := row[p.Index(col.Name)]; v != nil {
				out = append(out, col.Heading()+" = "+study.Show(v))
			}
		}
	}
	return out
}
