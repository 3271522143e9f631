// Package tidy reads tables whose header names scenario keys, or what published
// tables call them, and metrics with their units: one run a row. Every form
// that becomes such a table is read here in the end.
package tidy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
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
	var unsaid error // of the first row that lacks what a run needs
	lacking, whole := map[int]error{}, false
	for i := range s.Records {
		r := reader{Observation: row.New(s, i), sheet: s, record: i, fixed: opt.Fixed}
		if err := r.read(means); err != nil {
			return err
		}
		if err := r.complete(); err != nil {
			lacking[i], unsaid = err, cmp.Or(unsaid, err)
		} else if r.Dropped == "" {
			whole = true
		}
		f.Rows = append(f.Rows, r.Observation)
	}
	if unsaid != nil && !whole {
		return unsaid
	}
	for i, err := range lacking { // other rows say it: a line of totals, or a run that was not finished
		f.Rows[i].Drop("incomplete row: %s", message(err))
	}
	plausible(f)
	return nil
}

// message is what an error says, without its place.
func message(err error) string {
	if e, ok := errors.AsType[*scenario.Error](err); ok {
		return e.Msg
	}
	return err.Error()
}

// reader reads one row.
type reader struct {
	row.Observation
	sheet  *row.Sheet
	record int
	fixed  []scenario.Assignment
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
	metrics := 0
	taken := map[string]int{}
	for c, name := range s.Header {
		if means[c] == nil && name != "" {
			var err error
			if means[c], err = s.MeaningOf(c, opt.Unit); err != nil {
				return nil, err
			}
		}
		if m := means[c]; m != nil {
			other, twice := taken[key(m)]
			if !twice || key(m) == "" {
				taken[key(m)] = c
			} else if loser, err := yields(s, means, other, c); err != nil {
				return nil, err
			} else if means[loser] = nil; loser == other {
				taken[key(m)] = c
			}
		}
	}
	for c, name := range s.Header {
		switch m := means[c]; {
		case m != nil:
			f.Mapping = append(f.Mapping, row.Mapping{Column: name, Meaning: m.String()})
			if m.Metric != "" {
				metrics++
			}
		case name != "" && name != "id":
			f.Ignored = append(f.Ignored, name)
		}
	}
	if metrics == 0 {
		return nil, s.HeadError(0, "name one such as ttft_mean_ms or tpot_p50_ms", "no column holds a latency")
	}
	return means, nil
}

// key is what two columns must not both hold.
func key(m *row.Meaning) string { return m.Path + m.Metric + m.Fact }

// yields says which of two columns of one meaning is not used: the weaker one,
// or the later one when they agree wherever both are filled.
func yields(s *row.Sheet, means []*row.Meaning, a, b int) (int, error) {
	switch {
	case means[a].Weak && !means[b].Weak:
		return a, nil
	case means[b].Weak && !means[a].Weak:
		return b, nil
	}
	for _, r := range s.Records {
		if r.Cells[a] != "" && r.Cells[b] != "" && r.Cells[a] != r.Cells[b] {
			return 0, s.HeadError(b, "remove one", "columns %q and %q are both %s and differ", s.Header[a], s.Header[b], key(means[b]))
		}
	}
	return b, nil
}

func (o *reader) read(means []*row.Meaning) error {
	cells := o.sheet.Records[o.record].Cells
	at := map[string]int{"model.name": -1, "model.weight_dtype": -1}
	for c, m := range means {
		if m == nil || row.Nothing(cells[c]) {
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
		if m == nil || row.Nothing(cells[c]) {
			continue
		}
		if _, done := at[m.Path]; done {
			continue
		}
		switch {
		case m.Source:
			o.Source = cells[c]
		case m.Engine:
			o.engine(cells[c])
		case m.Fact != "":
			if x, err := o.sheet.Number(o.record, c); err == nil {
				o.Facts[m.Fact] = x
			}
		case m.Metric != "" && zero.MatchString(cells[c]): // what clients write where nothing was measured
			o.Suspect("a latency of 0: column %s is not used in this row", o.sheet.Header[c])
		case m.Metric != "" && row.Lost(cells[c]):
			o.Drop("no value was measured: %s", cells[c])
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
	return nil
}

// complete makes a run of what the cells say: lengths, load, throughput, and
// what is odd about it.
func (o *reader) complete() error {
	if len(o.Targets) == 0 {
		o.Drop("no measured value")
	}
	for _, a := range o.fixed {
		if o.Value(a.Path) == nil {
			o.Set(a.Path, a.Value, -1)
		}
	}
	if o.Value("engine.tp") == nil {
		o.Note(row.NoTP)
	}
	err := o.lengths()
	if err == nil {
		err = o.load()
	}
	if err != nil && o.Dropped != "" {
		return nil // it would not be used anyway
	}
	if err != nil {
		return err
	}
	o.rates()
	o.stream()
	o.wholeLatency()
	o.consistent()
	return nil
}

// engine drops rows of other engines than vLLM. Clients call the protocol they
// speak the backend: those say nothing of the engine.
func (o *reader) engine(text string) {
	switch name := strings.ToLower(text); {
	case strings.Contains(name, "vllm"):
	case strings.HasPrefix(name, "openai"):
	default:
		o.Drop("engine %s, not vllm", row.Shorten(text))
	}
}

// assign converts a cell to the type the schema says.
func (o *reader) assign(path string, c int) error {
	text := o.sheet.Records[o.record].Cells[c]
	if path == "engine.version" && row.Fold(o.sheet.Header[c]) == "version" && !numbered.MatchString(text) {
		return nil // of something else
	}
	field, ok := scenario.Lookup(path)
	if !ok {
		return o.sheet.HeadError(c, "", "no parameter %q", path)
	}
	var v any = text
	switch field.Kind {
	case scenario.Float, scenario.Int:
		if path == row.RatePath && strings.EqualFold(text, "inf") {
			o.Facts["rate_inf"] = 1
			return nil // no open-loop rate: concurrency, or the requests of a burst, are the load
		}
		x, err := o.count(path, c)
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

var (
	zero     = regexp.MustCompile(`^0+(?:\.0*)?$`)
	numbered = regexp.MustCompile(`^v?\d+\.\d+`)
	chips    = regexp.MustCompile(`(?i)^(?:tp[\s=_-]*(\d+)|(\d+)\s*x|x\s*(\d+))$`)
)

// count reads a number; chips may be counted as TP8 or 8x.
func (o *reader) count(path string, c int) (float64, error) {
	if m := chips.FindStringSubmatch(o.sheet.Records[o.record].Cells[c]); m != nil && path == "engine.tp" {
		return strconv.ParseFloat(cmp.Or(m[1], m[2], m[3]), 64)
	}
	return o.sheet.Number(o.record, c)
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
