// Package measured reads published latencies of serving runs into typed
// observations: a scenario's values and the measured metrics, each with its
// place in the file. Each form of file has a room of its own below this one;
// row holds what they make. It does not simulate, and it never guesses a unit.
package measured

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/measured/bench"
	"scoville/calibrate/measured/clients"
	"scoville/calibrate/measured/console"
	"scoville/calibrate/measured/grid"
	"scoville/calibrate/measured/plain"
	"scoville/calibrate/measured/request"
	"scoville/calibrate/measured/row"
	"scoville/calibrate/measured/silicon"
	"scoville/calibrate/measured/stages"
	"scoville/calibrate/measured/step"
	"scoville/calibrate/measured/tidy"
	"scoville/core/scenario"
)

// What readers make, under the names of this package.
type (
	// Observation is one row: a run that was measured.
	Observation = row.Observation
	// File is one file read.
	File = row.File
	// Mapping says what a column was taken for.
	Mapping = row.Mapping
	// Target is one measured metric of a run.
	Target = row.Target
	// Hint is what a name or a text suggests of the machine.
	Hint = row.Hint
	// Options of reading.
	Options = row.Options
)

// Forms of files.
const (
	Auto           = "auto"
	Aiconfigurator = "aiconfigurator"
	LatencyGrid    = "latency-grid"
	PhaseGrid      = "phase-grid"
	Steps          = "steps"
	Requests       = "requests"
	Serve          = "vllm-bench"
	Detailed       = "vllm-detailed"
	SweepSummary   = "sweep-summary"
	Latency        = "vllm-latency"
	Throughput     = "vllm-throughput"
	InferenceX     = "inferencex"
	InferencePerf  = "inference-perf"
	Console        = "console"
	GuideLLM       = "guidellm"
	GenaiBench     = "genai-bench"
	LLMPerf        = "llmperf"
	FMBench        = "fmbench"
	Tidy           = "tidy"
)

// Base is the document below every observation, and the keys that rows set.
const (
	Base            = row.Base
	PromptPath      = row.PromptPath
	OutputPath      = row.OutputPath
	ConcurrencyPath = row.ConcurrencyPath
	RatePath        = row.RatePath
)

// trace is turned down: it has no latencies.
const trace = "trace"

// form is one form of file: how it is recognised and read.
type form struct {
	name string
	is   func(*row.Source) bool
	read func(*row.Source, *row.File) error
}

// forms are tried in order; the last one takes what no other knows.
var forms = []form{
	{Aiconfigurator, silicon.Is, silicon.Read},
	{LatencyGrid, grid.IsLatency, grid.ReadLatency},
	{PhaseGrid, grid.IsPhase, grid.ReadPhase},
	{Steps, step.Is, step.Read},
	{Requests, request.Is, request.Read},
	{Latency, bench.IsLatency, bench.ReadLatency},
	{Throughput, bench.IsThroughput, bench.ReadThroughput},
	{SweepSummary, bench.IsSummary, bench.ReadSummary},
	{Detailed, bench.IsDetailed, bench.ReadServe},
	{Serve, bench.IsServe, bench.ReadServe},
	{Serve, bench.IsTable, tidy.Read},
	{InferenceX, bench.IsInferenceX, bench.ReadInferenceX},
	{InferencePerf, stages.Is, stages.Read},
	{GuideLLM, clients.IsGuide, clients.ReadGuide},
	{GenaiBench, clients.IsGenai, clients.ReadGenai},
	{LLMPerf, clients.IsLLMPerf, clients.ReadLLMPerf},
	{FMBench, clients.IsFMBench, clients.ReadFMBench},
	{trace, clients.IsTrace, clients.ReadTrace},
	{Console, console.Is, console.Read},
	{Tidy, func(*row.Source) bool { return true }, tidy.Read},
}

// MaxFile bounds the size of a file, packed or not, in bytes.
const MaxFile = 64 << 20

// Read reads a file of any form. An error is a *scenario.Error that points at
// the cell, the line or the object.
func Read(name string, data []byte, opt Options) (*File, error) {
	if len(data) > MaxFile {
		return nil, &scenario.Error{File: name, Msg: fmt.Sprintf("%d bytes are too many for a file of measurements", len(data)), Hint: "the limit is 64 MiB"}
	}
	sum := sha256.Sum256(data)
	f := &File{Name: name, SHA256: hex.EncodeToString(sum[:])}
	text, notes, err := plain.Text(data, MaxFile)
	if err != nil {
		return nil, &scenario.Error{File: name, Msg: err.Error(), Hint: "a file of measurements is JSON, CSV or the text of a terminal"}
	}
	f.Notes = notes
	src := &row.Source{Name: name, Data: text, Options: opt}
	read, err := choose(src, opt.Format)
	if err != nil {
		return nil, err
	}
	f.Form = read.name
	if err := read.read(src, f); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(f.Rows, func(o Observation) bool { return o.Value("hardware.name") == nil || o.Value("engine.tp") == nil }) {
		f.Hints = append(f.Hints, src.Hints()...)
	}
	for _, h := range f.Hints {
		if !opt.Names {
			f.Notes = append(f.Notes, h.String())
		}
		if clash(f.Hints) { // which of them holds for a row is not known
			continue
		}
		for i := range f.Rows {
			if o := &f.Rows[i]; opt.Names {
				o.Take(h)
			} else if o.Hint == nil {
				o.Hint = &h
			}
		}
	}
	if len(f.Rows) == 0 {
		return nil, &scenario.Error{File: name, Msg: "no rows below the header"}
	}
	return f, nil
}

// choose returns the form that was asked for, or the first that knows the file.
func choose(src *row.Source, name string) (*form, error) {
	for i := range forms {
		f := &forms[i]
		if (name == "" || name == Auto || f.name == name) && (f.is(src) || f.name == name && !several(name)) {
			return f, nil
		}
	}
	return nil, &scenario.Error{File: src.Name, Msg: fmt.Sprintf("no format %q", name), Hint: "the formats are " + strings.Join(Formats(), ", ")}
}

// several reports whether a form is written in more than one way.
func several(name string) bool {
	n := 0
	for _, f := range forms {
		if f.name == name {
			n++
		}
	}
	return n > 1
}

// Formats lists the names of the forms, Auto first.
func Formats() []string {
	names := []string{Auto}
	for _, f := range forms {
		if !slices.Contains(names, f.name) && f.name != trace {
			names = append(names, f.name)
		}
	}
	return names
}

// Beside is the name of the file beside measurements of a form that says how the
// engine ran, "" for forms without.
func Beside(form string) string {
	switch form {
	case Requests:
		return request.MetaName
	case GenaiBench:
		return clients.GenaiMeta
	}
	return ""
}

// Description reports whether a file of this name, without its folder, describes
// runs and holds none.
func Description(name string) bool {
	return strings.EqualFold(name, request.MetaName) || strings.EqualFold(name, clients.GenaiMeta)
}

// Describe adds to the rows of a file what the file beside it says.
func Describe(f *File, name string, data []byte) error {
	if f.Form == GenaiBench {
		return clients.DescribeGenai(f, name, data)
	}
	return request.Describe(f, name, data)
}

// LikeChips lists the chips of the catalogue that a word of a name may mean.
func LikeChips(name string) []string { return row.LikeChips(name) }

// EngineColumns are columns that name the engine of a row, as files write them.
var EngineColumns = []string{"Framework", "framework", "backend", "Backend", "engine"}

// StandIn returns the metric that files are fitted to where they do not have the
// usual one: its median; of time per token, which is all of a request but its
// first token, the inter-token latency or the latency of the whole request.
func StandIn(metric string, have []string) string {
	list := []string{metric, strings.Replace(metric, "_mean_", "_p50_", 1)}
	if strings.HasPrefix(metric, "tpot_") {
		list = append(list, "itl_mean_ms", "e2e_mean_ms", "e2e_p50_ms", "itl_p50_ms")
	}
	for _, m := range list {
		if slices.Contains(have, m) {
			return m
		}
	}
	return metric
}

// DropDuplicates drops rows that repeat an earlier row exactly, values and
// measurements, under another source or id: one run published twice is one
// run. Runs of the same condition with other measurements stay.
func DropDuplicates(rows []*Observation) {
	first := map[string]*Observation{}
	for _, o := range rows {
		if o.Dropped != "" || o.Kind == row.Step {
			continue // steps of equal shape and time are steps all the same
		}
		key := fmt.Sprintf("%v %q %v %v %v %v %v", o.Kind, o.Values, o.Values, o.Targets, o.Rates, o.Scored, o.Shape)
		if e := first[key]; e != nil {
			o.Drop("repeats %s:%d exactly", e.File, e.Line)
			continue
		}
		first[key] = o
	}
}

// Path turns the shorthand of a key of the one class, workload.prompt_tokens,
// into the key; others stay.
func Path(name string) string { return row.Path(name) }

// clash reports whether hints name several chips or parallelisms.
func clash(hints []row.Hint) bool {
	for _, h := range hints {
		for _, o := range hints {
			if h.Chip != "" && o.Chip != "" && h.Chip != o.Chip || h.TP > 0 && o.TP > 0 && h.TP != o.TP {
				return true
			}
		}
	}
	return false
}
