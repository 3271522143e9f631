// Package study knows the study file: one scenario and one design in TOML. It
// decodes the file strictly, with errors that point at line and fix, into a
// value the plan expands. It does not resolve scenarios, count points or run
// anything.
package study

import (
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/core/scenario/file"
	"scoville/core/scenario/foreign"
	"scoville/core/schema"
	"scoville/sweep/study/ask"
	"scoville/sweep/study/effort"
)

// Study is a decoded study file.
type Study struct {
	Name        string // [a-z0-9_-]+; default: stem of the file name
	Description string
	Doc         *scenario.Document
	Layers      []scenario.Layer // overlays in order, then the study itself
	Set         *scenario.Layer  // values from the command line, over everything; nil = none

	Axes []Axis // outer product in file order, last fastest: axes, zips and cases
	OAT  []Axis // one parameter at a time around each outer combination

	Sample *Sample // rows that fill a space around each outer combination; nil = none, and never beside OAT

	Search *Search // of one path at each of these; nil = none

	effort.Effort // replicates, race, limits

	Seed      uint64   // of all random streams; default 0, which is a seed like others
	MaxRuns   int64    // most runs the plan may have; default 100,000
	Draws     int      // samples of the calibrated parameters per point; default 0
	OutputDir string   // default results/NAME, relative to the working directory
	Metrics   []string // columns the tables show, in column order; nil = not chosen
	Requests  int      // of a run that are kept in a file of their own; 0 = none, AllRequests = all

	Accuracy Accuracy
	ask.Ask  // rules, objectives, report
}

// What a study asks of its points.
type (
	Place     = ask.Place
	Condition = ask.Condition
	Reference = ask.Reference
	Rule      = ask.Rule
)

// Axis is one dimension of a design: a path with levels, several paths that
// change together (zip, group), or named cases.
type Axis struct {
	Name   string   // path, or name of the zip, cases or group
	Paths  []string // what it sets, in file order; a case may leave some out
	Named  bool     // levels have names that are a column of their own (cases)
	Levels []Level
}

// Level is one position on an axis.
type Level struct {
	Name   string // as the study writes it: "-20%", "4000", a case's name
	Values []Value
}

// Value is what a level gives one path: an absolute value, or a factor on the
// base value that only the plan can resolve.
type Value struct {
	Path    string
	Value   any      // in the type of the schema; nil when relative
	Factor  *big.Rat // relative: times the base value, 4/5 for "-20%"; else nil
	Sampled bool     // the factor is a draw: the product is rounded to 12 digits
	At      Place
}

// AllRequests keeps the requests of a run whole.
const AllRequests = -1

// Load reads a study file, its overlays, and the assignments "PATH=VALUE" of
// the command line. Every error is the user's to fix and names the file.
func Load(file string, sets []string) (*Study, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, &scenario.Error{File: file, Msg: "cannot read the study: " + err.Error()}
	}
	return decode(file, text, sets, readFile)
}

// Decode is Load with the text of the study in hand; file is where it stood,
// which its relative names start from.
func Decode(file string, text []byte, sets []string) (*Study, error) {
	return decode(file, text, sets, readFile)
}

// readFile reads a file; its errors do not repeat the name.
func readFile(name string) ([]byte, error) { return file.Read(name, file.MaxText) }

// decode is Load with the text in hand and a way to read overlays.
func decode(file string, text []byte, sets []string, read func(string) ([]byte, error)) (*Study, error) {
	doc, err := scenario.ParseTOML(file, text)
	if err != nil {
		return nil, err
	}
	d := &decoder{doc: doc, read: read, study: &Study{
		Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)),
		Doc:  doc, Effort: effort.Default(), MaxRuns: 100_000,
	}}
	if err := d.decode(sets); err != nil {
		return nil, err
	}
	return d.study, nil
}

// decoder builds a Study from its document.
type decoder struct {
	doc    *scenario.Document
	study  *Study
	read   func(string) ([]byte, error)
	schema bool // seen
	levels int  // of all axes so far
}

var names = regexp.MustCompile(`^[a-z0-9_-]+$`)

// most bounds the tables of a list, and the files under base. A study of 4 MiB
// has room for a hundred thousand rules, each of which looks at every point.
var most = map[string]int{"base": 100, "where": 1000, "objective": 100, "report.published": 1000, "report.plot": 100, "hardware.derate": 1000}

// count refuses more elements of a list than most allows.
func (d *decoder) count(e scenario.Entry) error {
	n := 0
	switch list := e.Value.(type) {
	case []any:
		n = len(list)
	case []*scenario.Document:
		n = len(list)
	}
	if limit, bounded := most[e.Key()]; bounded && n > limit {
		return d.doc.Errorf(e.Key(), "make several studies", "is given %d times, the limit is %d", n, limit)
	}
	return nil
}

func (d *decoder) decode(sets []string) error {
	for _, e := range d.doc.Entries {
		if err := d.count(e); err != nil {
			return err
		}
		if err := d.entry(e); err != nil {
			return err
		}
	}
	st := d.study
	if !d.schema {
		return d.doc.Errorf("schema", "add schema = 1 as the first line", "is missing")
	}
	if !names.MatchString(st.Name) {
		return d.doc.Errorf("name", `add name = "..."`, "%q, the stem of the file name, is not a name of a study: use a-z, 0-9, _ and -", st.Name)
	}
	if st.OutputDir == "" {
		st.OutputDir = filepath.Join("results", st.Name)
	}
	layer, err := scenario.StudyLayer(d.doc)
	if err != nil {
		return err
	}
	st.Layers = append(st.Layers, layer)
	if err := d.checkObjectives(); err != nil {
		return err
	}
	if st.Draws == 0 && d.doc.Has("uncertainty") {
		return d.doc.Errorf("uncertainty", "write draws = 200 under it", "draws is missing")
	}
	if st.Draws > 0 && d.doc.Has("search") {
		return d.doc.Errorf("uncertainty.draws", "remove one of them", "draws are for the points of a design; a search chooses its points itself")
	}
	d.selectNamed()
	if err := d.checkAxes(); err != nil {
		return err
	}
	if err := d.checkSample(); err != nil {
		return err
	}
	if err := d.search(); err != nil {
		return err
	}
	rest := effort.Rest{Search: st.Search != nil, OAT: len(st.OAT) > 0, Draws: st.Draws > 0, Objectives: len(st.Objectives) > 0}
	if st.Sample != nil {
		rest.Sample = st.Sample.Method
	}
	if err := st.Check(d.doc, rest); err != nil {
		return err
	}
	return d.assign(sets)
}

// entry decodes one top-level entry of the file.
func (d *decoder) entry(e scenario.Entry) error {
	switch table := e.Path[0]; table {
	case "model", "hardware", "engine", "workload", "measurement", "sources":
		return nil // the scenario's own
	case "slo":
		return d.slo(e)
	case "axes":
		return d.axis(e)
	case "zip":
		return d.zip(e)
	case "cases":
		return d.cases(e)
	case "oat":
		return d.oat(e)
	case "sample":
		return d.sample(e)
	case "where":
		return d.study.DecodeWhere(d.doc, e)
	case "accuracy":
		return d.accuracy(e)
	case "objective":
		return d.study.DecodeObjective(d.doc, e)
	case "report":
		return d.study.DecodeReport(d.doc, e, d.unknown)
	case "search":
		return nil // when everything else is known
	case "schema", "name", "description", "base", "replicates", "output", "run", "uncertainty":
		for _, sub := range d.doc.Under(e.Key()) {
			if err := d.setting(sub); err != nil {
				return err
			}
		}
		return nil
	}
	return d.unknown(e)
}

// known are the keys outside scenario and design.
var known = []string{
	"schema", "name", "description", "base", "model", "hardware", "engine", "workload", "measurement", "slo", "sources",
	"axes", "zip", "cases", "oat", "where", "replicates", "output", "run",
	"accuracy", "accuracy.table", "objective", "report", "report.keep", "report.baseline", "report.published", "report.plot",
	"uncertainty", "uncertainty.draws", "replicates.n", "replicates.seed", "output.dir", "output.metrics", "output.requests", "run.max_runs",
	"sample", "sample.method", "sample.n", "sample.seed", "sample.dummy", "sample.space",
	"search", "search.over", "search.goal", "search.from", "search.to", "search.tol", "search.confirm", "search.require_steady", "search.max_probes",
	"replicates.crn", "replicates.until", "replicates.until.metric", "replicates.until.rel_ci", "replicates.until.max",
	"run.max_events", "run.max_sim_s", "run.max_failures", "run.race",
}

func (d *decoder) unknown(e scenario.Entry) error {
	key := e.Key()
	if !slices.Contains(known, e.Path[0]) {
		key = e.Path[0] // the table itself is unknown
	}
	err := d.doc.Errorf(e.Key(), schema.DidYouMean(schema.Closest(key, known)), "unknown key %q", key)
	err.Where = "study"
	_, chip := scenario.Lookup("hardware." + e.Key())
	switch near := scenario.Nearest(key); {
	case chip && (d.doc.Has("sources") || d.doc.Has("peak_tflops")) && !d.doc.Has("hardware") && !d.doc.Has("model"):
		err.Msg = "this is a hardware file, not a study"
		err.Hint = fmt.Sprintf("name it in a study: hardware.name = %q, from the study's folder", filepath.Base(d.doc.File))
	case err.Hint == "" && (strings.HasSuffix(near, "."+key) || foreign.Key(key, "") != ""):
		err.Hint = schema.DidYouMean(near)
	case err.Hint == "":
		err.Hint = foreign.Hint(key)
	}
	return err
}
