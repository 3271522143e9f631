// Package remark knows what may surprise about the scenarios of a plan: whether
// anything about a run is drawn, keys without effect, overlays of another
// version. It knows no study.
package remark

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Random reports whether anything about a run is drawn, so that replicates
// differ: arrivals, lengths, classes, or the fate of draft tokens.
func Random(s *scenario.Scenario) bool {
	e, w := &s.Engine, &s.Workload
	if e.SpecTokens > 0 && e.SpecAccept > 0 && e.SpecAccept < 1 {
		return true
	}
	switch w.Arrival {
	case workload.Trace:
		return false
	case workload.Poisson, workload.Gamma:
		return true
	}
	classes := 0
	for i := range w.Class {
		c := &w.Class[i]
		if c.Share == 0 {
			continue
		}
		classes++
		if varies(&c.Prompt, s) || varies(&c.Output, s) {
			return true
		}
	}
	return classes > 1
}

// varies reports whether a length is drawn.
func varies(d *workload.Dist, s *scenario.Scenario) bool {
	switch d.Kind {
	case workload.Fixed:
		return s.Measurement.LengthRange < 1
	case workload.LogNormal, workload.GammaDist:
		return d.CV > 0
	}
	return true
}

// Most bounds the notes on scenarios, one a key.
const Most = 5

// Remarks gathers what may surprise about the scenarios of a plan, once a key.
// A key that acts at some of the points is there for them. The zero value is
// ready.
type Remarks struct {
	keys, notes []string // the first note of each key
	count       []int    // designs that have it
	designs     int
	versions    []int
	counted     counted
	misses      misses
}

// Add takes the notes of a design.
func (r *Remarks) Add(x *scenario.Resolved, notes []string) {
	r.designs++
	r.counted.add(&x.Scenario)
	for _, note := range notes {
		key := note[:max(0, strings.IndexAny(note, " :"))]
		i := slices.Index(r.keys, key)
		if i < 0 {
			i = len(r.keys)
			r.keys, r.notes, r.count = append(r.keys, key), append(r.notes, note), append(r.count, 0)
		}
		r.count[i]++
	}
	if v := x.OverlayVersion; v != 0 && v != core.Version && !slices.Contains(r.versions, v) {
		r.versions = append(r.versions, v)
	}
}

// Point takes a point of the plan: a design that is no other's equal.
func (r *Remarks) Point(x *scenario.Resolved) { r.misses.add(x) }

// List returns the notes. metrics are those of the study; nil is all.
func (r *Remarks) List(metrics []string) []string {
	var notes []string
	for i, note := range r.notes {
		if r.count[i] == r.designs || !strings.Contains(note, " has no effect ") {
			notes = append(notes, note)
		}
	}
	if n := len(notes) - Most; n > 0 {
		notes = append(slices.Clone(notes[:Most]), fmt.Sprintf("%d more keys have a note of this kind", n))
	}
	notes = append(notes, r.misses.notes()...)
	for _, v := range r.versions {
		notes = append(notes, fmt.Sprintf("warning: an overlay was fitted with simulator version %d, this is version %d: its numbers may not fit, run calibrate again", v, core.Version))
	}
	return append(notes, r.counted.note(metrics)...)
}
