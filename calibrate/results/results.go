// Package results holds what a calibration found and leaves it on disk: the
// overlay that studies build on, the whole record as JSON, and the residuals
// as a table. It does not fit and does not simulate. Equal fits give equal
// bytes.
package results

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
)

// Schema is the version of the files' layout.
const Schema = 1

// Fit is the record of one calibration.
type Fit struct {
	Schema     int          `json:"schema"`
	SimVersion int          `json:"simulator_version"`
	Files      []File       `json:"files"`
	DataSHA256 string       `json:"data_sha256"` // over all files
	Where      string       `json:"where,omitempty"`
	AppliesTo  AppliesTo    `json:"applies_to"`
	Rows       int          `json:"rows"`       // used
	Conditions int          `json:"conditions"` // distinct scenarios among them
	Dropped    []Dropped    `json:"dropped,omitempty"`
	Status     string       `json:"status"` // converged, not converged, never moved, does not describe the data
	Cost       float64      `json:"cost"`   // robust cost, priors included
	Iterations int          `json:"iterations"`
	Evals      int          `json:"evaluations"` // points at which all conditions were simulated
	Starts     []Start      `json:"starts"`
	Agreement  string       `json:"starts_summary"`
	Parameters []Parameter  `json:"parameters"`
	Modes      []Mode       `json:"modes,omitempty"`
	Free       []string     `json:"free"`       // names, in the order of the covariance
	Covariance [][]float64  `json:"covariance"` // of ln value, 95 % intervals in Parameters
	Condition  float64      `json:"condition_number"`
	Weak       string       `json:"weak_direction"`
	Correlated []Correlated `json:"correlated,omitempty"` // pairs that the data hardly tell apart
	Errors     []Error      `json:"errors"`
	Baselines  []Error      `json:"baselines,omitempty"` // of the held-out rows by trivial predictions; Split is which
	Coverage   []Coverage   `json:"coverage,omitempty"`  // of the intervals of held-out rows
	Patterns   []Pattern    `json:"residual_patterns,omitempty"`
	Noise      []Noise      `json:"noise_floor,omitempty"`
	ModelError []Spread     `json:"model_error,omitempty"`
	Models     []Model      `json:"models,omitempty"`    // with several: what is fitted for each
	Saturated  *Throughput  `json:"saturated,omitempty"` // runs beyond saturation, which are not fitted
	Validity   []Range      `json:"validity"`
	Chips      []Chip       `json:"chips,omitempty"`    // as the fitted rows had them
	HeldOut    string       `json:"held_out"`           // how
	Assumed    []string     `json:"assumed,omitempty"`  // what the measurements do not say
	Suspects   []string     `json:"suspects,omitempty"` // what looks wrong with the measurements and is used all the same
	Gates      []Gate       `json:"gates,omitempty"`

	Mean bool `json:"-"` // the parameters are means over models, the errors those of the models' own
}

// File is one file of measurements.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Form   string `json:"form"`
}

// AppliesTo says where the parameters hold; an empty list allows any.
type AppliesTo struct {
	Hardware      []string `json:"hardware,omitempty"`
	Model         []string `json:"model,omitempty"`
	WeightDType   []string `json:"weight_dtype,omitempty"`
	KVDType       []string `json:"kv_dtype,omitempty"`
	EngineVersion []string `json:"engine_version,omitempty"`
}

// Chip is what the fitted rows had of one chip; Spans are of study keys.
type Chip struct {
	Name   string  `json:"name"`
	KVPath string  `json:"kv_path"`
	Spans  []Range `json:"spans"`
}

// Dropped counts rows that were not used, by reason.
type Dropped struct {
	Reason string   `json:"reason"`
	Rows   []string `json:"rows"` // FILE:LINE
}

// Start is where one search began and ended.
type Start struct {
	From       []float64 `json:"from"`
	To         []float64 `json:"to"`
	Cost       float64   `json:"cost"`
	Status     string    `json:"status"`
	Iterations int       `json:"iterations"`
	Polished   bool      `json:"polished"` // on all conditions; else on a part of them
}

// Parameter is one quantity of the fit.
type Parameter struct {
	Name    string  `json:"name"`
	Path    string  `json:"path"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`
	Lo      float64 `json:"lo"` // 95 % interval
	Hi      float64 `json:"hi"`
	Min     float64 `json:"min"` // bounds
	Max     float64 `json:"max"`
	Init    float64 `json:"init"`
	Held    bool    `json:"held"` // not fitted
	Prior   *Prior  `json:"prior,omitempty"`
	AsPrior bool    `json:"as_prior,omitempty"` // the data hardly say
	AtBound bool    `json:"at_bound,omitempty"`

	NoEffect bool     `json:"no_effect,omitempty"` // changes no predicted value of these data
	Notes    []string `json:"notes,omitempty"`

	Base  string `json:"base,omitempty"`  // name without the model
	Scope string `json:"model,omitempty"` // the model it is of; "" = all
	Tied  string `json:"tied,omitempty"`  // expression it follows

	Across int  `json:"across,omitempty"` // number of models it is the mean of
	Linear bool `json:"linear,omitempty"` // the covariance is of the value, not of its logarithm
}

// Prior is what was known before: ln value normal around ln center.
type Prior struct {
	Center float64 `json:"center"`
	SDLn   float64 `json:"sd_ln"`
}

// The splits of Error and Residual.
const (
	Fitted  = "fitted"
	HeldOut = "held out"

	// Saturated is that of runs beyond saturation, compared on throughput alone.
	Saturated = "saturated"
)

// Mode is a choice that the parameters were fitted under: they mean nothing
// under another.
type Mode struct {
	Path    string `json:"path"`
	Value   any    `json:"value"` // a text or a switch
	Because string `json:"because"`
}

// Error summarises |predicted / measured - 1| of one metric over the rows of a
// split, and the median of predicted / measured - 1 as Bias.
type Error struct {
	Metric string  `json:"metric"`
	Split  string  `json:"split"`
	Rows   int     `json:"rows"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Bias   float64 `json:"bias"`
}

// Baselines of held-out rows, as Split of Error.
const (
	Nearest   = "nearest neighbour"
	LogLinear = "log-linear interpolation"
)

// Coverage says how many held-out values lie inside their stated intervals.
type Coverage struct {
	Metric string  `json:"metric"`
	Share  float64 `json:"share"` // stated
	Rows   int     `json:"rows"`
	Inside int     `json:"inside"`
	Width  float64 `json:"width"` // median of the high over the low end
}

// Pattern is a condition with which the residuals rise (Rho > 0: predictions
// run high at its large values) or fall, with the p value of no such pattern,
// corrected for the number of tests.
type Pattern struct {
	Metric    string  `json:"metric"`
	Condition string  `json:"condition"`
	Rho       float64 `json:"rho"`
	P         float64 `json:"p"`
}

// Noise is how far repeats of one condition lie apart: the standard deviation
// of ln value.
type Noise struct {
	Metric     string  `json:"metric"`
	Conditions int     `json:"conditions"`
	Rows       int     `json:"rows"`
	SD         float64 `json:"sd_ln"`
}

// Correlated are two parameters that move together over what the data allow.
type Correlated struct {
	A string  `json:"a"`
	B string  `json:"b"`
	R float64 `json:"r"`
}

// Spread is what parameters do not explain of rows that the fit has not seen (of
// fitted ones where none is held out): the standard deviation of ln(predicted /
// measured) of the normal law whose 90 % interval is that of a new row, which for
// few levels of load is wider than the residuals are.
type Spread struct {
	Metric string  `json:"metric"`
	SD     float64 `json:"sd_ln"`
	Split  string  `json:"split"`
}

// Model is one of several models that were fitted together.
type Model struct {
	Name      string    `json:"name"`
	AppliesTo AppliesTo `json:"applies_to"`
	Rows      int       `json:"rows"`
	Errors    []Error   `json:"errors"`

	Conditions int `json:"conditions"`
}

// Range is the span of a condition over the rows used: outside of it the
// parameters are an extrapolation.
type Range struct {
	Path string  `json:"path"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Gate is a requirement that does not hold.
type Gate struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
}

// Residual is one measured value beside its prediction.
type Residual struct {
	File                       string
	Line                       int
	ID, Source                 string
	Hardware, Model, Version   string
	Prompt, Output             float64
	Concurrency, TP            int
	Rate                       float64 // NaN for a closed loop
	Metric, Split              string
	Measured, Predicted, Sigma float64 // ms (of a Saturated run req/s or tok/s), likewise, scale of the residual in the fit
	Lo, Hi                     float64 // ms; 90 % prediction interval, NaN for fitted rows
}

// Summarise computes the errors of residuals by metric and split, in order of
// first occurrence.
func Summarise(residuals []Residual) []Error {
	type key struct{ metric, split string }
	signed := map[key][]float64{}
	var order []key
	for _, r := range residuals {
		k := key{r.Metric, r.Split}
		if signed[k] == nil {
			order = append(order, k)
		}
		e := r.Predicted/r.Measured - 1
		if math.IsNaN(e) {
			e = math.Inf(1) // the run gave no number
		}
		signed[k] = append(signed[k], e)
	}
	out := make([]Error, len(order))
	for i, k := range order {
		e := signed[k]
		abs := make([]float64, len(e))
		for j, x := range e {
			abs[j] = math.Abs(x)
		}
		slices.Sort(e)
		slices.Sort(abs)
		out[i] = Error{Metric: k.metric, Split: k.split, Rows: len(e), Median: quantile(abs, 0.5), P90: quantile(abs, 0.9), Bias: quantile(e, 0.5)}
	}
	return out
}

// quantile interpolates linearly between sorted values.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) || h == float64(i) {
		return sorted[i]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// finite replaces numbers that JSON and TOML do not have by the largest ones.
func (f *Fit) finite() {
	fix := func(values ...*float64) {
		for _, x := range values {
			if math.IsNaN(*x) || math.Abs(*x) > math.MaxFloat64 {
				*x = math.Copysign(math.MaxFloat64, *x)
			}
		}
	}
	fix(&f.Cost, &f.Condition)
	for i := range f.Starts {
		fix(&f.Starts[i].Cost)
	}
	for i := range f.Parameters {
		p := &f.Parameters[i]
		fix(&p.Lo, &p.Hi, &p.Min, &p.Max)
	}
	lists := [][]Error{f.Errors, f.Baselines}
	if f.Saturated != nil {
		lists = append(lists, f.Saturated.Errors)
	}
	for _, m := range f.Models {
		lists = append(lists, m.Errors)
	}
	for _, list := range lists {
		for i := range list {
			fix(&list[i].Median, &list[i].P90, &list[i].Bias)
		}
	}
	for i := range f.Coverage {
		fix(&f.Coverage[i].Width)
	}
	for i := range f.ModelError {
		fix(&f.ModelError[i].SD)
	}
	for _, row := range f.Covariance {
		for j := range row {
			fix(&row[j])
		}
	}
	for i := range f.Gates {
		fix(&f.Gates[i].Value)
	}
}

func (f *Fit) writeJSON(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return table.WriteFile(path, append(text, '\n'))
}

var residualColumns = []table.Column{
	{Name: "file", Kind: table.String, Definition: "file of the measured row"},
	{Name: "line", Kind: table.Int64, Definition: "line of the row in the file"},
	{Name: "id", Kind: table.String, Definition: "the publisher's name of the row"},
	{Name: "source", Kind: table.String, Definition: "where the row was published"},
	{Name: "hardware", Kind: table.String, Path: "hardware.name"},
	{Name: "model", Kind: table.String, Path: "model.name"},
	{Name: "engine_version", Kind: table.String, Path: "engine.version"},
	{Name: "tp", Kind: table.Int64, Path: "engine.tp", Unit: "chips"},
	{Name: "prompt_tokens", Kind: table.Float64, Unit: "tokens", Definition: "nominal prompt length"},
	{Name: "output_tokens", Kind: table.Float64, Unit: "tokens", Definition: "nominal output length"},
	{Name: "concurrency", Kind: table.Int64, Path: "workload.concurrency", Unit: "requests"},
	{Name: "rate_rps", Kind: table.Float64, Path: "workload.rate_rps", Unit: "req/s", Definition: "NULL for a closed loop"},
	{Name: "metric", Kind: table.String, Definition: "metric compared"},
	{Name: "split", Kind: table.String, Definition: "fitted, held out (predicted without the row), or saturated: beyond saturation, compared on throughput alone"},
	{Name: "measured_ms", Kind: table.Float64, Unit: "ms", Definition: "NULL for runs beyond saturation"},
	{Name: "predicted_ms", Kind: table.Float64, Unit: "ms", Definition: "NULL where the run gives none"},
	{Name: "predicted_lo_ms", Kind: table.Float64, Unit: "ms", Definition: "low end of the 90 % prediction interval; NULL for fitted rows"},
	{Name: "predicted_hi_ms", Kind: table.Float64, Unit: "ms", Definition: "its high end"},
	{Name: "error_ratio", Kind: table.Float64, Unit: "ratio", Definition: "predicted / measured - 1"},
	{Name: "sigma", Kind: table.Float64, Definition: "scale of the residual in the fit; NULL for runs beyond saturation"},
	{Name: "measured_rate", Kind: table.Float64, Definition: "throughput of a run beyond saturation, in req/s or tok/s as the metric says; NULL for latencies"},
	{Name: "predicted_rate", Kind: table.Float64, Definition: "likewise"},
}

// writeResiduals writes one row per measured value and split.
func writeResiduals(path string, f *Fit, residuals []Residual) error {
	w, err := table.Create(path, residualColumns, map[string]string{"kind": "residuals", "data_sha256": f.DataSHA256})
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, r := range residuals {
		ms, rate := [2]float64{r.Measured, r.Predicted}, [2]float64{math.NaN(), math.NaN()}
		if strings.HasPrefix(r.Split, Saturated) {
			ms, rate = rate, ms
		}
		row := table.Row{
			r.File, int64(r.Line), r.ID, r.Source, r.Hardware, r.Model, r.Version, int64(r.TP), r.Prompt, r.Output,
			int64(r.Concurrency), r.Rate, r.Metric, r.Split, ms[0], ms[1], r.Lo, r.Hi, r.Predicted/r.Measured - 1, r.Sigma, rate[0], rate[1],
		}
		if err := w.Append(row); err != nil {
			return err
		}
	}
	return w.Close()
}
