// Package diff compares the results of two sweeps: which inputs differ, what
// changed at the designs that both have, which of them changed rank or left the
// front, and which designs only one has. It simulates nothing.
package diff

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"scoville/core/metrics"
	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/results"
	"scoville/sweep/statistic"
	"scoville/sweep/study/ask"
)

// Options is what is compared.
type Options struct {
	A, B    string   // folders of results: before and after
	Metrics []string // names or patterns such as "ttft_*"; nil = the objectives and the usual ones
	By      string   // metric that ranks the designs; "" = the only objective, else the first metric
}

// Report is what differs. Numbers that are not known are null.
type Report struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Inputs  []Input  `json:"inputs"` // that differ
	Metrics []string `json:"metrics"`
	Units   []string `json:"units"`
	Rows    []Row    `json:"rows"` // designs that both have, in the order of A
	Geomean []Change `json:"geomean"`
	Found   []Found  `json:"searches"` // of two folders of searches, in the order of A

	By     string  `json:"by"`     // metric of Moved; "" = none
	Goal   string  `json:"goal"`   // "min" or "max" of By ranks first
	Moved  []Moved `json:"moved"`  // designs whose rank changed, the largest change first
	Ranked int     `json:"ranked"` // designs that have a rank in both
	Left   []Row   `json:"left_front"`
	Joined []Row   `json:"joined_front"`

	OnlyA []Row    `json:"only_a"` // designs
	OnlyB []Row    `json:"only_b"`
	AxesA []string `json:"axes_only_a"` // paths
	AxesB []string `json:"axes_only_b"`
	Notes []string `json:"notes"`
}

// Row is a design.
type Row struct {
	Place   []string `json:"place"`   // "axis = value"
	PointsA []int    `json:"point_a"` // several where an axis is averaged over
	PointsB []int    `json:"point_b"`
	Changes []Change `json:"changes,omitempty"` // by metric
}

// Change is a metric in both.
type Change struct {
	A      *float64 `json:"a"` // mean
	B      *float64 `json:"b"`
	Ratio  *float64 `json:"change"` // B against A, relative
	Lo     *float64 `json:"ci_lo"`
	Hi     *float64 `json:"ci_hi"`
	N      int      `json:"n"`
	Paired bool     `json:"paired"` // by runs that met the same requests
	Same   bool     `json:"same"`   // every pair is equal to the bit
	Word   string   `json:"word"`   // why there is no change: "infeasible in B", "saturated in A"
}

// Moved is a design with another rank.
type Moved struct {
	Row  Row `json:"design"`
	From int `json:"rank_a"`
	To   int `json:"rank_b"`
}

// usual are the metrics shown beside the objectives.
var usual = []string{"ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms", "output_tok_s"}

// Run compares two folders of results. Errors are *again.InputError or
// results.ErrForeign.
func Run(o Options) (*Report, error) {
	a, err := read(o.A)
	if err != nil {
		return nil, err
	}
	b, err := read(o.B)
	if err != nil {
		return nil, err
	}
	r := &Report{ // JSON [] rather than null
		A: o.A, B: o.B, Inputs: append([]Input{}, inputs(a.data, b.data)...),
		Rows: []Row{}, Geomean: []Change{}, Found: []Found{}, Moved: []Moved{}, Left: []Row{}, Joined: []Row{}, OnlyA: []Row{}, OnlyB: []Row{},
	}
	if r.Metrics, err = chosen(o, a, b); err != nil {
		return nil, again.Input(err)
	}
	for _, m := range r.Metrics {
		i, _ := metrics.Index(m)
		r.Units = append(r.Units, metrics.Columns()[i].Unit)
	}
	if r.By, r.Goal, err = by(o, r.Metrics, a, b); err != nil {
		return nil, again.Input(err)
	}
	names := r.Metrics
	if r.By != "" && !slices.Contains(names, r.By) {
		names = append(slices.Clone(names), r.By)
	}
	for _, s := range []*side{a, b} {
		if err := s.load(names); err != nil {
			return nil, again.Input(err)
		}
	}
	if err := searched(a, b); err != nil {
		return nil, again.Input(err)
	}
	m := match(a, b)
	r.AxesA, r.AxesB, r.Notes = append([]string{}, m.onlyA...), append([]string{}, m.onlyB...), append([]string{}, m.notes...)
	if a.over != "" {
		r.By = ""
		r.values(m)
		return r, nil
	}
	r.compare(m, names)
	return r, nil
}

// chosen returns the metrics to show, in column order after the objectives.
func chosen(o Options, a, b *side) ([]string, error) {
	has := func(name string) bool {
		_, ok := metrics.Index(name)
		return ok
	}
	if o.Metrics == nil {
		var out []string
		add := func(name string) {
			if has(name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		for _, x := range slices.Concat(a.data.Manifest.Objectives, b.data.Manifest.Objectives) {
			add(x.Metric)
		}
		for _, name := range usual {
			add(name)
		}
		return out[:min(len(out), 6)], nil
	}
	var out []string
	for _, glob := range o.Metrics {
		found := false
		for _, c := range metrics.Columns() {
			if ok, err := path.Match(glob, c.Name); err != nil {
				return nil, fmt.Errorf("--metric %s: not a pattern; use * and ?", glob)
			} else if ok && !slices.Contains(out, c.Name) {
				out = append(out, c.Name)
			} else if !ok {
				continue
			}
			found = true
		}
		if !found {
			return nil, fmt.Errorf("--metric %s: no such metric: %s", glob, ask.NearestMetric(glob))
		}
	}
	return out, nil
}

// by is the metric that ranks, and what of it ranks first: what both studies ask
// for as an objective, else what is usually better.
func by(o Options, shown []string, a, b *side) (name, goal string, err error) {
	name = o.By
	if name == "" {
		name = shown[0]
		if x, y := a.data.Manifest.Objectives, b.data.Manifest.Objectives; len(x) == 1 && slices.Equal(x, y) {
			name = x[0].Metric
		}
	}
	i, ok := metrics.Index(name)
	if !ok {
		if o.By != "" {
			err = fmt.Errorf("--by %s: no such metric: %s", name, ask.NearestMetric(name))
		}
		return "", "", err
	}
	x, y := a.goal(name), b.goal(name)
	switch usual := map[string]string{"lower": "min", "higher": "max"}[metrics.Columns()[i].Better]; {
	case x != "" && y != "" && x != y && o.By == "": // no order is that of both
	case x != "" && y != "" && x != y:
		err = fmt.Errorf("%s: the objective of %s is its %s, of %s its %s; rank by another metric with --by", name, o.A, x, o.B, y)
	case x+y != "":
		return name, cmp.Or(x, y), nil
	case usual == "" && o.By != "":
		err = fmt.Errorf("--by %s: neither more nor less of it is better", name)
	case usual != "":
		return name, usual, nil
	}
	return "", "", err
}

// goal is that of the objective of a metric; "" if it is none.
func (s *side) goal(metric string) string {
	for _, o := range s.data.Manifest.Objectives {
		if o.Metric == metric {
			return o.Goal
		}
	}
	return ""
}

// side is one of the two folders.
type side struct {
	data   *results.Dataset
	points []*point // designs; of a folder of searches what is searched at
	over   string   // what is searched for, such as "largest workload.rate_rps"; "" = nothing
}

// point is a design of a folder.
type point struct {
	index  int
	cells  map[string]string // by path of the axis
	oat    string            // what is changed one at a time, and its level
	status string            // of the first run that is not ok, else ok
	steady statistic.Tally
	member *bool
	runs   []run
	found  *Answer // of a search
}

// run is one ok run.
type run struct {
	key    string // seed and replicate: equal keys met equal draws
	values []float64
}

// grows reports whether the queue of the point does.
func (p *point) grows() bool {
	most := p.steady.Most()
	return most != nil && !*most
}

func read(dir string) (*side, error) {
	d, err := again.Open(dir, func(all []string) []string { return all[:min(1, len(all))] })
	if err != nil {
		return nil, err
	}
	return &side{data: d}, nil
}

// load reads the points and the metrics of their runs. Probes of a search are
// left out: their values are chosen, not designed.
func (s *side) load(names []string) error {
	if f, err := s.data.Searches(); err != nil || f != nil {
		s.answers(f)
		return err
	}
	axes := s.data.Axes()
	own := func(c table.Column) bool {
		return slices.Contains(names, c.Name) || c.Path != ""
	}
	f, err := s.data.RunsFor(own)
	if err != nil {
		return err
	}
	columns := make([]int, len(names))
	for i, name := range names {
		columns[i] = f.Index(name)
	}
	var last *point
	for i := range f.Len() {
		if _, probe := f.String(f.Index("search_id"), i); probe {
			continue
		}
		index, _ := f.Int(f.Index("point_index"), i)
		if last == nil || last.index != int(index) {
			last = &point{index: int(index), cells: map[string]string{}, status: results.OK}
			row := f.Row(i)
			for _, c := range axes {
				last.cells[c.Path] = word(row[f.Index(c.Name)])
			}
			if path, ok := f.String(f.Index("oat_path"), i); ok {
				level, _ := f.String(f.Index("oat_level"), i)
				last.oat = path + " " + level
			}
			s.points = append(s.points, last)
		}
		status, _ := f.String(f.Index("status"), i)
		if status != results.OK {
			if last.status == results.OK {
				last.status = status
			}
			continue
		}
		steady, judged := f.Bool(f.Index("steady"), i)
		last.steady.Add(map[bool]*bool{true: &steady}[judged])
		seed, _ := f.String(f.Index("seed_hex"), i)
		replicate, _ := f.Int(f.Index("replicate"), i)
		r := run{key: seed + "/" + strconv.FormatInt(replicate, 10)}
		for _, c := range columns {
			x, ok := 0.0, false
			if c >= 0 {
				x, ok = f.Float(c, i)
			}
			if !ok {
				x = math.NaN()
			}
			r.values = append(r.values, x)
		}
		last.runs = append(last.runs, r)
	}
	s.members()
	return nil
}

// members notes which points are on the front.
func (s *side) members() {
	byIndex := map[int]*point{}
	for _, p := range s.points {
		byIndex[p.index] = p
	}
	f := s.data.Points
	for i := range f.Len() {
		index, _ := f.Int(f.Index("point_index"), i)
		if is, ok := f.Bool(f.Index("pareto"), i); ok && byIndex[int(index)] != nil {
			byIndex[int(index)].member = &is
		}
	}
}

// word writes the value of an axis so that equal values are equal words,
// whatever their type.
func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}

// names sorts the paths of a set.
func names(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// short is the last segment of a path that tells something.
func short(path string) string {
	path = strings.TrimSuffix(path, ".name")
	return path[strings.LastIndexByte(path, '.')+1:]
}

// sortMoved puts the largest change of rank first.
func sortMoved(moved []Moved) {
	abs := func(m Moved) int { return max(m.From-m.To, m.To-m.From) }
	slices.SortStableFunc(moved, func(a, b Moved) int { return cmp.Or(abs(b)-abs(a), min(a.From, a.To)-min(b.From, b.To)) })
}
