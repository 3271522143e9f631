package details

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"scoville/core/scenario/file"
	"scoville/core/table"
	"scoville/core/unit"
)

// What a file may hold. Write leaves no more behind, Read takes no more.
const (
	MaxBytes    = 4 << 20
	MaxPoints   = 16
	MaxRequests = 16 // of a point
	MaxSteps    = 16 // of a request
	MaxParts    = 64 // of a split, a design, a list of reasons
	MaxLevels   = 1001
	MaxNotes    = 64
	maxWord     = 400
	maxText     = 64 << 10
)

// Write puts the file into a folder of results: a reader finds the old one or the
// whole new one. One with neither points nor notes is removed.
func Write(dir string, d *Details) error {
	if len(d.Points)+len(d.Notes) == 0 {
		return Remove(dir)
	}
	text, err := encode(d)
	if err != nil {
		return fmt.Errorf("%s: %w", File, err)
	}
	return table.WriteFile(filepath.Join(dir, File), text)
}

// encode is the text of the file.
func encode(d *Details) ([]byte, error) {
	d.Schema = Schema
	if err := d.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(d)
	if err == nil && len(text) >= MaxBytes {
		err = fmt.Errorf("larger than %s", unit.Bytes(MaxBytes))
	}
	return append(text, '\n'), err
}

// Remove removes the file of an earlier study, if there is one.
func Remove(dir string) error {
	if err := os.Remove(filepath.Join(dir, File)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Read reads the file in a folder whose manifest has the digest; nil if there is
// none, or it belongs to other tables: those of a sweep that was cut short. What is
// too large or not of this kind is an error.
func Read(dir, digest string) (*Details, error) {
	text, err := file.Read(filepath.Join(dir, File), MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	d, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	if d.Digest != digest {
		return nil, nil
	}
	return d, nil
}

// Decode takes a file apart, and refuses one that Write would not have made.
func Decode(text []byte) (*Details, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("larger than %s", unit.Bytes(MaxBytes))
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	d := &Details{}
	if err := in.Decode(d); err != nil {
		return nil, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text than one JSON value")
	}
	if d.Schema != Schema {
		return nil, fmt.Errorf("schema %d, this program reads %d", d.Schema, Schema)
	}
	return d, d.check()
}

// checker remembers the first rule that is broken.
type checker struct{ err error }

func (c *checker) demand(ok bool, rule string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(rule, args...)
	}
}

func (c *checker) words(all ...string) {
	c.demand(len(all) <= MaxParts, "a list of %d words, at most %d", len(all), MaxParts)
	for _, w := range all {
		c.demand(len(w) <= maxWord, "a word of %d bytes, at most %d", len(w), maxWord)
		c.demand(unit.Visible(w) == w, "the word %q has characters that do not print", w)
	}
}

func (c *checker) parts(all []Part, total Number) {
	c.demand(len(all) <= MaxParts, "%d parts of a time, at most %d", len(all), MaxParts)
	sum := 0.0
	for _, p := range all {
		c.words(p.Name)
		c.demand(p.Seconds.Known(), "the part %q has no time", p.Name)
		sum += float64(p.Seconds)
	}
	far := sum - float64(total)
	c.demand(max(far, -far) <= 1e-6*max(sum, float64(total), 1e-3), "parts of %g s add up to %g s", float64(total), sum)
}

func (c *checker) split(s *Split) {
	c.demand(s.Steps >= 0 && s.Seconds.Known(), "steps without a time")
	if s.Steps == 0 {
		return
	}
	c.parts(s.Stages, s.Seconds)
	c.parts(s.Resources, s.Seconds)
}

// check says what is wrong with a file, nil if nothing is.
func (d *Details) check() error {
	c := &checker{}
	c.words(d.Digest)
	c.demand(len(d.Points) <= MaxPoints, "%d points, at most %d", len(d.Points), MaxPoints)
	c.demand(len(d.Notes) <= MaxNotes, "%d notes, at most %d", len(d.Notes), MaxNotes)
	last := -1
	for i := range d.Points {
		p := &d.Points[i]
		c.demand(p.Index > last, "point %d comes after point %d", p.Index, last)
		last = p.Index
		c.point(p)
	}
	for _, n := range d.Notes {
		c.words(n.Text)
	}
	return c.err
}

// Check says why Write would not take a point; nil if it would.
func (p *Point) Check() error {
	c := &checker{}
	c.point(p)
	return c.err
}

func (c *checker) point(p *Point) {
	c.words(p.Chosen...)
	c.words(p.ID, p.Verdict)
	c.demand(!p.Change || len(p.Design) > 0, "point %d: changed, but nothing is", p.Index)
	c.demand(len(p.Design) <= MaxParts, "%d coordinates, at most %d", len(p.Design), MaxParts)
	for _, x := range p.Design {
		c.words(x.Name, x.Value, x.Unit)
	}
	c.demand(len(p.SLO) <= MaxParts, "%d objectives, at most %d", len(p.SLO), MaxParts)
	for _, l := range p.SLO {
		c.words(l.Metric)
	}
	c.demand(len(p.Text) <= maxText && unit.Visible(p.Text) == p.Text, "point %d: a text that is too long or does not print", p.Index)
	c.split(&p.Run)
	c.demand(len(p.Latencies) <= 8, "point %d: %d latencies", p.Index, len(p.Latencies))
	for _, q := range p.Latencies {
		c.words(q.Metric)
		c.demand(q.Count > 0 && len(q.MS) >= 2 && len(q.MS) <= MaxLevels, "point %d: %d quantiles of %q", p.Index, len(q.MS), q.Metric)
		c.demand(!slices.ContainsFunc(q.MS, func(n Number) bool { return !n.Known() }) && slices.IsSorted(q.MS), "point %d: quantiles of %q are not in order", p.Index, q.Metric)
	}
	c.demand(len(p.Requests) <= MaxRequests, "point %d: %d requests, at most %d", p.Index, len(p.Requests), MaxRequests)
	for i := range p.Requests {
		c.request(&p.Requests[i])
	}
}

func (c *checker) request(r *Request) {
	c.words(r.Chosen...)
	c.words(r.Class)
	c.demand(min(r.Number, r.Prompt, r.Output, r.Cached, r.Preemptions, r.Replica) >= 0, "request %d has a count below 0", r.Number)
	c.demand(r.Arrival.Known() && r.TTFT.Known() && r.E2E.Known(), "request %d has no latency", r.Number)
	c.parts(r.Parts, r.E2E/1e3)
	c.split(&r.Split.Prefill)
	c.split(&r.Split.Decode)
	c.demand(len(r.Steps) <= MaxSteps, "request %d: %d steps, at most %d", r.Number, len(r.Steps), MaxSteps)
	for i := range r.Steps {
		s := &r.Steps[i]
		c.words(s.Chosen)
		c.demand(s.Kind == PrefillStep || s.Kind == DecodeStep, "request %d: a step that is %q", r.Number, s.Kind)
		c.demand(min(s.Sequences, s.Prompt, s.Decoded, s.Drafts) >= 0 && s.Start.Known() && s.Context.Known() && s.Split.Steps == 1, "request %d: a step that is none", r.Number)
		c.split(&s.Split)
	}
}
