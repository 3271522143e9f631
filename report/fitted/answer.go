package fitted

import (
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/results"
)

// Limits of the median error on rows that a fit has not seen: below the first its
// numbers can be taken, below the second its trends.
const trusted, rough = 0.10, 0.20

// answer says in one sentence whether the fit can be trusted, and for what.
func (m *maker) answer() string {
	switch held := m.split(results.HeldOut); {
	case m.Status == results.Undescribed:
		return fmt.Sprintf("The fit does not describe the data: %s. A column in another unit or exchanged with another, or another chip or model than the rows say, is the likely reason; nothing may be built on it.", strings.Join(m.far(), "; "))
	case m.Status != results.Converged:
		return fmt.Sprintf("Not to be trusted: the search ended %s.", m.Status)
	case len(m.Gates) > 0:
		return fmt.Sprintf("Not good enough by its own requirements: %s.", strings.Join(m.gates(), "; "))
	case len(held) == 0:
		return fmt.Sprintf("Fits %s to %s in the median, but nothing was held out: how well it predicts what it has not seen is not known.", m.scope(), off(m.split(results.Fitted)))
	default:
		worst := slices.MaxFunc(held, func(a, b results.Error) int { return cmpMedian(a, b) })
		least := slices.MinFunc(held, func(a, b results.Error) int { return a.Rows - b.Rows })
		verdict := "Can be trusted for"
		switch {
		case worst.Median > rough:
			verdict = "Not to be trusted for"
		case least.Rows < few:
			verdict = fmt.Sprintf("Too little was held out, %s, to trust it for", results.Count(least.Rows, "row"))
		case worst.Median > trusted:
			verdict = "Good for trends, not for limits, of"
		}
		return fmt.Sprintf("%s %s, inside what was measured: on rows it had not seen it is off by %s.", verdict, m.scope(), off(held))
	}
}

func cmpMedian(a, b results.Error) int {
	switch {
	case a.Median < b.Median:
		return -1
	case a.Median > b.Median:
		return 1
	}
	return 0
}

// split are the errors of a split.
func (m *maker) split(name string) (out []results.Error) {
	for _, e := range m.Errors {
		if e.Split == name {
			out = append(out, e)
		}
	}
	return out
}

// off words the median errors, and the 90th percentiles of those of rows enough.
func off(errors []results.Error) string {
	var out []string
	for _, e := range errors {
		text := fmt.Sprintf("%s in %s", percent(e.Median), spoken(e.Metric))
		if e.Rows >= few {
			text += fmt.Sprintf(" (90th percentile %s)", percent(e.P90))
		}
		out = append(out, text)
	}
	return enumerate(out)
}

// scope is what the overlay holds for.
func (m *maker) scope() string {
	a := m.AppliesTo
	out := orAny(a.Model, "any model") + " on " + orAny(a.Hardware, "any chip")
	if len(a.EngineVersion) > 0 {
		out += " with " + orAny(a.EngineVersion, "")
	}
	return out
}

func orAny(list []string, other string) string {
	if len(list) == 0 {
		return other
	}
	if len(list) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:3], ", "), len(list)-3)
	}
	return enumerate(list)
}

// enumerate joins words with commas and a last "and".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// far are the metrics that the fit is too far from.
func (m *maker) far() (out []string) {
	for _, g := range m.Gates {
		if g.Limit == results.MaxMedian && strings.HasPrefix(g.What, results.Fitted+" ") {
			out = append(out, fmt.Sprintf("%s is off by %s in the median", strings.TrimPrefix(g.What, results.Fitted+" "), percent(g.Value)))
		}
	}
	return out
}

func (m *maker) gates() (out []string) {
	for _, g := range m.Gates {
		text := g.What
		if g.Limit > 0 {
			text = fmt.Sprintf("%s is %s, over its limit of %s", g.What, percent(g.Value), percent(g.Limit))
		}
		out = append(out, text)
	}
	return out
}

// lead is what a reader must know next.
func (m *maker) lead() []string {
	line := fmt.Sprintf("%s in %s were fitted", results.Count(m.Rows, "measured row"), results.Count(m.Conditions, "condition"))
	if n := m.dropped(); n > 0 {
		line += fmt.Sprintf("; %s left out: %s", results.Count(n, "row"), results.Reasons(m.Dropped))
	}
	out := []string{line, "held out: " + m.HeldOut}
	if ranges := m.ranges(); ranges != "" {
		out = append(out, "measured: "+ranges+"; beyond it every number is an extrapolation, and a sweep says so")
	}
	for _, s := range m.Suspects {
		out = append(out, "suspect: "+s)
	}
	out = append(out, "parameters: "+m.tally())
	out = append(out, m.doubts()...)
	if m.Agreement != "" {
		out = append(out, "starts: "+m.Agreement)
	}
	return out
}

func (m *maker) dropped() (n int) {
	for _, d := range m.Dropped {
		n += len(d.Rows)
	}
	return n
}

// ranges words where the parameters were measured.
func (m *maker) ranges() string {
	var out []string
	for _, v := range m.Validity {
		name := strings.ReplaceAll(v.Path[strings.LastIndexByte(v.Path, '.')+1:], "_", " ")
		if v.Lo == v.Hi {
			out = append(out, fmt.Sprintf("%s %s", name, plain(v.Lo)))
			continue
		}
		out = append(out, fmt.Sprintf("%s %s to %s", name, plain(v.Lo), plain(v.Hi)))
	}
	return strings.Join(out, ", ")
}

// The ways in which a parameter is known, the best first.
const (
	wellKnown = "known"
	weak      = "weak"
	asPrior   = "as its prior"
	atBound   = "at a bound"
	noEffect  = "without effect"
	held      = "held"
	tied      = "tied"
)

// how says how a parameter is known.
func how(p *results.Parameter) string {
	switch {
	case p.Tied != "":
		return tied
	case p.Held:
		return held
	case p.NoEffect:
		return noEffect
	case p.AtBound:
		return atBound
	case p.AsPrior:
		return asPrior
	case slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "WEAK") }):
		return weak
	}
	return wellKnown
}

// few is how many held-out rows say little.
const few = 10

// doubts are what weakens the answer.
func (m *maker) doubts() (out []string) {
	for _, e := range m.split(results.HeldOut) {
		for _, b := range m.Baselines {
			if b.Metric == e.Metric && (e.Median > b.Median || e.P90 > b.P90) {
				out = append(out, fmt.Sprintf("in %s the fit does not beat %s on rows it has not seen", spoken(e.Metric), b.Split))
			}
		}
	}
	for _, c := range m.Coverage {
		if c.Rows >= few && float64(c.Inside) < (c.Share-0.2)*float64(c.Rows) {
			out = append(out, fmt.Sprintf("in %s the %.0f %% intervals are too narrow: they hold %d of %d held-out rows", spoken(c.Metric), 100*c.Share, c.Inside, c.Rows))
		}
	}
	return out
}

// tally counts the parameters by how they are known.
func (m *maker) tally() string {
	n := map[string]int{}
	for i := range m.Parameters {
		n[how(&m.Parameters[i])]++
	}
	var out []string
	for _, way := range []string{wellKnown, weak, asPrior, atBound, noEffect, tied, held} {
		if n[way] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[way], way))
		}
	}
	return strings.Join(out, ", ")
}

// known says in words which parameters the data tell, and which they do not.
func (m *maker) known() (out []string) {
	of := map[string][]string{}
	for i := range m.Parameters {
		p := &m.Parameters[i]
		of[how(p)] = append(of[how(p)], p.Name)
	}
	for _, w := range []struct{ how, text string }{
		{wellKnown, "Identifiable: %s."},
		{weak, "Weak, with wide intervals: %s."},
		{asPrior, "Not identifiable, since these data hardly say anything of them; what was expected before stands: %s."},
		{atBound, "At a bound, beyond which the fit would have gone: %s. Either the bound is physics, or the model lacks something."},
		{noEffect, "Without effect on any predicted value of these data: %s."},
		{held, "Held as given, not fitted: %s."},
	} {
		if names := of[w.how]; names != nil {
			out = append(out, fmt.Sprintf(w.text, enumerate(names)))
		}
	}
	return out
}
