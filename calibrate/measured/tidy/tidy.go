// Package tidy reads tables whose header names scenario keys, or what published
// tables call them, and metrics with their units: one run a row. Every form
// that becomes such a table is read here in the end.
package tidy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/scenario"
)

// Read reads a file of comma-separated values into f.
func Read(src *row.Source, f *row.File) error {
	s, err := src.Sheet()
	if err != nil {
		return err
	}
	return Table(s, src.Options, f)
}

// Table reads a table into f. The columns of the options stand before what the
// header says.
func Table(s *row.Sheet, opt row.Options, f *row.File) error {
	means, err := meanings(s, opt, f)
	if err != nil {
		return err
	}
	for i := range s.Records {
		r := reader{Observation: row.New(s, i), sheet: s, record: i}
		if err := r.read(means); err != nil {
			return err
		}
		f.Rows = append(f.Rows, r.Observation)
	}
	plausible(f)
	return nil
}

// reader reads one row.
type reader struct {
	row.Observation
	sheet  *row.Sheet
	record int
}

// meanings reads the header: one meaning per column, nil for ignored ones.
func meanings(s *row.Sheet, opt row.Options, f *row.File) ([]*row.Meaning, error) {
	means := make([]*row.Meaning, len(s.Header))
	for path, name := range opt.Columns {
		c := s.Index(name)
		if c < 0 {
			return nil, s.HeadError(0, "", "no column %q, which %s is said to be in", name, path)
		}
		if m, ok, _ := row.MetricOf(path); ok {
			means[c] = &m
		} else {
			means[c] = &row.Meaning{Path: row.Path(path)}
		}
	}
	taken := map[string]string{}
	metrics := 0
	for c, name := range s.Header {
		if means[c] == nil && name != "" {
			var err error
			if means[c], err = s.MeaningOf(c, opt.Unit); err != nil {
				return nil, err
			}
		}
		m := means[c]
		if m == nil {
			if name != "" && name != "id" {
				f.Ignored = append(f.Ignored, name)
			}
			continue
		}
		what := m.Path + m.Metric
		if other := taken[what]; other != "" && what != "" {
			return nil, s.HeadError(c, "", "columns %q and %q are both %s", other, name, what)
		}
		taken[what] = name
		if m.Metric != "" {
			metrics++
		}
		f.Mapping = append(f.Mapping, row.Mapping{Column: name, Meaning: m.String()})
	}
	if metrics == 0 {
		return nil, s.HeadError(0, "name one such as ttft_mean_ms or tpot_p50_ms", "no column holds a latency")
	}
	return means, nil
}

func (o *reader) read(means []*row.Meaning) error {
	cells := o.sheet.Records[o.record].Cells
	at := map[string]int{"model.name": -1, "model.weight_dtype": -1}
	for c, m := range means {
		if m == nil || cells[c] == "" {
			continue
		}
		if _, ok := at[m.Path]; ok {
			at[m.Path] = c
		}
	}
	cell := func(path string) string {
		if at[path] < 0 {
			return ""
		}
		return cells[at[path]]
	}
	if _, err := o.SetModel(cell("model.name"), cell("model.weight_dtype"), at["model.name"], at["model.weight_dtype"]); err != nil {
		return err
	}
	for c, m := range means {
		if m == nil || cells[c] == "" {
			continue
		}
		if _, done := at[m.Path]; done {
			continue
		}
		switch {
		case m.Source:
			o.Source = cells[c]
		case m.Metric != "":
			ms, err := o.sheet.Latency(o.record, c, m.Factor)
			if err != nil {
				return err
			}
			o.Measure(m.Metric, ms, c, m.Unsaid)
		default:
			if err := o.assign(m.Path, c); err != nil {
				return err
			}
		}
	}
	if err := o.complete(); err != nil {
		return err
	}
	o.consistent()
	return nil
}

// assign converts a cell to the type the schema says.
func (o *reader) assign(path string, c int) error {
	text := o.sheet.Records[o.record].Cells[c]
	field, ok := scenario.Lookup(path)
	if !ok {
		return o.sheet.HeadError(c, "", "no parameter %q", path)
	}
	var v any = text
	switch field.Kind {
	case scenario.Float, scenario.Int:
		if path == row.RatePath && strings.EqualFold(text, "inf") {
			return nil // no open-loop rate: concurrency is the load
		}
		x, err := o.sheet.Number(o.record, c)
		if err != nil {
			return err
		}
		v = x
		if field.Kind == scenario.Int && x == math.Trunc(x) && math.Abs(x) < 1e15 {
			v = int(x)
		}
	case scenario.Bool:
		v = strings.EqualFold(text, "true") || text == "1"
		if v == false && !strings.EqualFold(text, "false") && text != "0" {
			return o.sheet.CellError(o.record, c, "write true or false", "%q is not a truth value", row.Shorten(text))
		}
	default:
		v = row.Canonical(path, text)
	}
	if _, err := scenario.Convert(path, v); err != nil {
		return o.FieldError(err, c)
	}
	o.Set(path, v, c)
	return nil
}

// openRequests is the length of an open-loop run that does not say it.
const openRequests = 1000

// complete adds the load model that follows from the columns.
func (o *reader) complete() error {
	if len(o.Targets) == 0 {
		o.Drop("no measured value")
	}
	conc, _ := o.Value(row.ConcurrencyPath).(int)
	rate, open := o.Value(row.RatePath).(float64)
	switch {
	case open && conc > 0 && o.Value("workload.arrival") != "closed":
		o.Drop("a rate under a cap on concurrency is neither an open nor a closed loop: %g per second, at most %d in flight", rate, conc)
		return nil
	case open && o.Value("workload.arrival") == nil:
		o.Set("workload.arrival", "poisson", -1)
	case conc < 1 && !open && o.Value("workload.arrival") == nil:
		return o.Errorf("", "add a column concurrency or request_rate", "the load is not said: neither requests in flight nor a rate")
	}
	for _, path := range []string{row.PromptPath, row.OutputPath} {
		if o.Value(path) == nil {
			short := strings.Replace(path, "class."+row.ClassName+".", "", 1)
			return o.Errorf("", "add a column "+strings.TrimPrefix(short, "workload."), "%s is not said", short)
		}
	}
	if o.Value("workload.requests") != nil {
		return nil
	}
	if arrival := o.Value("workload.arrival"); arrival != nil && arrival != "closed" && arrival != "trace" && o.Value("workload.duration_s") == nil {
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d", openRequests))
		o.Set("workload.requests", openRequests, -1)
	}
	if conc > 0 && !open && o.Value("measurement.prompts_per_concurrency") == nil {
		o.Set("measurement.prompts_per_concurrency", row.PromptsPerConcurrency, -1)
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d per unit of concurrency", row.PromptsPerConcurrency))
	}
	return nil
}

// consistent drops a row whose latencies contradict each other.
func (o *reader) consistent() {
	ms := map[string]float64{}
	for _, t := range o.Targets {
		ms[t.Metric] = t.Value
	}
	for _, pair := range [][2]string{
		{"ttft_p50_ms", "ttft_p99_ms"},
		{"tpot_p50_ms", "tpot_p99_ms"},
		{"itl_p50_ms", "itl_p99_ms"},
		{"e2e_p50_ms", "e2e_p99_ms"},
		{"ttft_mean_ms", "e2e_mean_ms"},
		{"ttft_p50_ms", "e2e_p50_ms"},
	} {
		lo, okLo := ms[pair[0]]
		hi, okHi := ms[pair[1]]
		if okLo && okHi && lo > hi {
			o.Drop("%s %g above %s %g", pair[0], lo, pair[1], hi)
		}
	}
}

// plausible notes columns whose values suggest another unit than their name.
func plausible(f *row.File) {
	columns := map[string][]float64{}
	for i := range f.Rows {
		for _, t := range f.Rows[i].Targets {
			columns[t.Metric] = append(columns[t.Metric], t.Value)
		}
	}
	for _, m := range f.Mapping {
		metric, _, _ := strings.Cut(m.Meaning, " ")
		values := columns[metric]
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		median := values[len(values)/2]
		family, _, _ := strings.Cut(metric, "_")
		if family == "ttft" && median < 1 || family == "tpot" && median > 1000 || family == "tpot" && median < 0.1 {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: the median is %.3g ms; is the unit right?", m.Column, median))
		}
	}
}
