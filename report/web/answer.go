package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/core/unit"
	"scoville/report/number"
	"scoville/report/view"
	"scoville/report/web/scene"
	"scoville/sweep/results"
)

// answer is the result in one sentence, with what makes it worthless right
// behind it.
func (m *maker) answer() string {
	ok, saturated := 0, 0
	for _, i := range m.All {
		if m.V.OK(i) {
			ok++
		}
		if m.V.State(i) == view.Saturated {
			saturated++
		}
	}
	if ok == 0 {
		return m.nothing()
	}
	var text string
	for _, say := range []func() string{m.searched, m.changed, m.matters, m.front, m.judged, m.only, m.loaded, m.best} {
		if text = say(); text != "" {
			break
		}
	}
	if said := m.judged(); text != said && said != "" {
		text += " " + said
	}
	if m.probes {
		return text
	}
	switch {
	case saturated == ok:
		return fmt.Sprintf("Saturated: requests arrive faster than they are served at every point that ran (%s); no mean of them says anything.", number.Grouped(ok))
	case saturated > 0:
		text += fmt.Sprintf(" Of %s, %s %s saturated and left out: requests arrive faster than they are served there.", number.Plural(len(m.All), "point"), number.Grouped(saturated), be(saturated))
	}
	if n := m.unjudged(); n > 0 {
		text += fmt.Sprintf(" %s %s not judged: the runs are too short to tell whether the queue grows.", number.Plural(n, "point"), be(n))
	}
	if bad := len(m.All) - ok; bad > 0 {
		text += fmt.Sprintf(" %s cannot run or failed.", number.Plural(bad, "point"))
	}
	return text
}

// unjudged counts the points that may be saturated or not.
func (m *maker) unjudged() (n int) {
	for _, i := range m.All {
		if m.V.State(i) == view.Unjudged {
			n++
		}
	}
	return n
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// nothing is the answer where no point ran.
func (m *maker) nothing() string {
	if len(m.All) == 0 {
		return "There are no points: nothing ran."
	}
	status, _ := m.V.Points.String(m.V.Points.Index("status"), 0)
	reason, _ := m.V.Points.String(m.V.Points.Index("error"), 0)
	return fmt.Sprintf("No point has a result. Point %d is %s: %s", m.V.Index(0), status, reason)
}

// searched is the answer of searches: what they found, from the least to the
// most.
func (m *maker) searched() string {
	f, err := m.V.Searches()
	if f == nil || err != nil || f.Len() == 0 {
		return ""
	}
	text := func(column string, i int) string {
		s, _ := f.String(f.Index(column), i)
		return s
	}
	goal := "largest"
	if text("goal", 0) == "min" {
		goal = "smallest"
	}
	over := text("over", 0)
	found, least, most := 0, math.Inf(1), math.Inf(-1)
	for i := range f.Len() {
		if x, ok := f.Float(f.Index("value"), i); ok {
			found++
			least, most = min(least, x), max(most, x)
		}
	}
	head := fmt.Sprintf("The %s %s that meets every service level", goal, over[strings.LastIndexByte(over, '.')+1:])
	switch {
	case found == 0 && f.Len() == 1:
		return head + " was not found: " + strings.ReplaceAll(text("outcome", 0), "_", " ") + ". " + text("reason", 0)
	case found == 0:
		return fmt.Sprintf("%s was found by none of %s searches.", head, number.Grouped(f.Len()))
	case f.Len() <= maxFound:
		var each []string
		bare := m.V.BareSearches()
		for i := range f.Len() {
			one := m.foundOne(f, i)
			if bare[text("search_id", i)] {
				one += view.NotCalibrated
			}
			each = append(each, one)
		}
		return head + ": " + strings.Join(each, "; ") + "."
	}
	which := fmt.Sprintf("the %d of %d searches that found one", found, f.Len())
	if found == f.Len() {
		which = number.Grouped(found) + " searches"
	}
	if view.Equal(least, most) {
		return fmt.Sprintf("%s: %s in %s.", head, m.measure(over, least), which)
	}
	return fmt.Sprintf("%s: %s to %s over %s.", head, unit.Commas(number.Significant(least)), m.measure(over, most), which)
}

// unit is that of what a search is over.
func (m *maker) unit(over string) string {
	c, _ := m.V.Column(over)
	return scene.UnitOf(c)
}

// measure is a value of what a search is over with its unit.
func (m *maker) measure(over string, x float64) string {
	return strings.TrimSpace(unit.Commas(number.Significant(x)) + " " + m.unit(over))
}

// maxFound is how many searches the answer names.
const maxFound = 3

// foundOne says what a search found.
func (m *maker) foundOne(f *table.Frame, i int) string {
	s := "none"
	if x, ok := f.Float(f.Index("value"), i); ok {
		over, _ := f.String(f.Index("over"), i)
		s = strings.TrimSpace(number.Plain(x) + " " + m.unit(over))
	}
	if slo, ok := f.String(f.Index("binding_slo"), i); ok && slo != "" {
		s += " (bound by " + slo + ")"
	}
	if at := searchName(f, i); at != "" {
		s += " at " + at
	}
	return s
}

// searchName tells a search from the others.
func searchName(f *table.Frame, i int) string {
	var words []string
	row := f.Row(i)
	for k, c := range f.Columns {
		if c.Path != "" {
			words = append(words, c.Heading()+" = "+scene.Word(row[k]))
		}
	}
	if path, ok := f.String(f.Index("oat_path"), i); ok && path != "" {
		level, _ := f.String(f.Index("oat_level"), i)
		words = append(words, path[strings.LastIndexByte(path, '.')+1:]+" "+number.Level(level))
	}
	return strings.Join(words, ", ")
}

// judged is the answer of a study that holds published figures: their count, or the
// verdict on the only one.
func (m *maker) judged() string {
	if len(m.in.Published) == 0 || len(m.in.Published[0].Notes) == 0 {
		return ""
	}
	if rows := m.in.Published[0].Rows; len(rows) == 1 && len(rows[0]) > 4 {
		verdict, _, _ := strings.Cut(rows[0][4], "; ")
		return fmt.Sprintf("Published figure “%s”: %s published, %s simulated, %s.", rows[0][0], rows[0][1], rows[0][2], verdict)
	}
	return m.in.Published[0].Notes[0] + "."
}

// effect is the largest change of a metric.
type effect struct {
	metric  string
	at      int     // point; -1 = none
	size    float64 // relative
	none, n int     // changes without an effect, and all
}

// changed is the answer of one-at-a-time changes: the largest effect on the first
// metric of each kind, the larger first, and how many have none.
func (m *maker) changed() string {
	if !m.Changes {
		return ""
	}
	var largest []effect
	kinds := map[string]bool{}
	for _, c := range m.Metrics {
		kind, _, _ := strings.Cut(c.Name, "_")
		if e := m.largest(c.Name); e.at >= 0 && !kinds[kind] && (kind == "ttft" || kind == "tpot" || len(largest) == 0) {
			kinds[kind] = true
			largest = append(largest, e)
		}
	}
	if largest == nil {
		return ""
	}
	slices.SortStableFunc(largest, func(a, b effect) int { return cmp.Compare(math.Abs(b.size), math.Abs(a.size)) })
	var said []string
	for i, e := range largest[:min(len(largest), 2)] {
		path, _ := m.V.Points.String(m.V.Points.Index("oat_path"), e.at)
		level, _ := m.V.Points.String(m.V.Points.Index("oat_level"), e.at)
		verb := " depends most on "
		if i > 0 {
			verb = " on "
		}
		said = append(said, fmt.Sprintf("%s%s%s: %s changes it by %s%s", e.metric, verb, path[strings.LastIndexByte(path, '.')+1:], number.Level(level), number.Percent(e.size, 1), m.around(e.at)))
	}
	text := strings.Join(said, "; ") + "."
	if e := largest[0]; e.none > 0 {
		text += fmt.Sprintf(" %s of %s %s no effect on %s that stands out from chance.", number.Grouped(e.none), number.Plural(e.n, "change"), have(e.none), e.metric)
	}
	return text
}

// leastEffect is the smallest relative change that an answer names.
const leastEffect = 0.0005

// largest finds the largest effect on a metric.
func (m *maker) largest(metric string) effect {
	e := effect{metric: metric, at: -1}
	for _, i := range m.All {
		delta, ok := m.V.Points.Float(m.V.Points.Index(metric+"_delta_ratio"), i)
		if m.V.Value("oat_path", i) == nil || !ok || !m.Usable(i) {
			continue
		}
		e.n++
		lo, known := m.V.Points.Float(m.V.Points.Index(metric+"_delta_ci_lo"), i)
		hi, _ := m.V.Points.Float(m.V.Points.Index(metric+"_delta_ci_hi"), i)
		switch {
		case known && lo <= 0 && hi >= 0:
			e.none++
		case math.Abs(delta) >= leastEffect && math.Abs(delta) > math.Abs(e.size):
			e.size, e.at = delta, i
		}
	}
	return e
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// around names the values of the axes around a baseline.
func (m *maker) around(i int) string {
	var words []string
	for _, name := range m.V.Manifest.Outer {
		if c, ok := m.V.Column(name); ok {
			words = append(words, c.Heading()+" = "+scene.Word(m.V.Value(name, i)))
		}
	}
	if words == nil {
		return ""
	}
	return ", at " + strings.Join(words, ", ")
}

// matters is the answer of a sampled design: the parameter that the picture of
// the first metric has at its top.
func (m *maker) matters() string {
	if m.V.Manifest.Sample == nil {
		return ""
	}
	for _, p := range m.in.Plots {
		if p.Bars == nil || len(p.Bars.Rows) == 0 || len(p.Bars.Rows[0].Bars) == 0 {
			continue
		}
		metric, _, _ := strings.Cut(p.Bars.Title, ":")
		where := ""
		if _, at, ok := strings.Cut(p.Bars.Title, ", at "); ok {
			where = ", at " + at
		}
		r := p.Bars.Rows[0]
		size := r.Bars[0].Text
		if _, unit := split(p.Bars.Label); unit != "" {
			size += " " + unit
		}
		return fmt.Sprintf("%s depends most on %s (%s %s)%s.", metric, r.Name, p.Bars.Kinds[0], size, where)
	}
	return ""
}

// front is the answer of objectives: how many points are on the front, and the
// best in each.
func (m *maker) front() string {
	list := m.V.Manifest.Objectives
	var members []int
	for _, i := range m.All {
		if yes, _ := m.V.Points.Bool(m.V.Points.Index("pareto"), i); yes {
			members = append(members, i)
		}
	}
	if len(list) == 0 || len(members) == 0 {
		return ""
	}
	var ends []string
	for _, o := range list {
		c, ok := m.V.Column(o.Metric)
		if !ok {
			continue
		}
		c.Name = o.Metric
		least, most, ok := m.Spread(o.Metric, members)
		if !ok {
			continue
		}
		word, i := "lowest", least
		if o.Goal == "max" {
			word, i = "highest", most
		}
		ends = append(ends, fmt.Sprintf("%s %s %s at %s", word, o.Metric, m.Told(c, i), m.Place(i)+m.bare(i)+m.Tied(c, i, members)))
	}
	if len(list) == 1 && len(ends) == 1 {
		return "Best: " + ends[0] + "."
	}
	return fmt.Sprintf("%s of %s %s on the Pareto front: %s.", number.Grouped(len(members)), number.Plural(len(m.All), "point"), be(len(members)), strings.Join(ends, "; "))
}

// maxSaid is how many metrics a sentence names.
const maxSaid = 4

// only is the answer of one point: its metrics and what bounds it.
func (m *maker) only() string {
	if len(m.All) != 1 {
		return ""
	}
	var values []string
	for _, c := range m.Metrics[:min(len(m.Metrics), maxSaid)] {
		values = append(values, c.Name+" "+m.Told(c, 0))
	}
	text := strings.Join(values, ", ")
	if bound, ok := m.V.Points.String(m.V.Points.Index("bound"), 0); ok {
		text += "; the device waits for " + bound + " most"
	}
	if load, ok := m.V.Points.Float(m.V.Points.Index("load_ratio"), 0); ok {
		text += fmt.Sprintf("; load %.2f of capacity", load)
	}
	return text + "."
}

// loaded is the answer of a sweep of the load alone: up to where it is steady,
// and what that costs.
func (m *maker) loaded() string {
	if len(m.Axes) != 1 || !scene.Load(m.Axes[0]) || len(m.Metrics) == 0 {
		return ""
	}
	x := m.Axes[0]
	first, last := -1, -1
	for _, i := range m.All {
		if !m.Usable(i) || m.V.State(i) == view.Unjudged {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 || first == last {
		return ""
	}
	var values []string
	for _, c := range m.Metrics {
		if len(values) < maxSaid-1 && strings.HasSuffix(c.Name, "_ms") {
			values = append(values, fmt.Sprintf("%s goes from %s to %s", c.Name, m.Told(c, first), m.Told(c, last)))
		}
	}
	word := "From"
	if m.V.State(last) == view.Steady {
		word = "Steady from"
	}
	return fmt.Sprintf("%s %s = %s to %s: %s.", word, x.Heading(), scene.Word(m.V.Value(x.Name, first)), scene.Word(m.V.Value(x.Name, last)), strings.Join(values, ", "))
}

// best is the answer of any other study: the best point by the first metric that
// has a better side.
func (m *maker) best() string {
	k := slices.IndexFunc(m.Metrics, func(c table.Column) bool { return c.Better != "" })
	if k < 0 {
		return number.Plural(len(m.All), "point") + "."
	}
	c := m.Metrics[k]
	least, most, ok := m.Spread(c.Name, m.All)
	if !ok {
		return fmt.Sprintf("No point has a value of %s that may be relied on.", c.Name)
	}
	i, other := least, most
	if c.Better == "higher" {
		i, other = most, least
	}
	if m.Mean(c, i) == m.Mean(c, other) {
		return fmt.Sprintf("%s is %s at every point.", c.Name, m.Mean(c, i))
	}
	return fmt.Sprintf("%s is best with %s at %s; the worst steady point has %s.", c.Name, m.Told(c, i), m.Place(i)+m.bare(i)+m.Tied(c, i, m.All), m.Told(c, other))
}

// bare marks a point without a calibration among others that have one.
func (m *maker) bare(i int) string {
	if slices.Contains(m.V.Bare(), i) {
		return view.NotCalibrated
	}
	return ""
}

// lead splits what a reader must know into what stands at the top and the rest.
func (m *maker) lead() (first, rest []string) {
	for i, line := range m.in.Summary {
		top := i == 0
		for _, word := range []string{"SATURATED", "calibrated at", "not calibrated", "warning:"} {
			top = top || strings.HasPrefix(line, word)
		}
		top = top || strings.Contains(line, " not judged: ") || strings.Contains(line, " x "+results.Infeasible) || strings.Contains(line, " x "+results.Failed)
		if top {
			first = append(first, line)
		} else {
			rest = append(rest, line)
		}
	}
	return first, rest
}
