// Package row holds what every reader of measurements makes: a table of cells
// with their places in a file, what columns are called, and the observations
// that rows become: a scenario's values and measured metrics. It knows no form
// of files; the rooms beside it do.
package row

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario"
	"scoville/core/workload"
)

// Scenario keys that rows set, and the one class of requests of a measured
// run.
const (
	ClassName       = "measured"
	PromptPath      = "workload.class." + ClassName + ".prompt_tokens"
	OutputPath      = "workload.class." + ClassName + ".output_tokens"
	ConcurrencyPath = "workload.concurrency"
	RatePath        = "workload.rate_rps"
	ArrivalPath     = "workload.arrival"
	RequestsPath    = "workload.requests"
)

// PromptsPerConcurrency is the length of a closed-loop run that does not say
// it, in requests per unit of concurrency: what published campaigns use.
const PromptsPerConcurrency = 10

// Kind is what was measured, and so how it is predicted.
type Kind int

// Kinds of observations.
const (
	Serving Kind = iota // a server under a closed or an open loop; metrics aggregated over its requests
	Batch               // an offline static batch: Requests prompts at once, until the last token
	Phase               // prompt phase and token phase of one batch, timed apart: TTFT of the batch, then TPOT
	Replay              // one run whose requests are known one by one: Records; metrics are those of its requests
	Step                // one engine step: its composition -> step_ms, without queueing
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"serving", "batch", "phase", "replay", "step"}[k]
}

// shorthand are the names users write for keys of the one class of a measured
// run.
var shorthand = map[string]string{
	"workload.prompt_tokens": PromptPath,
	"workload.output_tokens": OutputPath,
}

// Base is the document below every observation: a closed loop over one class
// of requests. Rows give the lengths.
const Base = `
[workload]
arrival = "closed"
[[workload.class]]
name = "` + ClassName + `"
prompt_tokens = 1
output_tokens = 1
`

// Target is one measured metric of a run: a column of core/metrics and its
// value in the column's unit, ms for latencies.
type Target struct {
	Metric string
	Value  float64
}

// StepMetric is the target of a Step, in ms. It is no column of core/metrics:
// a step has no requests.
const StepMetric = "step_ms"

// Shape is the composition of one engine step. Contexts are not recorded one by
// one: the resident tokens are taken to lie evenly over the sequences.
type Shape struct {
	Decodes  int     // sequences that add a token
	Chunks   int     // prompts worked on
	Prefill  int     // prompt tokens, all chunks together
	Resident float64 // tokens in the KV cache, all sequences together; 0 = not said
}

// Observation is one row: a run that was measured.
type Observation struct {
	File      string
	Line      int    // of the row; of the object's first line in JSON
	ID        string // the publisher's name of the row, or ""
	Source    string // where the row was published, or ""
	Kind      Kind
	Values    []scenario.Assignment // what the row says of the scenario
	Targets   []Target              // latencies, in ms
	Rates     []Target              // throughput_rps, output_tok_s: what is left to score of a saturated run
	Records   []workload.Record     // Replay: the requests of the run, by arrival; shared by its rows
	Scored    []int                 // Replay: those of the requests that the targets are means over
	Shape     Shape                 // Step: what the step worked on
	Engine    string                // the engine that ran it where a column names one that is not vLLM; "" = vLLM
	Facts     map[string]float64    // what the client counted: completed, failed, duration_s, ...; by the names of tidy.Facts
	Notes     []string              // assumptions made for this row
	Suspects  []string              // what may be wrong with its values, in words; it is used all the same
	Dropped   string                // why the row is not used; "" = it is
	Saturated bool                  // dropped because the run was beyond capacity: its Rates still count

	Hint *Hint // what a name or a text suggests of what the row does not say; nil = nothing

	sheet  *Sheet
	record int
	column map[string]int // scenario path or metric -> column it came from
	unsaid []int          // targets whose column names no statistic: taken for means
}

// New returns an empty observation of a record.
func New(s *Sheet, rec int) Observation {
	r := &s.Records[rec]
	o := Observation{
		File: s.File, Line: r.Line, Kind: r.Kind, Notes: r.Notes, Suspects: r.Suspects, Dropped: r.Dropped, Saturated: strings.HasPrefix(r.Dropped, "saturated"), Records: r.Requests,
		Facts: map[string]float64{}, sheet: s, record: rec, column: map[string]int{},
	}
	for i := range r.Requests {
		o.Scored = append(o.Scored, i)
	}
	if o.Line == 0 && len(r.At) > 0 {
		o.Line = r.At[0].Line
	}
	if i := s.Index("id"); i >= 0 {
		o.ID = s.Records[rec].Cells[i]
	}
	return o
}

// Value returns what the row says of a scenario key, nil for nothing.
func (o *Observation) Value(path string) any {
	path = Path(path)
	for _, a := range slices.Backward(o.Values) {
		if a.Path == path {
			return a.Value
		}
	}
	return nil
}

// Set adds a value that comes from a column, -1 for one that follows from
// others or from convention.
func (o *Observation) Set(path string, v any, column int) {
	o.Values = append(o.Values, scenario.Assignment{Path: path, Value: v})
	if column >= 0 {
		o.column[path] = column
	}
}

// Unset takes back what the row says of a key.
func (o *Observation) Unset(path string) {
	o.Values = slices.DeleteFunc(o.Values, func(a scenario.Assignment) bool { return a.Path == path })
	delete(o.column, path)
}

// Note adds an assumption made for the row.
func (o *Observation) Note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// Suspect adds what may be wrong with the row's values. What stands before a
// colon is the suspicion without the figures of the row.
func (o *Observation) Suspect(format string, args ...any) {
	o.Suspects = append(o.Suspects, fmt.Sprintf(format, args...))
}

// Saturate leaves the row out as a run beyond capacity, whose throughput is
// still worth scoring.
func (o *Observation) Saturate(format string, args ...any) {
	if o.Dropped == "" {
		o.Dropped, o.Saturated = "saturated: "+fmt.Sprintf(format, args...), true
	}
}

// Drop leaves the row out, with the reason; the first one stays. What stands
// before a colon is the reason without the figures of the row.
func (o *Observation) Drop(format string, args ...any) {
	if o.Dropped == "" {
		o.Dropped = fmt.Sprintf(format, args...)
	}
}

// Errorf returns an error that points at the cell of a scenario key or metric,
// or at the row, naming the key, when no column gave it.
func (o *Observation) Errorf(path, hint, format string, args ...any) *scenario.Error {
	c, ok := o.column[path]
	e := o.sheet.CellError(o.record, c, hint, format, args...)
	if !ok {
		e.Where = path
	}
	return e
}

// File is one file read.
type File struct {
	Name    string
	SHA256  string // of its bytes, hex
	Form    string
	Load    string    // the load model in words, where the form decides it; "" = see the rows
	Mapping []Mapping // what each column was taken for
	Ignored []string  // columns without a meaning here
	Notes   []string  // what looks odd
	Hints   []Hint    // what names and texts suggest of rows that do not say chip or parallelism
	Rows    []Observation
}

// Mapping says what a column was taken for.
type Mapping struct{ Column, Meaning string }

// Measure adds a measured value from a column, -1 for one that was computed
// from several; unsaid: its column names no statistic.
func (o *Observation) Measure(metric string, ms float64, column int, unsaid bool) {
	if unsaid {
		o.unsaid = append(o.unsaid, len(o.Targets))
	}
	o.Targets = append(o.Targets, Target{metric, ms})
	if column >= 0 {
		o.column[metric] = column
	}
}

// Forget removes the measured values of a family of metrics, "itl".
func (o *Observation) Forget(family string) {
	var kept []Target
	var unsaid []int
	for i, t := range o.Targets {
		if strings.HasPrefix(t.Metric, family+"_") {
			continue
		}
		if slices.Contains(o.unsaid, i) {
			unsaid = append(unsaid, len(kept))
		}
		kept = append(kept, t)
	}
	o.Targets, o.unsaid = kept, unsaid
}

// Statistic says which statistic the values are whose columns name none: mean,
// which they are taken for, or p50.
func (o *Observation) Statistic(stat string) error {
	if stat == "" || stat == "mean" {
		return nil
	}
	for _, i := range o.unsaid {
		t := &o.Targets[i]
		metric := strings.Replace(t.Metric, "_mean_", "_"+stat+"_", 1)
		if _, ok := o.Target(metric); ok {
			return o.Errorf(t.Metric, "rename one of the columns", "with measurement.statistic = %q two columns are %s", stat, metric)
		}
		o.column[metric] = o.column[t.Metric]
		t.Metric = metric
	}
	o.unsaid = nil
	return nil
}

// Target returns the measured value of a metric in ms, and whether there is
// one.
func (o *Observation) Target(metric string) (float64, bool) {
	for _, t := range o.Targets {
		if t.Metric == metric {
			return t.Value, true
		}
	}
	return 0, false
}

// Path turns the shorthand of a key of the one class, workload.prompt_tokens,
// into the key; others stay.
func Path(name string) string {
	if p, ok := shorthand[name]; ok {
		return p
	}
	return name
}

// Text returns what a row has under a name: a cell, a key's value or a metric.
func (o *Observation) Text(name string) string {
	if i := o.sheet.Index(name); i >= 0 {
		return o.sheet.Records[o.record].Cells[i]
	}
	if m, ok := o.Target(name); ok {
		return strconv.FormatFloat(m, 'g', -1, 64)
	}
	path := name
	if o.Value(name) == nil {
		if path = Alias(name); path == "model.name" || path == "hardware.name" { // as the file writes it
			if c, ok := o.column[path]; ok {
				return o.sheet.Records[o.record].Cells[c]
			}
		}
	}
	switch v := o.Value(path).(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// Columns returns the header of the file.
func (f *File) Columns() []string {
	if len(f.Rows) == 0 {
		return nil
	}
	return f.Rows[0].sheet.Header
}
