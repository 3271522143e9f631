// Package record knows what a study showed, in short: enough to find it again among
// thousands and to know whether to open it. It is made of the rows of the tables, as
// they are written or read back, and stands in the manifest.
package record

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results/said"
)

// States of a point.
const (
	Steady    = "steady"
	Saturated = "saturated"
	Unjudged  = "unjudged" // a closed loop or burst, or too short to tell
	ok        = "ok"
)

// Record is what a study showed.
type Record struct {
	Points   int            `json:"points"`
	States   map[string]int `json:"states"` // points by state: steady, saturated, unjudged, infeasible, failed, timeout
	Varied   []Varied       `json:"varied,omitempty"`
	Effect   *Effect        `json:"effect,omitempty"` // the largest; nil = none is shown
	Bounds   []Bound        `json:"bounds,omitempty"` // what most of the time of points goes to, the most frequent first
	Symptoms []Symptom      `json:"symptoms,omitempty"`
	Causes   []Cause        `json:"causes,omitempty"` // why points have no result, the most frequent first
	Found    *Found         `json:"found,omitempty"`  // of a study of searches

	Calibrated   int    `json:"calibrated"`               // points that an overlay of a calibration applies to
	Extrapolated int    `json:"extrapolated"`             // of these, outside of what it was measured at
	Weakest      string `json:"weakest_source,omitempty"` // weakest grade of a number that a point rests on
}

// Varied is a parameter that the points differ in.
type Varied struct {
	Column string `json:"column"`
	Path   string `json:"path"`
	Levels int    `json:"levels"` // different values; MaxLevels is that many or more
	First  string `json:"first"`  // in the order of the points
	Last   string `json:"last"`
}

// MaxLevels bounds the levels of an axis that are counted.
const MaxLevels = 1000

// Effect is by how much a metric changes with a parameter.
type Effect struct {
	Metric    string   `json:"metric"`
	Parameter string   `json:"parameter"`
	Level     string   `json:"level,omitempty"` // of a change of one at a time
	Method    string   `json:"method"`          // of the effects table, or Span
	Value     float64  `json:"value"`           // ratio of a change; of Span largest over smallest value; else the measure of the method
	Lo        *float64 `json:"lo,omitempty"`    // 95 % interval; of Span the least among the groups
	Hi        *float64 `json:"hi,omitempty"`
	N         int      `json:"n"` // pairs, groups or rows that it rests on

	Unresolved bool `json:"unresolved,omitempty"` // there is no interval that tells it from noise
}

// Span is an effect of a study without [oat] and [sample]: the largest over the
// smallest value of a metric along an axis, all other axes equal, as the geometric
// mean over the combinations of these, 1 of one in which intervals overlap. Saturated
// points are left out.
const Span = "span"

// Bound is a resource that points are bound by.
type Bound struct {
	Resource string   `json:"resource"`
	Points   int      `json:"points"`
	Share    *float64 `json:"share,omitempty"` // of their busy time that waits for it, mean, ratio; nil = not known
}

// Symptom is a latency that is high at points of one bottleneck.
type Symptom struct {
	Latency string  `json:"latency"` // TTFT or TPOT
	Bound   string  `json:"bound"`   // resource
	Metric  string  `json:"metric"`
	Limit   float64 `json:"limit"` // ms
	Points  int     `json:"points"`
	Point   int     `json:"point"` // index of the worst
	Worst   float64 `json:"worst"` // value there, ms
}

// Cause is why points have no result.
type Cause struct {
	Status string `json:"status"`
	Reason string `json:"reason"` // of the first such point; those that differ in numbers alone are one
	Points int    `json:"points"`
}

// Found is what searches found.
type Found struct {
	Over     string         `json:"over"`
	Goal     string         `json:"goal"`
	Outcomes map[string]int `json:"outcomes"`
	Min      *float64       `json:"min,omitempty"` // of the values found
	Max      *float64       `json:"max,omitempty"`
	Binding  string         `json:"binding,omitempty"` // service level that binds most often
}

// limit is the largest value of a metric of latency, ms.
type limit struct {
	word, metric string
	max          float64
}

// usual are the limits of latencies where the study has none: what interactive
// serving asks.
var usual = []limit{{"TTFT", "ttft_mean_ms", 200}, {"TPOT", "tpot_mean_ms", 15}}

// maxList bounds the bounds, symptoms and causes that are kept.
const maxList = 8

// Builder makes a record of rows as they come.
type Builder struct {
	record Record
	study  said.Study
	at     Columns // of points
	axes   []int
	levels []map[string]bool
	bounds map[string]*share
	cause  map[string]*Cause
	high   map[string]*Symptom
	span   *span
	best   *candidate     // of changes of one at a time
	found  map[string]int // binding levels

	sampled    []candidate
	parameters map[string]bool // of the sample
	floor      noise
	limits     []limit
}

type share struct {
	points int
	sum    float64
	known  int
}

// New begins the record of a study with these columns of points. text and set are
// the study and what the command line set.
func New(points []table.Column, text string, set []string) *Builder {
	b := &Builder{
		record: Record{States: map[string]int{}},
		at:     Index(points), bounds: map[string]*share{}, cause: map[string]*Cause{}, high: map[string]*Symptom{}, found: map[string]int{},
		parameters: map[string]bool{}, floor: noise{},
	}
	var paths []string
	for i, c := range points {
		if c.Path != "" {
			paths = append(paths, c.Path)
			b.axes = append(b.axes, i)
			b.levels = append(b.levels, map[string]bool{})
			b.record.Varied = append(b.record.Varied, Varied{Column: c.Name, Path: c.Path})
		}
	}
	b.study = said.Read(text, set, paths)
	b.limits = b.limited()
	b.span = newSpan(points, b.axes)
	return b
}

// Columns are the positions of columns by name, and those of axes.
type Columns struct {
	at   map[string]int
	axes []int
}

// Index returns the positions of columns.
func Index(cols []table.Column) Columns {
	c := Columns{at: map[string]int{}}
	for i, col := range cols {
		if c.at[col.Name] = i; col.Path != "" {
			c.axes = append(c.axes, i)
		}
	}
	return c
}

// cell is a cell of a row; nil for a column that the table has not.
func (c Columns) cell(row table.Row, name string) any {
	if i, ok := c.at[name]; ok {
		return row[i]
	}
	return nil
}

func (b *Builder) cell(row table.Row, name string) any { return b.at.cell(row, name) }

// finite is a cell as a number; false for NULL, which in a row that is being written
// may be NaN.
func finite(v any) (float64, bool) {
	x, is := v.(float64)
	return x, is && !math.IsNaN(x) && !math.IsInf(x, 0)
}

func (b *Builder) text(row table.Row, name string) string {
	s, _ := b.cell(row, name).(string)
	return s
}

// State says what a point is: steady, saturated, unjudged, or its status if that is
// not ok.
func State(status string, steady any) string {
	is, known := steady.(bool)
	switch {
	case status != ok:
		return status
	case !known:
		return Unjudged
	case is:
		return Steady
	}
	return Saturated
}

// Row takes a row of points of which nothing else is known.
func (b *Builder) Row(row table.Row) {
	waits, known := finite(b.cell(row, Waits(b.text(row, "bound"))+"_mean"))
	if !known {
		waits = math.NaN()
	}
	b.Point(row, waits)
}

// Point takes a row of points. waits is the share of busy time that waits for what
// bounds it, NaN where that is not known. Values that searches tried count in the
// states, bounds and causes alone.
func (b *Builder) Point(row table.Row, waits float64) {
	r := &b.record
	r.Points++
	state := State(b.text(row, "status"), b.cell(row, "steady"))
	r.States[state]++
	for i, col := range b.axes {
		b.level(i, table.Text(row[col]))
	}
	if is, _ := b.cell(row, "calibrated").(bool); is {
		r.Calibrated++
	}
	if is, _ := b.cell(row, "extrapolated").(bool); is {
		r.Extrapolated++
	}
	if g := b.text(row, "weakest_source"); grade(g) > grade(r.Weakest) {
		r.Weakest = strings.Clone(g)
	}
	if state != Steady && state != Unjudged && state != Saturated {
		b.addCause(state, b.text(row, "error"))
		return
	}
	b.addBound(b.text(row, "bound"), waits)
	if state == Saturated || b.text(row, "search_id") != "" {
		return
	}
	b.addSymptoms(row)
	b.span.add(row)
}

// grades of numbers, the weakest last.
var grades = []string{"", "published", "calibrated", "derived", "assumed"}

func grade(g string) int { return slices.Index(grades, g) }

func (b *Builder) level(i int, value string) {
	v := &b.record.Varied[i]
	if v.Levels < MaxLevels && !b.levels[i][value] {
		if v.Levels == 0 {
			v.First = value
		}
		b.levels[i][strings.Clone(value)] = true
		v.Last = value
		v.Levels++
	}
}

func (b *Builder) addBound(resource string, waits float64) {
	if resource == "" {
		return
	}
	s := b.bounds[resource]
	if s == nil {
		s = &share{}
		b.bounds[strings.Clone(resource)] = s
	}
	s.points++
	if !math.IsNaN(waits) {
		s.sum += waits
		s.known++
	}
}

var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// maxCauses bounds the different reasons that are counted, each by itself.
const maxCauses = 100

func (b *Builder) addCause(status, reason string) {
	key := status + ": " + digits.ReplaceAllString(reason, "0")
	c := b.cause[key]
	if c == nil {
		if len(b.cause) >= maxCauses {
			key, reason = status, "other reasons"
		}
		if c = b.cause[key]; c == nil {
			c = &Cause{Status: status, Reason: strings.ToValidUTF8(strings.Clone(reason[:min(len(reason), 400)]), "")}
			b.cause[key] = c
		}
	}
	c.Points++
}

// addSymptoms notes latencies above what the study, or else interactive serving,
// allows, with what bounds the point: of TPOT, its steps without prompts.
func (b *Builder) addSymptoms(row table.Row) {
	index, _ := b.cell(row, "point_index").(int64)
	for _, l := range b.limits {
		v, known := finite(b.cell(row, l.metric+"_mean"))
		bound := b.text(row, "bound")
		if d := b.text(row, "decode_bound"); l.word == "TPOT" && d != "" {
			bound = d
		}
		if !known || v <= l.max || bound == "" {
			continue
		}
		key := l.metric + " " + bound
		s := b.high[key]
		if s == nil {
			s = &Symptom{Latency: l.word, Bound: strings.Clone(bound), Metric: l.metric, Limit: l.max}
			b.high[key] = s
		}
		if s.Points++; v > s.Worst {
			s.Worst, s.Point = v, int(index)
		}
	}
}

// limited are the limits of latencies in [slo], and the usual one of a latency that
// has none there.
func (b *Builder) limited() (out []limit) {
	for _, u := range usual {
		family, _, _ := strings.Cut(u.metric, "_")
		n := len(out)
		for _, m := range slices.Sorted(maps.Keys(b.study.Max)) {
			if _, has := b.at.at[m+"_mean"]; has && strings.HasPrefix(m, family+"_") {
				out = append(out, limit{u.word, m, b.study.Max[m]})
			}
		}
		if len(out) == n {
			out = append(out, u)
		}
	}
	return out
}

// Search takes a row of searches with its columns.
func (b *Builder) Search(cols Columns, row table.Row) {
	get := func(name string) any { return cols.cell(row, name) }
	word := func(name string) string {
		s, _ := get(name).(string)
		return s
	}
	f := b.record.Found
	if f == nil {
		f = &Found{Over: word("over"), Goal: word("goal"), Outcomes: map[string]int{}}
		b.record.Found = f
	}
	f.Outcomes[word("outcome")]++
	if v, is := finite(get("value")); is {
		if f.Min == nil || v < *f.Min {
			f.Min = &v
		}
		if f.Max == nil || v > *f.Max {
			f.Max = &v
		}
	}
	if binding := word("binding_slo"); binding != "" {
		b.found[binding]++
	}
}

// Waits is the metric that is the share of busy time bound by a resource.
func Waits(resource string) string { return "wait_" + resource + "_ratio" }

// Points returns write with each row shown to the record first. waits gives the
// share of busy time of the current point that waits for a resource.
func (b *Builder) Points(write func(table.Row) error, waits func(resource string) float64) func(table.Row) error {
	return func(row table.Row) error {
		b.Point(row, waits(b.text(row, "bound")))
		return write(row)
	}
}

// Effects returns write with each row shown to the record first.
func (b *Builder) Effects(cols []table.Column, write func(table.Row) error) func(table.Row) error {
	at := Index(cols)
	return func(row table.Row) error {
		b.Effect(at, row)
		return write(row)
	}
}

// Searches returns write with each row shown to the record first.
func (b *Builder) Searches(cols []table.Column, write func(table.Row) error) func(table.Row) error {
	at := Index(cols)
	return func(row table.Row) error {
		b.Search(at, row)
		return write(row)
	}
}

// Record returns the record of what came.
func (b *Builder) Record() *Record {
	r := b.record
	for name, s := range b.bounds {
		x := Bound{Resource: name, Points: s.points}
		if s.known > 0 {
			mean := s.sum / float64(s.known)
			x.Share = &mean
		}
		r.Bounds = append(r.Bounds, x)
	}
	slices.SortFunc(r.Bounds, func(a, b Bound) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Resource, b.Resource))
	})
	for _, s := range b.high {
		r.Symptoms = append(r.Symptoms, *s)
	}
	slices.SortFunc(r.Symptoms, func(a, b Symptom) int {
		return cmp.Or(cmp.Compare(b.Latency, a.Latency), cmp.Compare(b.Points, a.Points), cmp.Compare(a.Bound, b.Bound), cmp.Compare(a.Metric, b.Metric))
	})
	for _, c := range b.cause {
		r.Causes = append(r.Causes, *c)
	}
	slices.SortFunc(r.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason))
	})
	r.Bounds, r.Symptoms, r.Causes = cut(r.Bounds), cut(r.Symptoms), cut(r.Causes)
	if r.Effect = b.main(); r.Effect == nil {
		r.Effect = b.span.effect()
	}
	if f := r.Found; f != nil {
		for _, name := range slices.Sorted(maps.Keys(b.found)) {
			if b.found[name] > b.found[f.Binding] {
				f.Binding = name
			}
		}
	}
	return &r
}

func cut[T any](list []T) []T { return list[:min(len(list), maxList)] }
