package measured

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/scenario"
)

// readTidy reads a table whose header names scenario keys (or what published
// tables call them) and metrics with their units. columns adds names the
// header does not explain.
func (f *File) readTidy(s *sheet, columns map[string]string) error {
	means, err := f.meanings(s, columns)
	if err != nil {
		return err
	}
	for i := range s.records {
		o := newObservation(s, i)
		if err := o.readTidy(means); err != nil {
			return err
		}
		f.Rows = append(f.Rows, o)
	}
	f.plausible()
	return nil
}

// meanings reads the header: one meaning per column, nil for ignored ones.
func (f *File) meanings(s *sheet, columns map[string]string) ([]*meaning, error) {
	means := make([]*meaning, len(s.header))
	for path, name := range columns {
		c := s.index(name)
		if c < 0 {
			return nil, s.headError(0, "", "no column %q, which %s is said to be in", name, path)
		}
		if m, ok, _ := metricOf(path); ok {
			means[c] = &m
		} else if p, ok := shorthand[path]; ok {
			means[c] = &meaning{path: p}
		} else {
			means[c] = &meaning{path: path}
		}
	}
	taken := map[string]string{}
	metrics := 0
	for c, name := range s.header {
		if means[c] == nil && name != "" {
			var err error
			if means[c], err = s.meaningOf(c); err != nil {
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
		what := m.path + m.metric
		if other := taken[what]; other != "" && what != "" {
			return nil, s.headError(c, "", "columns %q and %q are both %s", other, name, what)
		}
		taken[what] = name
		if m.metric != "" {
			metrics++
		}
		f.Mapping = append(f.Mapping, Mapping{name, m.String()})
	}
	if metrics == 0 {
		return nil, s.headError(0, "name one such as ttft_mean_ms or tpot_p50_ms", "no column holds a latency")
	}
	return means, nil
}

func (m *meaning) String() string {
	switch {
	case m.source:
		return "source of the row"
	case m.metric == "":
		return m.path
	}
	text := m.metric
	if m.factor != 1 {
		text += fmt.Sprintf(" (x %g)", m.factor)
	}
	if m.unsaid {
		text += " (no statistic in the name: measurement.statistic, the mean unless set)"
	}
	return text
}

func (o *Observation) readTidy(means []*meaning) error {
	cells := o.sheet.records[o.record].cells
	at := map[string]int{"model.name": -1, "model.weight_dtype": -1}
	for c, m := range means {
		if m == nil || cells[c] == "" {
			continue
		}
		if _, ok := at[m.path]; ok {
			at[m.path] = c
		}
	}
	cell := func(path string) string {
		if at[path] < 0 {
			return ""
		}
		return cells[at[path]]
	}
	if _, err := o.setModel(cell("model.name"), cell("model.weight_dtype"), at["model.name"], at["model.weight_dtype"]); err != nil {
		return err
	}
	for c, m := range means {
		if m == nil || cells[c] == "" {
			continue
		}
		if _, done := at[m.path]; done {
			continue
		}
		switch {
		case m.source:
			o.Source = cells[c]
		case m.metric != "":
			ms, err := o.sheet.latency(o.record, c, m.factor)
			if err != nil {
				return err
			}
			o.measure(m.metric, ms, c, m.unsaid)
		default:
			if err := o.assign(m.path, c); err != nil {
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
func (o *Observation) assign(path string, c int) error {
	text := o.sheet.records[o.record].cells[c]
	field, ok := scenario.Lookup(path)
	if !ok {
		return o.sheet.headError(c, "", "no parameter %q", path)
	}
	var v any = text
	switch field.Kind {
	case scenario.Float, scenario.Int:
		if path == RatePath && strings.EqualFold(text, "inf") {
			return nil // no open-loop rate: concurrency is the load
		}
		x, err := o.sheet.number(o.record, c)
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
			return o.sheet.cellError(o.record, c, "write true or false", "%q is not a truth value", shorten(text))
		}
	default:
		v = canonical(path, text)
	}
	if _, err := scenario.Convert(path, v); err != nil {
		return o.fieldError(err, c)
	}
	o.set(path, v, c)
	return nil
}

// fieldError points the schema's error at a cell.
func (o *Observation) fieldError(err error, c int) error {
	fe, ok := err.(*scenario.FieldError)
	if !ok {
		return err
	}
	return o.sheet.cellError(o.record, c, fe.Hint, "%s", fe.Message())
}

// openRequests is the length of an open-loop run that does not say it.
const openRequests = 1000

// complete adds the load model that follows from the columns.
func (o *Observation) complete() error {
	if len(o.Targets) == 0 {
		o.drop("no measured value")
	}
	conc, _ := o.Value(ConcurrencyPath).(int)
	rate, open := o.Value(RatePath).(float64)
	switch {
	case open && conc > 0 && o.Value("workload.arrival") != "closed":
		o.drop("a rate under a cap on concurrency is neither an open nor a closed loop: %g per second, at most %d in flight", rate, conc)
		return nil
	case open && o.Value("workload.arrival") == nil:
		o.set("workload.arrival", "poisson", -1)
	case conc < 1 && !open && o.Value("workload.arrival") == nil:
		return o.Errorf("", "add a column concurrency or request_rate", "the load is not said: neither requests in flight nor a rate")
	}
	for _, path := range []string{PromptPath, OutputPath} {
		if o.Value(path) == nil {
			short := strings.Replace(path, "class."+className+".", "", 1)
			return o.Errorf("", "add a column "+strings.TrimPrefix(short, "workload."), "%s is not said", short)
		}
	}
	if o.Value("workload.requests") != nil {
		return nil
	}
	if arrival := o.Value("workload.arrival"); arrival != nil && arrival != "closed" && arrival != "trace" && o.Value("workload.duration_s") == nil {
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d", openRequests))
		o.set("workload.requests", openRequests, -1)
	}
	if conc > 0 && !open && o.Value("measurement.prompts_per_concurrency") == nil {
		o.set("measurement.prompts_per_concurrency", promptsPerConcurrency, -1)
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d per unit of concurrency", promptsPerConcurrency))
	}
	return nil
}

// consistent drops a row whose latencies contradict each other.
func (o *Observation) consistent() {
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
			o.drop("%s %g above %s %g", pair[0], lo, pair[1], hi)
		}
	}
}

// plausible notes columns whose values suggest another unit than their name.
func (f *File) plausible() {
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
