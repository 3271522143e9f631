package scenario

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario/input"
	"scoville/core/unit"
)

// Catalog resolves scenarios. It reads every model configuration, hardware
// file and trace once and keeps it, as it does the checked form of documents.
// It is safe for concurrent use.
type Catalog struct {
	dir    input.Dir
	docs   memo[*Document, *compiled]
	bases  memo[baseID, *base]
	traces memo[string, *input.Trace]
}

// NewCatalog returns a catalogue for which relative file names in a study
// start from dir.
func NewCatalog(dir string) *Catalog {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Catalog{dir: input.Dir(dir)}
}

// memo computes a value, or an error, once per key.
type memo[K comparable, V any] struct{ m sync.Map }

func (m *memo[K, V]) get(key K, load func() (V, error)) (V, error) {
	f, ok := m.m.Load(key)
	if !ok {
		f, _ = m.m.LoadOrStore(key, sync.OnceValues(load))
	}
	return f.(func() (V, error))()
}

// baseID is what the layers decide about the catalogue entries: names, file
// names, or "" for none.
type baseID struct{ model, config, profile, hardware string }

// base is a scenario with defaults and catalogue entries and nothing else.
type base struct {
	scenario        Scenario
	origin          map[string]string
	grades          map[string]hardware.Grade
	texts           map[string]string // where the graded numbers come from
	inputs          map[string]string
	notes           []string  // of a profile
	chip            *Document // of a hardware file, for errors about it; nil = none
	model, hardware string    // names of the entries; "" = the layers' own label
}

// base returns the scenario that the layers start from. A name that no
// catalogue has is a free label when the layers describe the model or the chip
// themselves.
func (c *Catalog) base(all []*compiled) (*base, error) {
	var id baseID
	id.model, _ = lastGiven(all, "model.name")
	id.config, _ = lastGiven(all, "model.config")
	id.profile, _ = lastGiven(all, "model.profile")
	id.hardware, _ = lastGiven(all, "hardware.name")
	gives := func(path string) bool { _, ok := lastGiven(all, path); return ok }
	if id.config != "" && id.profile != "" {
		return nil, &FieldError{Path: "model.profile", Value: id.profile, Rule: "contradicts model.config: each gives the model", Hint: "keep one", Related: []string{"model.config"}}
	}
	if id.config != "" || id.profile != "" || gives("model.layers") && gives("model.hidden") && gives("model.heads") && gives("model.vocab") && !loads(model.Catalog(id.model)) {
		id.model = ""
	}
	peak := func(d unit.DType) bool { return gives("hardware.peak_tflops." + string(d)) }
	if (gives("hardware.memory_bandwidth_gb_s") || gives("hardware.weight_bandwidth_gb_s")) && slices.ContainsFunc(unit.DTypes[:], peak) &&
		!input.IsFile(id.hardware) && !loads(hardware.Catalog(id.hardware)) {
		id.hardware = ""
	}
	return c.bases.get(id, func() (*base, error) { return c.loadBase(id) })
}

func loads[T any](_ T, err error) bool { return err == nil }

func (c *Catalog) loadBase(id baseID) (*base, error) {
	b := &base{scenario: Default(), origin: map[string]string{}, grades: map[string]hardware.Grade{}, texts: map[string]string{}, inputs: map[string]string{}}
	if id.profile != "" {
		p, sum, err := c.dir.Profile(id.profile)
		if err != nil {
			return nil, err
		}
		b.inputs[id.profile], b.notes = sum, p.Notes
		b.merge("model.", &Scenario{Model: p.Model}, id.profile, nil)
	} else if id.config != "" {
		m, sum, err := c.dir.Config(id.config)
		if err != nil {
			return nil, err
		}
		b.inputs[id.config] = sum
		b.merge("model.", &Scenario{Model: m}, id.config, nil)
	} else if id.model != "" {
		m, err := input.Model(id.model)
		if err != nil {
			return nil, err
		}
		b.model = m.Name
		b.merge("model.", &Scenario{Model: m}, "catalogue "+m.Name, nil)
	}
	if id.hardware == "" {
		return b, nil
	}
	e, doc, sum, err := c.dir.Chip(id.hardware)
	if err != nil {
		return nil, err
	}
	b.hardware = e.Hardware.Name
	label := "catalogue " + b.hardware
	if input.IsFile(id.hardware) {
		label = id.hardware
		b.inputs[id.hardware], b.chip = sum, doc
	}
	b.merge("hardware.", &Scenario{Hardware: e.Hardware}, label, e.Sources)
	return b, nil
}

// merge takes over from a catalogue entry what it sets: values that are not
// zero, and zeros that have a source.
func (b *base) merge(table string, from *Scenario, label string, sources map[string]hardware.Source) {
	root, to := reflect.ValueOf(from).Elem(), reflect.ValueOf(&b.scenario).Elem()
	for _, n := range study().nodes {
		key, ok := strings.CutPrefix(n.Path, table)
		if !ok {
			continue
		}
		v := root.FieldByIndex(n.Index)
		source, sourced := sources[key]
		if sourced || !v.IsZero() {
			to.FieldByIndex(n.Index).Set(v)
			b.origin[n.Path] = label
		}
		if sourced && n.Kind == Float {
			b.grades[n.Path], b.texts[n.Path] = source.Grade, source.Where
		}
	}
}

// loadTrace gives a resolved scenario the records of its trace file.
func (c *Catalog) loadTrace(r *Resolved) error {
	file := r.Scenario.Workload.TraceFile
	t, err := c.traces.get(c.dir.Path(file), func() (*input.Trace, error) { return c.dir.Trace(file) })
	if err != nil {
		return err
	}
	r.Scenario.Workload.Records, r.trace = t.Records, t.Hash
	r.Inputs[file] = t.SHA256
	return nil
}
