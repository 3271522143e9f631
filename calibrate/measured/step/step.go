// Package step reads logs of engine steps, one a row: what a step worked on and
// when it started. The time between the starts of two consecutive steps is the
// length of one of them.
package step

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured/row"
)

// columns of a log, folded, each with what it is taken for.
var columns = [][2]string{
	{"step.id", "order of the steps"},
	{"step.ts_start_ns", "step_ms: from the start of a step to that of the next (ns)"},
	{"batch.decode_tokens", "sequences that decode"},
	{"batch.prefill_tokens", "prompt tokens"},
	{"batch.num_prefill_reqs", "prompts worked on"},
	{"kv.usage_gpu_ratio", "resident tokens, times the pool"},
	{"kv.blocks_total_gpu", "blocks of the pool"},
	{"model", "model.name"},
	{"hardware", "hardware.name"},
	{"tp", "engine.tp"},
	{"experiment_id", "steps follow each other within one"},
}

// blockSize is vLLM's default: tokens of a KV block.
const blockSize = 16

// Is reports whether the file is a log of steps.
func Is(src *row.Source) bool {
	return src.Has("step.id", "step.ts_start_ns", "batch.decode_tokens", "batch.prefill_tokens")
}

// Read reads a log of steps into f.
func Read(src *row.Source, f *row.File) error {
	if !Is(src) {
		return src.Errorf("it has columns step.id, step.ts_start_ns, batch.decode_tokens, batch.prefill_tokens", "not of the steps form")
	}
	s, err := src.Sheet()
	if err != nil {
		return err
	}
	l := log{Sheet: s, at: map[string]int{}}
	for _, c := range columns {
		l.at[c[0]] = -1
	}
	for c, h := range s.Header {
		k := slices.IndexFunc(columns, func(x [2]string) bool { return x[0] == row.Fold(h) })
		if k < 0 {
			f.Ignored = append(f.Ignored, h)
			continue
		}
		l.at[columns[k][0]] = c
		f.Mapping = append(f.Mapping, row.Mapping{Column: h, Meaning: columns[k][1]})
	}
	if err := l.read(); err != nil {
		return err
	}
	f.Load = "engine steps, one by one"
	first, second := l.correlations()
	owner := "the second"
	l.second = second > first
	if !l.second {
		owner = "the first"
	}
	f.Notes = append(f.Notes, fmt.Sprintf("the time between two starts is taken for %s of the two steps: its rank correlation with the tokens of the first is %.2f, of the second %.2f", owner, first, second))
	for i := range l.steps {
		o, err := l.observation(i)
		if err != nil {
			return err
		}
		f.Rows = append(f.Rows, o)
	}
	return nil
}

// log is a log being read.
type log struct {
	*row.Sheet
	at     map[string]int // folded name -> column, -1 for none
	steps  []step
	second bool // the time between two starts is that of the second step
}

// step is one row.
type step struct {
	id, start int64 // start in ns
	shape     row.Shape
	run       string
}

func (l *log) read() error {
	for i := range l.Records {
		var s step
		for _, c := range []struct {
			name string
			to   *int64
		}{{"step.id", &s.id}, {"step.ts_start_ns", &s.start}} {
			var err error
			if *c.to, err = strconv.ParseInt(l.Records[i].Cells[l.at[c.name]], 10, 64); err != nil {
				return l.CellError(i, l.at[c.name], "", "%q is not a whole number", row.Shorten(l.Records[i].Cells[l.at[c.name]]))
			}
		}
		for _, c := range []struct {
			name string
			to   *int
		}{{"batch.decode_tokens", &s.shape.Decodes}, {"batch.prefill_tokens", &s.shape.Prefill}, {"batch.num_prefill_reqs", &s.shape.Chunks}} {
			x, err := l.number(i, c.name)
			if err != nil {
				return err
			}
			if x < 0 || x > 1e8 || x != math.Trunc(x) {
				return l.CellError(i, l.at[c.name], "", "%g is not a whole number from 0 to 1e8", x)
			}
			*c.to = int(x)
		}
		if s.shape.Prefill == 0 {
			s.shape.Chunks = 0
		} else {
			s.shape.Chunks = min(max(s.shape.Chunks, 1), s.shape.Prefill)
		}
		usage, err := l.number(i, "kv.usage_gpu_ratio")
		if err != nil {
			return err
		}
		blocks, err := l.number(i, "kv.blocks_total_gpu")
		if err != nil {
			return err
		}
		s.shape.Resident = min(max(usage, 0), 1) * min(max(blocks, 0), 1e9) * blockSize
		if c := l.at["experiment_id"]; c >= 0 {
			s.run = l.Records[i].Cells[c]
		}
		l.steps = append(l.steps, s)
	}
	return nil
}

// number reads a cell, 0 where the log has no such column or an empty cell.
func (l *log) number(rec int, name string) (float64, error) {
	c := l.at[name]
	if c < 0 || l.Records[rec].Cells[c] == "" {
		return 0, nil
	}
	return l.Number(rec, c)
}

// between returns the time from the start of step i to that of the next, in
// ms, and whether the log has the next step.
func (l *log) between(i int) (ms float64, ok bool) {
	if i < 0 || i+1 >= len(l.steps) {
		return 0, false
	}
	a, b := &l.steps[i], &l.steps[i+1]
	return float64(b.start-a.start) / 1e6, b.id == a.id+1 && a.run == b.run && b.start > a.start
}

// tokens is the work of a step, roughly.
func (s *step) tokens() float64 { return float64(s.shape.Decodes + s.shape.Prefill) }

// correlations returns the rank correlations of the times between starts with
// the tokens of the first step and of the second, over pairs of different
// shapes. Engines that schedule a step while the one before runs log the start
// of a step when its scheduling starts, or when its results arrive.
func (l *log) correlations() (first, second float64) {
	var ms, a, b []float64
	for i := range l.steps {
		x, ok := l.between(i)
		if s, next := &l.steps[i], &l.steps[min(i+1, len(l.steps)-1)]; ok && s.shape.Prefill != next.shape.Prefill {
			ms, a, b = append(ms, x), append(a, s.tokens()), append(b, next.tokens())
		}
	}
	return rankCorrelation(ms, a), rankCorrelation(ms, b)
}

// rankCorrelation is Spearman's; 0 for fewer than three pairs or equal values.
func rankCorrelation(x, y []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	a, b := ranks(x), ranks(y)
	mean := float64(len(x)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns each value's rank from 0, the mean rank for equal values.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case x[i] < x[j]:
			return -1
		case x[i] > x[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// observation makes the row of a step.
func (l *log) observation(i int) (row.Observation, error) {
	o := row.New(l.Sheet, i)
	o.Kind = row.Step
	o.Shape = l.steps[i].shape
	o.ID = strconv.FormatInt(l.steps[i].id, 10)
	from := i
	if l.second {
		from--
	}
	ms, ok := l.between(from)
	switch {
	case !ok:
		o.Drop("no time: the step beside it is not in the log")
	case ms < 1e-3 || ms > 1e8:
		o.Drop("a step of %g ms", ms)
	case o.Shape.Decodes+o.Shape.Prefill == 0:
		o.Drop("an empty step")
	default:
		o.Measure(row.StepMetric, ms, l.at["step.ts_start_ns"], false)
	}
	return o, l.machine(&o, i)
}

// machine sets model, chip and parallelism where the log says them.
func (l *log) machine(o *row.Observation, i int) error {
	text := func(name string) string {
		if c := l.at[name]; c >= 0 {
			return l.Records[i].Cells[c]
		}
		return ""
	}
	if hw := text("hardware"); hw != "" {
		o.Set("hardware.name", row.Canonical("hardware.name", hw), l.at["hardware"])
	}
	if name := strings.TrimSpace(text("model")); name != "" {
		if _, err := o.SetModel(name, "", l.at["model"], -1); err != nil {
			return err
		}
	}
	if text("tp") != "" {
		tp, err := l.Number(i, l.at["tp"])
		if err != nil {
			return err
		}
		if tp < 1 || tp > 1024 || tp != math.Trunc(tp) {
			return l.CellError(i, l.at["tp"], "", "%g is not a whole number from 1 to 1024", tp)
		}
		o.Set("engine.tp", int(tp), l.at["tp"])
	}
	o.Set("workload.arrival", "burst", -1)
	o.Set(row.RequestsPath, 1, -1)
	o.Set("measurement.clock", "server", -1)
	return nil
}
