// Package calibrate fits the hidden parameters of the performance model to
// measured latencies, through the same simulator that predicts them, and
// writes an overlay for studies. Run is the verb:
//
//	read (measured) -> pair (objective) -> fit (fit) -> hold out -> write (results)
package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/calibrate/doubt"
	"scoville/calibrate/fit"
	"scoville/calibrate/group"
	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/calibrate/objective"
	"scoville/calibrate/reading"
	"scoville/calibrate/results"
	"scoville/calibrate/spec"
	"scoville/core"
	"scoville/core/scenario"
)

// Options say what to calibrate on. Files is needed unless the specification
// names them, the rest optional.
type Options struct {
	Files    []string // names or patterns; nil = those of the specification
	Spec     string   // file of a fit specification
	Model    string   // catalogue name or config.json, where the files do not say
	Hardware string   // likewise
	Where    string   // filter of rows
	Holdout  string   // how rows are held out, see spec.SetHoldout; "" = as the specification says, or by kind
	Set      []string // "scenario.key=value" for all rows, before the files and [data.fixed]
	Names    bool     // chip, parallelism and engine version come from names of files and texts where rows do not say them
	Unit     string   // "ms" or "s": latencies whose column names no unit; "" = ask
	Output   string   // overlay to write; "" = nothing is written
	Jobs     int      // simulations at once; 0 = 1
	Log      func(string)

	tolerant bool // of several files, unreadable ones are listed
}

// InputError is an error of the measurements, the specification or the
// options: nothing was fitted or written.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the error that points into the input.
func (e *InputError) Unwrap() error { return e.Err }

// Starts of a fit and draws of lengths per condition. Fewer starts were seen
// to miss the optimum; more draws cost time and change predictions by less
// than a percent.
const (
	starts = 16
	draws  = 1
)

// Run calibrates and writes the overlay with its record and residuals. Its
// error is an *InputError, the context's, or one of the machine; a fit that
// does not converge or misses a gate is a result with Gates.
func Run(ctx context.Context, opt Options) (*results.Fit, error) {
	in, j, err := prepare(ctx, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &InputError{err}
	}
	if err := opt.folder(); err != nil {
		return nil, err
	}
	return j.run(ctx, in)
}

// folder makes the folder of the overlay: before the work, not after it.
func (opt *Options) folder() error {
	if opt.Output == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(opt.Output), 0o755); err != nil {
		return &InputError{fmt.Errorf("cannot write %s: %w", opt.Output, err)}
	}
	return nil
}

// run fits, holds out, and writes what came out.
func (j *job) run(ctx context.Context, in *input) (*results.Fit, error) {
	if err := j.fit(ctx); err != nil {
		return nil, err
	}
	if err := j.holdOut(ctx); err != nil {
		return nil, err
	}
	record, residuals, err := j.record(ctx, in)
	if err == nil {
		residuals, err = j.beyond(ctx, in, record, residuals)
	}
	if err != nil || in.opt.Output == "" {
		return record, err
	}
	return record, results.Write(in.opt.Output, record, residuals)
}

// prepare does everything up to the fit. It simulates open-loop rows once, to
// see which are saturated.
func prepare(ctx context.Context, opt Options) (*input, *job, error) {
	in, err := read(opt)
	if err != nil {
		return nil, nil, err
	}
	if err := in.pair(ctx); err != nil {
		return nil, nil, err
	}
	j, err := in.job()
	return in, j, err
}

// input is everything read, before the fit.
type input struct {
	files   []*measured.File
	rows    []*measured.Observation // those the filters select, dropped ones included
	spec    *spec.Spec
	opt     Options
	dropped []results.Dropped
	conds   []objective.Condition
	doubts  []doubt.Doubt
	skipped []error // files of folders that hold no measurements
	unread  []error // files that could not be read, where that is tolerated
}

// read reads files and specification and selects rows.
func read(opt Options) (*input, error) {
	in := &input{opt: opt, spec: &spec.Spec{}}
	if opt.Spec != "" {
		var err error
		if in.spec, err = spec.Read(opt.Spec); err != nil {
			return nil, err
		}
	}
	if err := in.spec.SetHoldout(opt.Holdout); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", "ms", "s"}, opt.Unit) {
		return nil, fmt.Errorf("--unit %s: the units are ms and s", opt.Unit)
	}
	sets, err := reading.Sets(opt.Set)
	if err != nil {
		return nil, err
	}
	in.spec.Fixed = append(in.spec.Fixed, sets...)
	if len(opt.Files) == 0 {
		opt.Files = in.spec.Files
	}
	for _, name := range []*string{&in.opt.Model, &in.opt.Hardware} {
		if ext := filepath.Ext(*name); ext == ".json" || ext == ".toml" {
			abs, err := filepath.Abs(*name)
			if err != nil {
				return nil, err
			}
			*name = abs
		}
	}
	loaded, err := reading.Load(opt.Files, measured.Options{Format: in.spec.Format, Columns: in.spec.Columns, Unit: opt.Unit, Names: opt.Names, Fixed: in.spec.Fixed}, opt.tolerant)
	if err != nil {
		return nil, err
	}
	in.files, in.unread, in.skipped = loaded.Files, loaded.Unread, loaded.Skipped
	for _, err := range in.skipped {
		if opt.Log != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			opt.Log("skipped " + line)
		}
	}
	for i, f := range in.files {
		for _, g := range in.files[:i] {
			if f.SHA256 == g.SHA256 {
				return nil, fmt.Errorf("%s and %s are the same file", g.Name, f.Name)
			}
		}
	}
	return in, in.selectRows()
}

// selectRows keeps the rows that both filters match, each run once.
func (in *input) selectRows() error {
	where, err := measured.ParseFilter("--where", in.opt.Where)
	if err != nil {
		return err
	}
	for _, f := range []*measured.Filter{where, in.spec.Keep, in.spec.Holdout} {
		if f == nil {
			continue
		}
		if err := f.Check(in.files); err != nil {
			return err
		}
	}
	total := 0
	for _, f := range in.files {
		total += len(f.Rows)
		for i := range f.Rows {
			o := &f.Rows[i]
			if !where.Match(o) || in.spec.Keep != nil && !in.spec.Keep.Match(o) {
				continue
			}
			in.rows = append(in.rows, o)
			if o.Engine != "" && !where.Names(measured.EngineColumns...) && (in.spec.Keep == nil || !in.spec.Keep.Names(measured.EngineColumns...)) {
				o.Drop("engine is not vLLM: %s (a filter that names the column keeps it)", o.Engine)
			}
			if o.Dropped != "" && !o.Saturated {
				continue
			}
			if err := o.Fill(in.opt.Hardware, in.opt.Model); err != nil {
				return err
			}
		}
	}
	if len(in.rows) == 0 {
		return fmt.Errorf("the filter keeps none of %d rows", total)
	}
	measured.DropDuplicates(in.rows)
	measured.Suspect(in.rows)
	if !in.opt.tolerant {
		in.dropUnknown()
	}
	return in.fold()
}

// pair makes sure that the rows are of one machine and resolves them.
func (in *input) pair(ctx context.Context) error {
	if err := group.One(in.rows, in.spec.Fixed); err != nil {
		return err
	}
	if err := in.resolve(ctx); err != nil {
		return err
	}
	return cmp.Or(doubt.Refusal(in.doubts), in.none())
}

// none is the error of measurements of which no row can be used, with the reasons.
func (in *input) none() error {
	if len(in.conds) == 0 {
		return fmt.Errorf("none of %d rows can be used: %s", len(in.rows), results.Reasons(in.dropped))
	}
	return nil
}

// resolve makes the conditions of the rows.
func (in *input) resolve(ctx context.Context) error {
	var err error
	in.conds, err = objective.Pair(ctx, in.rows, in.spec.Fixed, in.catalog())
	if err != nil {
		return err
	}
	in.dropped = reading.Dropped(in.rows)
	in.doubts, err = doubt.Find(ctx, in.conds, in.rows, in.opt.Jobs)
	return err
}

// catalog finds files that a specification names.
func (in *input) catalog() *scenario.Catalog {
	if in.opt.Spec != "" {
		return scenario.NewCatalog(filepath.Dir(in.opt.Spec))
	}
	return scenario.NewCatalog(".")
}

// job is one fit: objective, settings, and what came out.
type job struct {
	obj     *objective.Objective
	spec    *spec.Spec
	loss    fit.Loss
	log     func(string)
	fitted  []int // conditions fitted to
	outside []int // conditions the specification holds out
	result  *fit.Result
	values  []float64 // of all parameters, rounded as written
	held    []heldOut
	how     string // the data were held out

	iterations int // of one search at most; 0 = as usual
}

// significant digits of a parameter as written: predictions are made with the
// written values.
const significant = 5

// job prepares the fit.
func (in *input) job() (*job, error) {
	j := &job{spec: in.spec, loss: in.spec.Loss, log: in.opt.Log}
	if j.log == nil {
		j.log = func(string) {}
	}
	if j.loss.Kind == "" {
		j.loss = fit.Loss{Kind: fit.Huber, Scale: 1.5}
	}
	params := objective.Expand(in.spec.Params, in.conds)
	if in.spec.Params == nil {
		params = objective.ParametersOf(in.conds)
		if in.conds[0].Kind == row.Serving {
			params = objective.Hierarchy(in.conds)
		}
	}
	targets, err := in.targets()
	if err != nil {
		return nil, err
	}
	if j.obj, err = objective.New(in.conds, params, targets, draws, in.opt.Jobs); err != nil {
		return nil, err
	}
	return j, j.split()
}

// targets are those of the specification, else mean TTFT and TPOT or what stands
// in for them, else whatever latencies the rows have.
func (in *input) targets() ([]objective.Target, error) {
	targets := in.spec.Targets
	if targets == nil {
		targets = objective.DefaultTargets()
		have := in.metrics()
		for i, t := range targets {
			targets[i].Metric = measured.StandIn(t.Metric, have)
		}
		if in.conds[0].Kind == row.Replay { // of a run with a queue, how long it took is a measurement of its own
			targets = append(targets, objective.Target{Metric: "e2e_mean_ms", Residual: objective.Log, Sigma: objective.Sigma("e2e_mean_ms"), Weight: 1})
		}
		targets = slices.DeleteFunc(targets, func(t objective.Target) bool { return !slices.Contains(have, t.Metric) })
		if len(targets) == 0 {
			for _, m := range have {
				targets = append(targets, objective.Target{Metric: m, Residual: objective.Log, Sigma: objective.Sigma(m), Weight: 1})
			}
		}
	}
	have := in.metrics()
	for _, t := range targets {
		if !slices.Contains(have, t.Metric) {
			return nil, fmt.Errorf("no row has a value of %s; the files have %v", t.Metric, have)
		}
	}
	return targets, nil
}

// metrics lists the measured metrics of the rows in use, in order.
func (in *input) metrics() []string {
	var out []string
	for i := range in.conds {
		for _, o := range in.conds[i].Rows {
			for _, t := range o.Targets {
				if !slices.Contains(out, t.Metric) {
					out = append(out, t.Metric)
				}
			}
		}
	}
	return out
}

// fit searches on the fitted conditions.
func (j *job) fit(ctx context.Context) error {
	p := j.obj.Problem(ctx, j.fitted, j.loss)
	j.log(fmt.Sprintf("fitting %d conditions from %d starts", len(j.fitted), starts))
	set := fit.Settings{Starts: starts, Screen: every(3, len(j.fitted)), MaxIterations: j.iterations}
	if j.large() {
		set.Starts, set.Polish = starts/2, 1
	}
	r, err := fit.Run(p, set)
	if err != nil {
		return err
	}
	j.result = r
	j.values = make([]float64, len(r.Values))
	for i, x := range r.Values {
		j.values[i] = results.Round(x, significant)
	}
	return j.obj.Complete(j.values)
}

// every returns each n-th of count units: those on which starts are compared.
// Few units are all used.
func every(n, count int) []int {
	if count < 8*n {
		n = max(1, count/8)
	}
	var out []int
	for i := 0; i < count; i += n {
		out = append(out, i)
	}
	return out
}

// Outputs returns the files that Run writes for an overlay of that name.
func Outputs(overlay string) []string { return results.Paths(filepath.Clean(overlay)) }

// Versions that calibrations are bound to.
const (
	SimulatorVersion = core.Version
	ResultSchema     = results.Schema
)

// Text prints a fit for people.
func Text(f *results.Fit) string { return results.Text(f) }
