// Package impact finds out which parameters of a sampled design matter, for
// each metric: it gathers the points of the design, and then gives the rows of
// the table of effects and the sentences on how far they can be trusted. It
// knows no file.
package impact

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"scoville/core/table"
	"scoville/sweep/sample"
	"scoville/sweep/sensitivity"
)

// Methods of the rows, as the column method has them.
const (
	First    = "sobol_first"
	Total    = "sobol_total"
	MuStar   = "morris_mu_star"
	Mu       = "morris_mu"
	Sigma    = "morris_sigma"
	SRC      = "src"
	Rank     = "rank_correlation"
	RSquared = "r2"
)

// Row is an effect of one parameter on one metric.
type Row struct {
	Metric    string
	Parameter string // path, sample.DummyName; "" = of all together
	Method    string
	Unit      string // of the estimate
	Estimate  sensitivity.Estimate
	N         int   // blocks, trajectories or rows of the design that it rests on
	Outer     []any // values of the axes around the design
}

// rounding is the largest share that sums of equal numbers leave, tiny what
// rounding single runs to seven digits may.
const rounding, tiny = 1e-9, 1e-6

// Judgement is what must be said of the effects on one metric.
type Judgement struct {
	Metric string   `json:"metric"`
	Outer  []string `json:"outer,omitempty"` // values of the axes around the design
	Noise  float64  `json:"noise,omitempty"` // scatter between replicates as a share of the metric's variance; 0 = none or not known
	Lines  []string `json:"lines"`

	// Floors say by parameter how large a total index or mu* the scatter between
	// replicates makes; parameters without any are left out.
	Floors map[string]float64 `json:"floors,omitempty"`
}

// Effects gathers the points of a design. A nil one takes points and has no
// effects.
type Effects struct {
	record  *sample.Record
	metrics []table.Column
	values  [][]float64           // means by metric and point, NaN without one
	runs    [][][]float32         // values by metric, point and replicate; nil = none, or too many to keep
	kept    int                   // of them
	noise   [][]sensitivity.Noise // by combination and metric
	outer   [][]any               // by combination
	home    map[int]int           // combination of a point; nil = in order
}

// New takes the design, nil without one, and the metrics in the order of
// Point.Runs.
func New(record *sample.Record, metrics []table.Column) *Effects {
	if record == nil {
		return nil
	}
	e := &Effects{record: record, metrics: metrics, values: make([][]float64, len(metrics)), runs: make([][][]float32, len(metrics))}
	if record.Rows != nil {
		e.home = map[int]int{}
		for c, rows := range record.Rows {
			for _, index := range rows {
				if _, taken := e.home[int(index)]; !taken { // by an equal one of another combination
					e.home[int(index)] = c
				}
			}
		}
	}
	e.outer = make([][]any, record.Combinations)
	for range record.Combinations {
		e.noise = append(e.noise, make([]sensitivity.Noise, len(metrics)))
	}
	return e
}

// Point is a point of the design.
type Point struct {
	Index    int
	Outer    []any // values of the axes around the design
	Compared bool  // it is ok and not known to be saturated: else it has no values
	Runs     func(metric int) []float64
}

// Add takes a point.
func (e *Effects) Add(p Point) {
	if e == nil {
		return
	}
	c := p.Index / e.record.Design.Rows()
	if e.home != nil {
		var member bool
		if c, member = e.home[p.Index]; !member {
			return
		}
	}
	if c >= len(e.outer) {
		return
	}
	if e.outer[c] == nil {
		e.outer[c] = append([]any{}, p.Outer...)
	}
	for m := range e.metrics {
		for len(e.values[m]) <= p.Index {
			e.values[m], e.runs[m] = append(e.values[m], math.NaN()), append(e.runs[m], nil)
		}
		if !p.Compared {
			continue
		}
		runs := p.Runs(m)
		e.noise[c][m].Add(runs)
		e.values[m][p.Index] = mean(runs)
		e.keep(m, p.Index, runs)
	}
}

// maxKept bounds the values of single runs that are kept: 200 MB.
const maxKept = 50_000_000

// keep keeps the replicates of a point for the noise between its neighbours.
func (e *Effects) keep(m, point int, runs []float64) {
	if e.record.Block() == 1 || len(runs) < 2 || e.kept > maxKept {
		return
	}
	values := make([]float32, len(runs))
	for i, v := range runs {
		values[i] = float32(v)
	}
	e.runs[m][point] = values
	e.kept += len(values)
}

// mean of the runs that have a value; NaN of none.
func mean(runs []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range runs {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// Rows hands out the effects, by combination, then by metric, and returns what
// must be said of them; nothing where no point came.
func (e *Effects) Rows(add func(Row) error) ([]Judgement, error) {
	if e == nil || !slices.ContainsFunc(e.values, func(v []float64) bool { return len(v) > 0 }) {
		return nil, nil
	}
	var out []Judgement
	d := &e.record.Design
	coordinates, ordered := e.coordinates()
	for c := range e.outer {
		for m, metric := range e.metrics {
			y := e.output(c, m)
			j := sensitivity.Judge{N: d.N, Factors: d.Names(), Dummy: -1, Noise: e.noise[c][m].Share()}
			if d.Dummy {
				j.Dummy = d.Width() - 1
			}
			t := part{e: e, c: c, m: m, metric: metric, judge: j, unordered: !ordered}
			lines, floors, err := t.rows(coordinates, y, add)
			if err != nil {
				return nil, err
			}
			judged := Judgement{Metric: metric.Name, Lines: lines, Floors: e.named(floors)}
			if j.Noise > rounding {
				judged.Noise = j.Noise
			}
			for _, v := range e.outer[c] {
				judged.Outer = append(judged.Outer, fmt.Sprint(v))
			}
			out = append(out, judged)
		}
	}
	return out, nil
}

// named keeps the floors above what rounding of single runs gives, by
// parameter.
func (e *Effects) named(floors []float64) map[string]float64 {
	out := map[string]float64{}
	for i, name := range e.record.Names() {
		if i < len(floors) && floors[i] > tiny {
			out[name] = floors[i]
		}
	}
	return out
}

// output is a metric at the rows of a combination.
func (e *Effects) output(c, m int) []float64 {
	y := make([]float64, e.record.Design.Rows())
	for i := range y {
		y[i] = math.NaN()
		if index, ok := e.record.Point(c, i); ok && index < len(e.values[m]) {
			y[i] = e.values[m][index]
		}
	}
	return y
}

// coordinates are where the rows of the design stand: for Morris between 0 and 1
// of each range, for a regression as numbers that the output may be a plane of.
// Ordered is false if a parameter has levels without an order.
func (e *Effects) coordinates() (rows [][]float64, ordered bool) {
	d := &e.record.Design
	if ordered = true; d.Method == sample.Saltelli {
		return nil, ordered
	}
	for i := range d.Dims {
		ordered = ordered && !math.IsNaN(number(&d.Dims[i], 0.5))
	}
	for i := range d.Rows() {
		x := d.Unit(i)
		for j := range d.Dims {
			dim := &d.Dims[j]
			switch {
			case d.Method != sample.Morris:
				if x[j] = number(dim, x[j]); math.IsNaN(x[j]) {
					x[j] = 0 // it does not vary, and has no estimate
				}
			case dim.Bins() != 1:
				x[j] = dim.Position(x[j])
			}
		}
		rows = append(rows, x)
	}
	return rows, ordered
}

// number is the value at a coordinate as a regression takes it: the logarithm
// of what is spread over one. Two levels are 0 and 1; more without an order
// are NaN.
func number(d *sample.Dim, u float64) float64 {
	switch {
	case d.Kind == sample.Levels && len(d.Values) == 2:
		return float64(d.Bin(u))
	case d.Kind == sample.Levels:
		for _, v := range d.Values {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				return math.NaN()
			}
		}
		v, _ := strconv.ParseFloat(d.Values[d.Bin(u)], 64)
		return v
	case d.Log, d.Kind == sample.LogNormal:
		return math.Log(d.Number(u))
	}
	return d.Number(u)
}

// part makes the rows of one metric at one combination.
type part struct {
	e         *Effects
	c, m      int
	metric    table.Column
	judge     sensitivity.Judge
	unordered bool
}

// replicates are the values of a row of the design.
func (t part) replicates(row int) []float32 {
	if index, ok := t.e.record.Point(t.c, row); ok && index < len(t.e.runs[t.m]) {
		return t.e.runs[t.m][index]
	}
	return nil
}

// rows returns the sentences and, by parameter, what noise alone would show.
func (t part) rows(x [][]float64, y []float64, add func(Row) error) (lines []string, floors []float64, err error) {
	d := &t.e.record.Design
	stream := sensitivity.Stream(d.Seed)
	switch d.Method {
	case sample.Saltelli:
		v := sensitivity.Sobol(y, d.Width(), stream)
		err = t.add(add, v.Blocks, []measure{{First, "ratio", v.First}, {Total, "ratio", v.Total}})
		return t.judge.Variance(v), sensitivity.TotalFloor(t.replicates, d.N, d.Width(), v.Variance), err
	case sample.Morris:
		s := sensitivity.Morris(x, y, stream)
		unit := t.metric.Unit
		err = t.add(add, s.Trajectories, []measure{{MuStar, unit, s.MuStar}, {Mu, unit, s.Mu}, {Sigma, unit, s.Sigma}})
		floors = sensitivity.StepFloor(t.replicates, x)
		for i := range floors {
			if floors[i] < tiny*s.MuStar[i].Value {
				floors[i] = 0
			}
		}
		return t.judge.Screening(s), floors, err
	}
	f := sensitivity.Regress(x, y, stream)
	lines = t.judge.Fit(f)
	if t.unordered {
		lines = append(lines, "parameters with more than two levels that are no numbers have no order, and no correlation: method = \"saltelli\" judges them")
	}
	if err := t.add(add, f.Rows, []measure{{Rank, "ratio", f.Rank}, {SRC, "ratio", f.Standardised}}); err != nil {
		return nil, nil, err
	}
	return lines, nil, add(t.row("", RSquared, "ratio", f.R2, f.Rows))
}

// measure are the estimates of one method.
type measure struct {
	method, unit string
	estimates    []sensitivity.Estimate
}

func (t part) add(add func(Row) error, n int, measures []measure) error {
	for i, name := range t.e.record.Names() {
		for _, m := range measures {
			if err := add(t.row(name, m.method, m.unit, m.estimates[i], n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t part) row(parameter, method, unit string, e sensitivity.Estimate, n int) Row {
	return Row{Metric: t.metric.Name, Parameter: parameter, Method: method, Unit: unit, Estimate: e, N: n, Outer: t.e.outer[t.c]}
}
