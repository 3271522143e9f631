// Package spec reads fit specifications: TOML files that say of measurements
// what these do not say, and what to fit and to hold out. It neither reads
// measurements nor fits.
package spec

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/scenario/file"
)

// Spec is a fit specification: what the files do not say of the data, and what
// to fit. The zero value leaves everything to the defaults.
type Spec struct {
	Files    []string          // measurements, from the folder of the specification on; nil = given elsewhere
	Format   string            // form of the files; "" = find out
	Columns  map[string]string // scenario key or metric -> column
	Fixed    []scenario.Assignment
	Keep     *measured.Filter  // rows that are used; nil = all
	Params   []objective.Param // nil = those of the performance model
	Targets  []objective.Target
	Loss     fit.Loss
	Holdout  *measured.Filter // rows that are held out; nil = none
	Random   Random
	Folds    int      // parts, drawn at random, each held out in turn; 0 = not so
	By       string   // scenario key, or "model": each of its values is held out in turn; "" = none
	MaxError float64  // of held-out medians; 0 = no gate
	Versions []string // engine versions that the overlay is said to hold for; nil = those of the rows
}

// specReader reads a specification; fail keeps the first error.
type specReader struct {
	*scenario.Document
	Spec
	err error
}

// tables of a specification, with their keys where these are fixed.
var specKeys = map[string][]string{
	"schema": nil, "name": nil, "description": nil,
	"data":       {"files", "format", "columns", "fixed", "filter"},
	"params":     {"path", "init", "min", "max", "scale", "value", "expr", "prior", "prior_sd", "per", "pool"},
	"target":     {"metric", "residual", "weight", "sigma"},
	"loss":       {"kind", "scale"},
	"applies_to": {"engine_version"},
	"holdout":    {"where", "fraction", "seed", "seeds", "folds", "by", "max_error_ratio"},
}

// Read reads a specification file:
//
//	schema = 1
//	[data]            files = ["PATTERN"] (used when none are given), format = "auto" or a form that calibrate check names
//	[data.columns]    "scenario.key" = "CSV column"
//	[data.fixed]      "scenario.key" = value
//	[data.filter]     keep = EXPR
//	[params.NAME]     path init min max scale = "log" | "linear" [prior prior_sd]
//	                  [per = "model" [pool = 0.5]], or path value, or path expr = "2 * OTHER"
//	[[target]]        metric residual = "log" | "relative" | "absolute" weight sigma
//	[loss]            kind = "linear" | "soft_l1" | "huber" | "cauchy"  scale
//	[applies_to]      engine_version = ["vllm 0.12"] of the overlay, where the rows do not say it; priors do not change
//	[holdout]         where = EXPR, or fraction seed seeds, or folds seed, or by = "scenario.key"  max_error_ratio
//
// Errors point at the line.
func Read(name string) (*Spec, error) {
	text, err := file.Read(name, file.MaxText)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read: %w", name, Cause(err))
	}
	return parse(name, text)
}

func parse(name string, text []byte) (*Spec, error) {
	d, err := scenario.ParseTOML(name, text)
	if err != nil {
		return nil, err
	}
	r := &specReader{Document: d}
	for _, e := range d.Entries {
		if _, ok := specKeys[e.Path[0]]; !ok {
			r.unknown(e, e.Path[0], slices.Sorted(maps.Keys(specKeys)))
		}
		_, table := e.Value.(map[string]any)
		if h := e.Path[0]; len(e.Path) == 1 && !table && specKeys[h] != nil && h != "target" {
			r.fail(h, "write ["+h+"]", "%s is a table", h)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if v := d.Value("schema"); v != int64(1) && r.err == nil {
		r.fail("schema", "write schema = 1 as the first line", "the schema of a specification is 1")
	}
	for _, e := range d.Under("data") {
		r.data(e)
	}
	r.parameters()
	r.readTargets()
	r.readLoss()
	r.readHoldout()
	for _, e := range d.Under("applies_to") {
		if len(e.Path) != 2 || e.Path[1] != "engine_version" {
			r.unknown(e, e.Path[1], specKeys["applies_to"])
			continue
		}
		r.Versions = r.texts(e, `write engine_version = ["vllm 0.12"]`)
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.Spec, nil
}

func (r *specReader) fail(path, hint, format string, args ...any) {
	r.failIn(r.Document, path, hint, format, args...)
}

func (r *specReader) failIn(d *scenario.Document, path, hint, format string, args ...any) {
	if r.err == nil {
		r.err = d.Errorf(path, hint, format, args...)
	}
}

func (r *specReader) unknown(e scenario.Entry, key string, known []string) {
	hint := "the keys are " + strings.Join(known, ", ")
	if near := scenario.Closest(key, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.fail(e.Key(), hint, "no key %q", key)
}

// text, number and positive read a value of that type.
func (r *specReader) text(d *scenario.Document, e scenario.Entry) string {
	s, ok := e.Value.(string)
	if !ok {
		r.failIn(d, e.Key(), "", "%v is not a text", e.Value)
	}
	return s
}

func (r *specReader) number(d *scenario.Document, e scenario.Entry) float64 {
	switch x := e.Value.(type) {
	case float64:
		return x
	case int64:
		return float64(x)
	}
	r.failIn(d, e.Key(), "", "%v is not a number", e.Value)
	return math.NaN()
}

func (r *specReader) positive(d *scenario.Document, e scenario.Entry) float64 {
	x := r.number(d, e)
	if x <= 0 {
		r.failIn(d, e.Key(), "", "%v is not above 0", e.Value)
	}
	return x
}

func (r *specReader) choice(d *scenario.Document, e scenario.Entry, among ...string) string {
	s := r.text(d, e)
	if !slices.Contains(among, s) {
		r.failIn(d, e.Key(), "one of "+strings.Join(among, ", "), "%q is not known here", s)
	}
	return s
}

func (r *specReader) filter(e scenario.Entry) *measured.Filter {
	f, err := measured.ParseFilter(r.File+": "+e.Key(), r.text(r.Document, e))
	if err != nil && r.err == nil {
		r.err = err
	}
	return f
}

// data reads one entry of [data].
func (r *specReader) data(e scenario.Entry) {
	key := strings.Join(e.Path[1:], ".")
	table, rest, _ := strings.Cut(key, ".")
	switch {
	case key == "files":
		for _, name := range r.texts(e, `write files = ["runs/*.json"]`) {
			r.Files = append(r.Files, r.beside(name))
		}
	case key == "format":
		r.Format = r.choice(r.Document, e, measured.Formats()...)
	case key == "filter.keep":
		r.Keep = r.filter(e)
	case table == "columns" && rest != "":
		_, isKey := scenario.Lookup(measured.Path(rest))
		_, isMetric := metrics.Index(rest)
		if !isKey && !isMetric {
			r.noParameter(e, rest)
		}
		if r.Columns == nil {
			r.Columns = map[string]string{}
		}
		r.Columns[measured.Path(rest)] = r.text(r.Document, e)
	case table == "fixed" && rest != "":
		path := measured.Path(rest)
		if _, ok := scenario.Lookup(path); !ok {
			r.noParameter(e, rest)
			return
		}
		v, err := scenario.Convert(path, e.Value)
		if err != nil && r.err == nil {
			r.err = scenario.Point(r.Document, e.Key(), err)
		}
		r.Fixed = append(r.Fixed, scenario.Assignment{Path: path, Value: v})
	default:
		r.unknown(e, cmp.Or(table, key), specKeys["data"])
	}
}

// texts reads a list of texts, at least one, none of them empty.
func (r *specReader) texts(e scenario.Entry, hint string) (out []string) {
	list, ok := e.Value.([]any)
	for _, v := range list {
		text, isText := v.(string)
		ok = ok && isText && text != ""
		out = append(out, text)
	}
	if !ok || len(list) == 0 {
		r.fail(e.Key(), hint, "%v is not a list of texts", e.Value)
	}
	return out
}

// beside is a name as seen from the folder of the specification.
func (r *specReader) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.File), name)
}

func (r *specReader) noParameter(e scenario.Entry, path string) {
	hint := ""
	if near := scenario.Nearest(path); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.fail(e.Key(), hint, "no parameter %q", path)
}

// parameters reads [params.NAME].
func (r *specReader) parameters() {
	at := map[string]int{}
	for _, e := range r.Under("params") {
		if len(e.Path) != 3 {
			r.fail(e.Key(), `write [params.NAME] with path = "..."`, "a parameter is a table")
			return
		}
		if !slices.Contains(specKeys["params"], e.Path[2]) {
			r.unknown(e, e.Path[2], specKeys["params"])
			return
		}
		name := e.Path[1]
		i, ok := at[name]
		if !ok {
			i = len(r.Params)
			at[name] = i
			r.Params = append(r.Params, r.newParam(name))
		}
		r.parameter(&r.Params[i], e)
	}
	r.checkTied()
	paths := map[string]string{}
	for i := range r.Params {
		p := &r.Params[i]
		r.checkParam(p)
		if other := paths[p.Path]; other != "" && p.Path != "" {
			r.fail("params."+p.Name, "keep one", "parameter %s has the path of %s, %s", p.Name, other, p.Path)
		}
		paths[p.Path] = p.Name
	}
}

// newParam starts a parameter with the bounds of its key.
func (r *specReader) newParam(name string) objective.Param {
	p := objective.Param{Param: fit.Param{Name: name, Init: math.NaN()}, Pool: 0.5}
	table := "params." + name
	path, ok := r.Value(table + ".path").(string)
	if !ok {
		for _, e := range r.Under(table) { // an inline table
			if e.Key() == table+".path" {
				path, ok = e.Value.(string)
			}
		}
	}
	f, known := scenario.Lookup(path)
	switch {
	case !ok:
		r.fail(table, `add path = "hardware.compute_util"`, "parameter %s has no path", name)
	case !known:
		r.noParameter(scenario.Entry{Path: []string{"params", name, "path"}}, path)
	case f.Kind != scenario.Float:
		r.fail(table+".path", "only a number with a fraction can be fitted", "%s is a %s", path, f.Kind)
	}
	p.Path, p.Unit, p.Min, p.Max = path, f.Unit, f.Lo, f.Hi
	return p
}

func (r *specReader) parameter(p *objective.Param, e scenario.Entry) {
	d := r.Document
	switch e.Path[2] {
	case "path":
		r.text(d, e)
	case "init":
		p.Init = r.number(d, e)
	case "min":
		p.Min = r.number(d, e)
	case "max":
		p.Max = r.number(d, e)
	case "value":
		p.Init, p.Fixed = r.number(d, e), true
	case "scale":
		p.Log = r.choice(d, e, "log", "linear") == "log"
	case "prior":
		p.Prior.Center = r.positive(d, e)
	case "prior_sd":
		p.Prior.SD = r.positive(d, e)
	case "expr":
		r.tied(p, e)
	case "per":
		p.PerModel = r.choice(d, e, "model", "chip") == "model"
	case "pool":
		if p.Pool = r.number(d, e); p.Pool < 0 || p.Pool >= 1 {
			r.fail(e.Key(), "0 = each model apart, near 1 = all the same", "%g is not in [0,1)", p.Pool)
		}
	}
}

// checkParam fills in what is left out and refuses what cannot be searched.
func (r *specReader) checkParam(p *objective.Param) {
	table := "params." + p.Name
	switch {
	case math.IsNaN(p.Init) && p.Prior.Center > 0:
		p.Init = p.Prior.Center
	case math.IsNaN(p.Init):
		r.fail(table, "add init, a start between min and max, or a value to keep", "parameter %s has no init", p.Name)
		return
	}
	if (p.Prior.Center > 0) != (p.Prior.SD > 0) {
		r.fail(table, "prior is the centre, prior_sd the standard deviation of the logarithm", "a prior needs both prior and prior_sd")
	}
	if p.Log && p.Min == 0 && !p.Fixed {
		r.fail(table, "add min", "a log scale needs min above 0")
	}
	if err := p.Check(); err != nil {
		r.fail(table, "", "%v", err)
	}
	if _, err := scenario.Convert(p.Path, p.Init); err != nil && r.err == nil {
		r.err = scenario.Point(r.Document, table, err)
	}
}

// readTargets reads [[target]].
func (r *specReader) readTargets() {
	list, ok := r.Value("target").([]*scenario.Document)
	if !ok && r.Has("target") {
		r.fail("target", "write each as a table [[target]]", "targets are an array of tables")
	}
	for _, d := range list {
		t := objective.Target{Residual: objective.Log, Weight: 1}
		for _, e := range d.Entries {
			switch e.Key() {
			case "metric":
				t.Metric = r.text(d, e)
			case "residual":
				t.Residual = r.choice(d, e, objective.Log, objective.Relative, objective.Absolute)
			case "weight":
				t.Weight = r.positive(d, e)
			case "sigma":
				t.Sigma = r.positive(d, e)
			default:
				r.failIn(d, e.Key(), "the keys are "+strings.Join(specKeys["target"], ", "), "no key %q", e.Key())
			}
		}
		r.checkTarget(d, t)
	}
}

func (r *specReader) checkTarget(d *scenario.Document, t objective.Target) {
	i, ok := metrics.Index(t.Metric)
	switch {
	case t.Metric == "":
		r.failIn(d, "metric", "", "a target needs a metric")
	case !ok || metrics.Columns()[i].Unit != "ms":
		r.failIn(d, "metric", "a latency such as ttft_mean_ms, tpot_p50_ms", "no measured metric %q", t.Metric)
	case t.Residual == objective.Absolute && t.Sigma == 0:
		r.failIn(d, "residual", "add sigma, in ms", "an absolute residual needs a sigma")
	case t.Sigma == 0:
		t.Sigma = objective.Sigma(t.Metric)
	}
	r.Targets = append(r.Targets, t)
}

// readLoss reads [loss].
func (r *specReader) readLoss() {
	for _, e := range r.Under("loss") {
		switch e.Key() {
		case "loss.kind":
			r.Loss.Kind = r.choice(r.Document, e, fit.Losses[:]...)
		case "loss.scale":
			r.Loss.Scale = r.positive(r.Document, e)
		default:
			r.unknown(e, e.Path[len(e.Path)-1], specKeys["loss"])
		}
	}
	if r.Loss.Kind != "" && r.Loss.Scale == 0 {
		r.Loss.Scale = 1.5
	}
	if r.Loss.Scale > 0 && r.Loss.Kind == "" {
		r.Loss.Kind = fit.Huber
	}
}

// Cause is why a file could not be read, without its name.
func Cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
