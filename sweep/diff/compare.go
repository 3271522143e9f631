package diff

import (
	"math"
	"slices"

	"scoville/sweep/results"
	"scoville/sweep/results/front"
	"scoville/sweep/statistic"
)

// compare fills in what changed.
func (r *Report) compare(m *matching, names []string) {
	t := statistic.Student{}
	logs := make([]statistic.Mean, len(r.Metrics))
	by := slices.Index(names, r.By)
	var from, to []float64
	for i := range m.pairs {
		g := &m.pairs[i]
		row := g.row()
		for k := range names {
			c := change(t, g, k)
			if k == by {
				from, to = append(from, r.turned(c.A, c.Word)), append(to, r.turned(c.B, c.Word))
			}
			if k >= len(r.Metrics) {
				continue
			}
			row.Changes = append(row.Changes, c)
			if c.Word == "" && c.A != nil && c.B != nil && *c.A > 0 && *c.B > 0 {
				logs[k].Add(math.Log(*c.B / *c.A))
			}
		}
		r.Rows = append(r.Rows, row)
		r.front(g)
	}
	for k := range logs {
		c := Change{N: logs[k].N}
		if c.N > 0 {
			c.Ratio = known(math.Expm1(logs[k].Value()))
		}
		r.Geomean = append(r.Geomean, c)
	}
	r.rank(from, to)
	for i := range m.aloneA {
		r.OnlyA = append(r.OnlyA, m.aloneA[i].row())
	}
	for i := range m.aloneB {
		r.OnlyB = append(r.OnlyB, m.aloneB[i].row())
	}
}

func (g *pair) row() Row {
	row := Row{Place: g.place}
	for _, p := range g.a {
		row.PointsA = append(row.PointsA, p.index)
	}
	for _, p := range g.b {
		row.PointsB = append(row.PointsB, p.index)
	}
	return row
}

// turned is a value to be minimised, NaN where it is not to be ranked.
func (r *Report) turned(x *float64, why string) float64 {
	switch {
	case x == nil || why != "":
		return math.NaN()
	case r.Goal == "max":
		return -*x
	}
	return *x
}

// rank compares the ranks among the designs that have a value in both.
func (r *Report) rank(from, to []float64) {
	for i := range from {
		if math.IsNaN(from[i]) || math.IsNaN(to[i]) {
			from[i], to[i] = math.NaN(), math.NaN()
		}
	}
	a, b := front.Ranks(from), front.Ranks(to)
	for i := range a {
		if a[i] > 0 {
			r.Ranked++
		}
		if a[i] != b[i] {
			r.Moved = append(r.Moved, Moved{r.Rows[i], a[i], b[i]})
		}
	}
	for i := range r.Moved {
		r.Moved[i].Row.Changes = nil
	}
	sortMoved(r.Moved)
}

// front notes a design that leaves or joins the front of its folder.
func (r *Report) front(g *pair) {
	if len(g.a) != 1 || len(g.b) != 1 || g.a[0].member == nil || g.b[0].member == nil {
		return
	}
	switch was, is := *g.a[0].member, *g.b[0].member; {
	case was && !is:
		r.Left = append(r.Left, g.row())
	case is && !was:
		r.Joined = append(r.Joined, g.row())
	}
}

// change compares metric k of a design.
func change(t statistic.Student, g *pair, k int) Change {
	c := Change{Word: g.why()}
	a, b := merged(g.a, k), merged(g.b, k)
	var pa, pb, allA, allB []float64
	c.Same = len(a) > 0 && len(a) == len(b)
	for _, key := range sorted(a) {
		x := a[key]
		allA = append(allA, x)
		if y, ok := b[key]; ok {
			pa, pb = append(pa, x), append(pb, y)
			c.Same = c.Same && x == y
		} else {
			c.Same = false
		}
	}
	for _, key := range sorted(b) {
		allB = append(allB, b[key])
	}
	c.A, c.B = known(t.Mean(allA).Mean), known(t.Mean(allB).Mean)
	if c.Word != "" {
		return c
	}
	e := t.Welch(allB, allA)
	if c.Paired = len(pa) > 0; c.Paired {
		e = t.Change(pb, pa)
	}
	c.Ratio, c.Lo, c.Hi, c.N = known(e.Mean), known(e.Lo), known(e.Hi), e.N
	return c
}

// why says why a design has no change; "" = it has.
func (g *pair) why() string {
	a, b := trouble(g.a), trouble(g.b)
	switch {
	case a == "" && b == "":
		return ""
	case a == b:
		return a + " in both"
	case b == "":
		return a + " in A"
	case a == "":
		return b + " in B"
	}
	return a + " in A, " + b + " in B"
}

// trouble says why the means of points are none; "" = they are.
func trouble(points []*point) string {
	for _, p := range points {
		if p.status != results.OK {
			return p.status
		}
		if p.grows() {
			return "saturated"
		}
	}
	return ""
}

// merged is metric k by run, the mean over the points where there are several.
func merged(points []*point, k int) map[string]float64 {
	sums := map[string]*statistic.Mean{}
	for _, p := range points {
		for _, r := range p.runs {
			if math.IsNaN(r.values[k]) {
				continue
			}
			if sums[r.key] == nil {
				sums[r.key] = &statistic.Mean{}
			}
			sums[r.key].Add(r.values[k])
		}
	}
	out := map[string]float64{}
	for key, m := range sums {
		if m.N == len(points) {
			out[key] = m.Value()
		}
	}
	return out
}

func sorted(runs map[string]float64) []string {
	keys := make([]string, 0, len(runs))
	for key := range runs {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
