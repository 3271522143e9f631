// Package measured reads published latencies of serving runs, one run a row of
// a CSV file, into typed observations: a scenario's values and the measured
// metrics in ms, each row with its place in the file. It knows two forms, the
// rows of NVIDIA's aiconfigurator and tidy tables whose header names scenario
// keys and metrics with their units. It does not simulate, and it never
// guesses a unit.
package measured

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"scoville/core/scenario"
)

// Forms of files.
const (
	Auto            = "auto"
	Aiconfigurator  = "aiconfigurator"
	Tidy            = "tidy"
	className       = "measured"
	PromptPath      = "workload.class." + className + ".prompt_tokens"
	OutputPath      = "workload.class." + className + ".output_tokens"
	ConcurrencyPath = "workload.concurrency"
	RatePath        = "workload.rate_rps"
)

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
name = "` + className + `"
prompt_tokens = 1
output_tokens = 1
`

// Target is one measured metric of a run: a column of core/metrics and its
// value in ms.
type Target struct {
	Metric string
	Value  float64
}

// Observation is one row: a run that was measured.
type Observation struct {
	File    string
	Line    int
	ID      string                // the publisher's name of the row, or ""
	Source  string                // where the row was published, or ""
	Values  []scenario.Assignment // what the row says of the scenario
	Targets []Target
	Notes   []string // assumptions made for this row
	Dropped string   // why the row is not used; "" = it is

	sheet  *sheet
	record int
	column map[string]int // scenario path or metric -> column it came from
	unsaid []int          // targets whose column names no statistic: taken for means
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

// set adds a value that comes from a column, -1 for one that follows from
// others or from convention.
func (o *Observation) set(path string, v any, column int) {
	o.Values = append(o.Values, scenario.Assignment{Path: path, Value: v})
	if column >= 0 {
		o.column[path] = column
	}
}

func (o *Observation) drop(format string, args ...any) {
	if o.Dropped == "" {
		o.Dropped = fmt.Sprintf(format, args...)
	}
}

// Errorf returns an error that points at the cell of a scenario key or metric,
// or at the row, naming the key, when no column gave it.
func (o *Observation) Errorf(path, hint, format string, args ...any) *scenario.Error {
	c, ok := o.column[path]
	e := o.sheet.cellError(o.record, c, hint, format, args...)
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
	Mapping []Mapping // what each column was taken for
	Ignored []string  // columns without a meaning here
	Notes   []string  // what looks odd
	Rows    []Observation
}

// Mapping says what a column was taken for.
type Mapping struct{ Column, Meaning string }

// Options of reading. The zero value is right for files that speak for
// themselves.
type Options struct {
	Format  string            // Auto (or ""), Aiconfigurator, Tidy
	Columns map[string]string // scenario key or metric -> column, where the header does not say it
}

// maxFile bounds the size of a file, in bytes.
const maxFile = 64 << 20

// Read reads a file. An error is a *scenario.Error that points at the cell.
func Read(name string, data []byte, opt Options) (*File, error) {
	if len(data) > maxFile {
		return nil, &scenario.Error{File: name, Msg: fmt.Sprintf("%d bytes are too many for a table of measurements", len(data)), Hint: "the limit is 64 MiB"}
	}
	s, err := readSheet(name, data)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f := &File{Name: name, SHA256: hex.EncodeToString(sum[:]), Form: opt.Format}
	if f.Form == "" || f.Form == Auto {
		f.Form = Tidy
		if s.index("silicon_ttft_ms") >= 0 && s.index("silicon_data_source") >= 0 {
			f.Form = Aiconfigurator
		}
	}
	switch f.Form {
	case Aiconfigurator:
		err = f.readAiconfigurator(s)
	case Tidy:
		err = f.readTidy(s, opt.Columns)
	default:
		err = &scenario.Error{File: name, Msg: fmt.Sprintf("no format %q", opt.Format), Hint: "the formats are auto, aiconfigurator and tidy"}
	}
	if err != nil {
		return nil, err
	}
	if len(f.Rows) == 0 {
		return nil, &scenario.Error{File: name, Msg: "no rows below the header"}
	}
	return f, nil
}

// DropDuplicates drops rows that repeat an earlier row exactly, values and
// measurements, under another source or id: one run published twice is one
// run. Runs of the same condition with other measurements stay.
func DropDuplicates(rows []*Observation) {
	first := map[string]*Observation{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		key := fmt.Sprintf("%q %v %v", o.Values, o.Values, o.Targets)
		if e := first[key]; e != nil {
			o.drop("repeats %s:%d exactly", e.File, e.Line)
			continue
		}
		first[key] = o
	}
}

// measure adds a measured value; unsaid: its column names no statistic.
func (o *Observation) measure(metric string, ms float64, column int, unsaid bool) {
	if unsaid {
		o.unsaid = append(o.unsaid, len(o.Targets))
	}
	o.Targets = append(o.Targets, Target{metric, ms})
	o.column[metric] = column
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
