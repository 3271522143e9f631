package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"scoville/core/hardware"
	"scoville/core/workload"
)

// Layer is one source of values: a document (overlay or study), or
// assignments (case, axis point, --set), or both, the assignments later.
type Layer struct {
	Name      string    // as Origin names it: "overlay calibrated.toml", "study", "axes"
	Doc       *Document // must not change once resolved: it is compiled once
	Values    []Assignment
	AppliesTo *AppliesTo // not nil: an overlay from a calibration, skipped where it does not apply

	fit  calibration // of an overlay, see OverlayLayer
	chip bool        // Doc is a hardware file: its keys stand under "hardware."
}

// Assignment gives one study key a value.
type Assignment struct {
	Path  string
	Value any
}

// Resolved is a scenario with where its values come from.
type Resolved struct {
	Scenario Scenario

	// Origin names the layer or catalogue entry that set a key. Keys that are
	// not in it have their default.
	Origin map[string]string

	// Grades says how well each number of the hardware is known that is not a
	// default: as its catalogue file or the [sources] of its overlay say, else
	// "calibrated" from an overlay that applies and "assumed" from any other
	// layer. An efficiency that acts and that nobody gave, so that it is 1, is
	// "assumed". WeakestSource is the weakest.
	Grades        map[string]hardware.Grade
	WeakestSource hardware.Grade

	// Calibrated is set when an overlay from a calibration applied, and the fit of
	// every one that did had succeeded. Failed is what [calibration] status says of
	// the last one whose fit had not: its values are taken, but as assumed ones,
	// and nothing is known of how sure they are. "" = none.
	Calibrated bool
	Failed     string

	// Misses tells of each overlay from a calibration that did not apply why.
	Misses []Miss

	// Outside says for each condition of the overlays that applied how the
	// scenario leaves the span of their measurements ([calibration.range]), or how
	// its chip is not the one they were fitted on (Scenario.Chip), where their numbers
	// are an extrapolation. A sentence starts with the key. The fitted chip is that
	// of [calibration.hardware], else the catalogue's of the name; a number within
	// 1 % of it is the same.
	// Prompt and output tokens are compared for every class, its mean and its
	// bounds; those of a trace are not. Concurrency is compared for closed loops
	// only: an open loop has no such number, and engine.max_num_seqs is not one.
	Outside []string

	// Notes are those of the profile model.profile, if any: what it says that
	// may not be meant. A sentence starts with the key.
	Notes []string

	// OverlayVersion is the version of the simulator that the last overlay that
	// applied was fitted with; 0 = none, or not said.
	OverlayVersion int

	// Inputs is the SHA-256 of every file read, in hex, by its name as given.
	Inputs map[string]string

	spans  []span            // conditions that Outside is about
	fits   []appliedFit      // overlays that applied and know their errors, in order
	trace  string            // hash of the trace records
	given  map[string]string // where numbers of the hardware come from, by key, as their layer's [sources] say
	origin *base             // catalogue entries
}

// Source tells how well the number of the hardware with a study key is known,
// and where it comes from: the words of its catalogue file or of [sources],
// else the layer that set it. ok is false for a key without a grade.
func (r *Resolved) Source(path string) (s hardware.Source, ok bool) {
	s.Grade, ok = r.Grades[path]
	layer, set := r.Origin[path]
	switch {
	case !ok:
	case !set:
		s.Where = "nobody gave it: 1 is what the datasheet allows at best"
	case r.given[path] != "":
		s.Where = r.given[path]
	case layer == r.origin.origin[path]:
		s.Where = r.origin.texts[path]
	default:
		s.Where = "set by " + layer
	}
	return s, ok
}

// grades from best to weakest: what the maker or a cited document states; what
// was fitted to measurements, which may absorb what the model leaves out; what
// was computed from published numbers, by a formula nobody has checked against
// the device; what was chosen.
var grades = []hardware.Grade{hardware.Published, hardware.Calibrated, hardware.Derived, hardware.Assumed}

// Resolve builds the scenario of a design point: defaults, then the catalogue
// entries that the layers decide on, then the layers in order, later ones
// winning. It checks each value but not the rules between them, see Validate.
//
// An error is an *Error where a document of the layers has the key, a
// *FieldError where only assignments have it, or the error of a catalogue,
// configuration or trace file, which points into that file.
func (c *Catalog) Resolve(layers ...Layer) (*Resolved, error) {
	r, err := c.resolve(layers)
	if err != nil {
		return nil, Locate(err, layers...)
	}
	return r, nil
}

func (c *Catalog) resolve(layers []Layer) (*Resolved, error) {
	all := make([]*compiled, len(layers))
	for i, l := range layers {
		var err error
		if all[i], err = c.compile(l); err != nil {
			return nil, err
		}
	}
	b, err := c.base(all)
	if err != nil {
		return nil, err
	}
	r := &Resolved{Scenario: b.scenario, Origin: maps.Clone(b.origin), Grades: maps.Clone(b.grades), Inputs: maps.Clone(b.inputs), given: map[string]string{}, origin: b, Notes: b.notes}
	var spans []span
	for i, l := range layers {
		if l.Doc != nil {
			r.Inputs[l.Doc.File] = l.Doc.SHA256
		}
		grade := hardware.Assumed
		if l.AppliesTo != nil {
			chip, miss := l.applies(all, b)
			if miss != nil {
				r.Misses = append(r.Misses, *miss)
				continue
			}
			grade = r.calibrate(&l)
			spans = append(spans, l.fit.spans...)
			for _, p := range l.chipSpans(chip, all[i].given) {
				if !slices.Contains(spans, p) {
					spans = append(spans, p)
				}
			}
		}
		if err := r.apply(all[i], &l, grade); err != nil {
			return nil, err
		}
	}
	s := &r.Scenario
	r.dropDeclared(all)
	if b.model != "" {
		s.Model.Name = b.model
	}
	if b.hardware != "" {
		s.Hardware.Name = b.hardware
	}
	if _, given := r.Origin["workload.requests"]; !given && (s.Workload.Arrival == workload.Trace || rated(&s.Workload) && s.Workload.DurationS > 0) {
		s.Workload.Requests = 0 // the trace or the duration is the limit
	}
	r.spans = spans
	r.Outside = s.outside(spans)
	r.gradeDefaults()
	for _, g := range r.Grades {
		if slices.Index(grades, g) >= slices.Index(grades, r.WeakestSource) {
			r.WeakestSource = g
		}
	}
	if s.Workload.Arrival == workload.Trace && s.Workload.TraceFile != "" {
		return r, c.loadTrace(r)
	}
	return r, nil
}

// calibrate takes what an overlay that applies says of its fit, and returns the
// grade of its numbers.
func (r *Resolved) calibrate(l *Layer) hardware.Grade {
	r.OverlayVersion = cmp.Or(l.fit.version, r.OverlayVersion)
	if status := l.fit.failed; status != "" {
		r.Failed, r.Calibrated, r.fits = status, false, nil
		r.Notes = append(slices.Clip(r.Notes), fmt.Sprintf("base: the fit of %s failed, its status is %q: its numbers are taken, but as assumed ones", l.Name, status))
		return hardware.Assumed
	}
	r.Calibrated = r.Failed == ""
	if u := l.fit.uncertainty; u != nil && r.Calibrated {
		r.fits = append(r.fits, appliedFit{l.Name, u})
	}
	return hardware.Calibrated
}

// dropDeclared forgets the parameter count of a catalogue entry or profile
// when a layer changes its dimensions: a variant has a count of its own, which
// nobody declared.
func (r *Resolved) dropDeclared(all []*compiled) {
	const key = "model.declared_params"
	if _, given := lastGiven(all, key); given {
		return
	}
	for _, path := range dimensions() {
		if _, changed := lastGiven(all, path); changed {
			r.Scenario.Model.DeclaredParams = 0
			delete(r.Origin, key)
			return
		}
	}
}

// dimensions are the keys that the number of parameters depends on.
var dimensions = sync.OnceValue(func() (paths []string) {
	for _, n := range study().nodes {
		key, ok := strings.CutPrefix(n.Path, "model.")
		if ok && (n.Kind == Int || n.Kind == Bool) && !slices.Contains([]string{"max_context", "sliding_window", "sliding_layers", "experts_per_token"}, key) {
			paths = append(paths, n.Path)
		}
	}
	return paths
})

// compile checks a layer; documents are checked once.
func (c *Catalog) compile(l Layer) (*compiled, error) {
	doc := &compiled{}
	if l.Doc != nil {
		var err error
		if doc, err = c.docs.get(l.Doc, func() (*compiled, error) { return compileDoc(l.Doc) }); err != nil {
			return nil, err
		}
	}
	all := doc
	if len(l.Values) > 0 {
		all = &compiled{settings: slices.Clip(doc.settings), given: map[string]string{}}
		maps.Copy(all.given, doc.given)
		for _, a := range l.Values {
			set, err := newSetting(a.Path, a.Value)
			if err != nil {
				return nil, err
			}
			all.add(set)
		}
	}
	if l.AppliesTo != nil {
		for _, path := range decisive {
			if _, ok := all.given[path]; ok {
				return nil, &FieldError{Path: path, Rule: "an overlay with applies_to cannot set what decides whether it applies", Hint: "move it to the study"}
			}
		}
	}
	return all, nil
}

// apply writes a layer into the scenario and notes where values come from;
// grade is that of numbers of which the layer does not say it.
func (r *Resolved) apply(c *compiled, l *Layer, grade hardware.Grade) error {
	for i := range c.settings {
		set := &c.settings[i]
		if err := set.apply(&r.Scenario); err != nil {
			return err
		}
		if set.path == "workload.class" { // the keys of earlier classes are gone
			maps.DeleteFunc(r.Origin, func(path, _ string) bool { return strings.HasPrefix(path, classPrefix) })
		}
		for _, path := range set.classKeys {
			r.Origin[path] = l.Name
		}
		r.Origin[set.path] = l.Name
		if set.node != nil && set.node.Kind == Float && !set.node.inDerate && strings.HasPrefix(set.path, "hardware.") {
			said := l.fit.sources[set.path]
			r.Grades[set.path] = cmp.Or(said.Grade, grade)
			if r.given[set.path] = said.Where; said.Where == "" {
				delete(r.given, set.path)
			}
		}
	}
	return nil
}

// lastGiven returns the string that the last layer with a key gives it.
func lastGiven(all []*compiled, path string) (string, bool) {
	for _, c := range slices.Backward(all) {
		if text, ok := c.given[path]; ok {
			return text, true
		}
	}
	return "", false
}
