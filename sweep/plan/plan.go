// Package plan expands a study into an ordered list of design points: the
// outer product of its axes, and around each combination a baseline and its
// one-at-a-time changes. A plan is computed, never run, and the same for every
// worker count; points are resolved one by one when asked for. It knows no
// results.
package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/core/unit"
	"scoville/sweep/plan/column"
	"scoville/sweep/plan/grade"
	"scoville/sweep/plan/remark"
	"scoville/sweep/results"
	"scoville/sweep/sample"
	"scoville/sweep/study"
	"scoville/sweep/work"
)

// Plan is the list of points of a study. It is safe for concurrent use.
type Plan struct {
	Study   *study.Study
	Columns []Column
	Removed []int             // designs that each rule of [[where]] took out, of those that the rules before it left
	Merged  int               // designs left out because an earlier one resolves to the same scenario
	Notes   []string          // what may surprise: levels that were rounded, designs that were merged
	Inputs  map[string]string // SHA-256 of every file that goes into a point, by name
	Numbers []results.Number  // of the hardware of all points, with how well they are known

	catalog *scenario.Catalog
	quick   *quick
	census  census
	names   map[string]reference // that rules of [[where]] may use beside paths
	ahead   []resolution         // of the chunk that expand is at
	inner   int                  // designs of one outer combination: baseline and changes
	designs []int                // of the points: number in the unmerged product
	ids     [][8]byte            // of the points
	drawn   []bool               // of the points: parameters are drawn for it
	sizes   []work.Size          // of a run of the points; zero = nothing to simulate
	whole   []int                // of the points of a part: index in the whole plan; nil = this is the whole
	rows    *sample.Record       // of a sample, with the point of each row; nil = none
	first   []int                // run of each point, and at the end the number of runs
}

// Column is an axis as a column of the results.
type Column = column.Column

// Point is one design point.
type Point struct {
	Index    int    // position in the plan
	Seed     uint64 // of its streams
	ID       string // hash of the resolved scenario, 16 hexadecimal digits
	Baseline bool   // of an outer combination with one-at-a-time changes

	OATPath   string  // path, or "group.NAME", that differs from the baseline; "" = none
	OATLevel  string  // as the study writes it: "-20%"
	OATChange float64 // actual relative change; NaN when it is not one number

	Cells      []any // by Column: float64, int64, bool, string, or nil
	Resolved   *scenario.Resolved
	Infeasible string // why the scenario cannot run on its hardware; "" = nothing known
}

// maxNotes bounds the notes kept.
const maxNotes = 20

// New expands a study and checks every point. Errors point into the study or
// another file that is wrong.
func New(st *study.Study) (*Plan, error) {
	p := fresh(st)
	if err := p.fill(); err != nil {
		return nil, err
	}
	return p, nil
}

// fresh is a plan before its points are counted.
func fresh(st *study.Study) *Plan {
	p := &Plan{
		Study: st, Columns: column.Of(st), Inputs: map[string]string{},
		catalog: scenario.NewCatalog(filepath.Dir(st.Doc.File)), inner: 1,
	}
	for _, a := range st.OAT {
		p.inner += len(a.Levels)
	}
	if st.Sample != nil {
		p.inner = st.Sample.Rows()
		p.rows = &sample.Record{Design: st.Sample.Design}
	}
	p.quick = newQuick(p)
	return p
}

// fill counts, resolves and checks the points.
func (p *Plan) fill() error {
	if err := p.checkRules(); err != nil {
		return err
	}
	total, err := p.size()
	if err != nil {
		return err
	}
	if err := p.expand(total); err != nil {
		return err
	}
	return p.checkRuns()
}

// chunk is how many designs are resolved ahead at a time, on all cores.
const chunk = 1024

// resolution is a design resolved ahead of its turn.
type resolution struct {
	x     *expansion
	err   error
	sum   [sha256.Size]byte // of the canonical scenario
	notes []string          // of the scenario

	blocked string    // why it cannot run, as far as known before its requests are drawn
	size    work.Size // zero = it cannot
}

// resolveChunk resolves n designs from one on. What each gives does not depend
// on the others.
func (p *Plan) resolveChunk(from, n int) {
	p.ahead = make([]resolution, n)
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			var text []byte
			for i := w; i < n; i += workers {
				r := &p.ahead[i]
				if r.x, r.err = p.resolve(from + i); r.err != nil || r.x.rule >= 0 {
					continue
				}
				text = r.x.canonical(text[:0])
				r.sum = sha256.Sum256(text)
				r.notes = slices.Concat(r.x.resolved.Notes, r.x.resolved.Scenario.Notes())
				if r.blocked = r.x.infeasible; r.blocked == "" {
					if err := core.Feasible(&r.x.resolved.Scenario); err != nil {
						r.blocked = err.Error()
					}
				}
				if r.blocked == "" {
					r.size = work.Of(&r.x.resolved.Scenario)
				}
			}
		})
	}
	group.Wait()
}

// expand resolves every design, merges equal ones and counts the runs.
func (p *Plan) expand(total int) error {
	seen := map[[16]byte]int32{} // points by scenario
	said, rests, losses := remark.Remarks{}, grade.Numbers{}, gaps{}
	single := 0 // points without replicates, since nothing about them is random
	chance := 0 // points without replicates, though something about them is random
	p.first = []int{0}
	var last *scenario.Template
	for design := range total {
		if design%chunk == 0 {
			p.resolveChunk(design, min(total-design, chunk))
		}
		x, err := p.ahead[design%chunk].x, p.ahead[design%chunk].err
		if err != nil {
			return err
		}
		if x.rule >= 0 {
			p.Removed[x.rule]++
			p.rows.Add(sample.NoPoint)
			continue
		}
		if x.template == nil || x.template != last {
			maps.Copy(p.Inputs, x.resolved.Inputs)
		}
		last = x.template
		said.Add(x.resolved, p.ahead[design%chunk].notes)
		for _, note := range x.notes {
			if len(p.Notes) < maxNotes && !slices.Contains(p.Notes, note) {
				p.Notes = append(p.Notes, note)
			}
		}
		sum := p.ahead[design%chunk].sum
		if point, ok := seen[[16]byte(sum[:16])]; ok {
			p.Merged++
			p.rows.Add(int(point))
			continue
		}
		seen[[16]byte(sum[:16])] = int32(p.Len())
		p.rows.Add(p.Len())
		p.designs = append(p.designs, design)
		p.ids = append(p.ids, [8]byte(sum[:8]))
		p.sizes = append(p.sizes, p.ahead[design%chunk].size)
		said.Point(x.resolved)
		rests.Add(x.resolved, x.template)
		losses.add(p.Study.Accuracy, &x.resolved.Scenario)
		replicates := p.Study.Most()
		switch drawn := remark.Random(&x.resolved.Scenario); {
		case replicates > 1 && !drawn:
			replicates = 1
			single++
		case replicates == 1 && drawn:
			chance++
		}
		if err := p.checkSearch(design, x); err != nil {
			return err
		}
		p.first = append(p.first, p.Runs()+replicates)
		p.census.add(p.ahead[design%chunk].blocked, design, len(p.ids)-1, &x.resolved.Scenario)
		p.drawn = append(p.drawn, p.Study.Draws > 0 && x.infeasible == "" && x.resolved.Uncertain())
	}
	p.Notes = append(p.Notes, p.ruleNotes(total)...)
	p.Notes = append(append(p.Notes, p.rows.Notes()...), remark.Sample(p.Study.Sample, p.Study.Search != nil)...)
	if p.Merged > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s of %s designs resolve to the scenario of an earlier one and are merged with it", unit.Grouped(p.Merged), unit.Grouped(total)))
	}
	if single > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("nothing is drawn at random at %s of %s points (a trace, or fixed lengths of one class without random arrivals): one run each, without intervals", unit.Grouped(single), unit.Grouped(p.Len())))
	}
	if chance > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s of %s points draw at random and run once: no interval says how far chance moves them; [replicates] n = 5 gives one", unit.Grouped(chance), unit.Grouped(p.Len())))
	}
	p.Notes = append(p.Notes, said.List(p.Study.Metrics)...)
	p.Notes = append(p.Notes, losses.list(p.Len())...)
	p.Notes = append(append(p.Notes, p.drawNotes()...), p.seedNotes()...)
	p.Numbers = rests.List()
	p.ahead = nil
	return nil
}

// sizeKeys are where the size of a plan is decided, the first to be named.
var sizeKeys = []string{"run.max_runs", "axes", "cases", "zip", "oat", "sample", "replicates"}

// size counts the designs before rules and merging; more runs than max_runs
// are an error that shows what they are the product of.
func (p *Plan) size() (int, error) {
	st := p.Study
	each := big.NewInt(int64(st.Most()))
	if st.Search != nil {
		each.SetInt64(SearchRuns(st))
	}
	runs := new(big.Int).Mul(each, big.NewInt(int64(p.inner)))
	var factors []string
	for _, a := range st.Axes {
		runs.Mul(runs, big.NewInt(int64(len(a.Levels))))
		factors = append(factors, fmt.Sprintf("%s %d", a.Name, len(a.Levels)))
	}
	limit := st.MaxRuns
	if len(st.Where) > 0 { // the rules decide first
		limit = max(limit, maxDesigns*int64(st.Most()))
	}
	if runs.Cmp(big.NewInt(limit)) > 0 {
		if st.Sample != nil {
			factors = append(factors, fmt.Sprintf("rows of the sample %d", p.inner))
		} else if p.inner > 1 {
			factors = append(factors, fmt.Sprintf("oat %d", p.inner))
		}
		if st.Search != nil {
			factors = append(factors, fmt.Sprintf("runs of a search at most %d", each))
		} else {
			factors = append(factors, replicates(st))
		}
		at := slices.IndexFunc(sizeKeys, st.Doc.Has)
		err := st.Doc.Errorf(sizeKeys[max(at, 0)], "remove levels, or raise max_runs under [run]", "%s runs are more than max_runs = %d: %s",
			unit.Commas(runs.String()), st.MaxRuns, strings.Join(factors, " x "))
		err.Where = "run.max_runs"
		return 0, err
	}
	return int(runs.Quo(runs, each).Int64()), nil
}

// Len is the number of points.
func (p *Plan) Len() int { return len(p.designs) }

// Runs is the number of runs: of each point its replicates, which is one where
// nothing is random.
func (p *Plan) Runs() int { return p.first[len(p.first)-1] }

// Run is the point and the replicate of run i; runs come by point, then
// replicate.
func (p *Plan) Run(i int) (point, replicate int) {
	point = sort.SearchInts(p.first, i+1) - 1
	return point, i - p.first[point]
}

// Item is the run of a point and a replicate.
func (p *Plan) Item(point, replicate int) int { return p.first[point] + replicate }

// Order is the order to run in: a permutation of the runs that looks random
// but is always the same, so that a slow corner of the grid does not come last
// and failures show early.
func (p *Plan) Order() []int {
	return rand.New(rand.NewPCG(0x5c0711e, uint64(p.Runs()))).Perm(p.Runs())
}

// Size is that of a run of point i, which its cost goes with; zero if there is
// nothing to simulate.
func (p *Plan) Size(i int) work.Size { return p.sizes[i] }

// ID is that of point i: the hash of its resolved scenario.
func (p *Plan) ID(i int) string { return hex.EncodeToString(p.ids[i][:]) }

// Find returns the point that a word names: its index, its id, or the
// beginning of its id where no other has it.
func (p *Plan) Find(word string) (int, error) {
	if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < p.Len() && len(word) < 16 {
		return i, nil
	}
	found := []int{}
	for i := range p.Len() {
		if word != "" && strings.HasPrefix(p.ID(i), strings.ToLower(word)) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("%d points have an id that begins so, for example %s and %s", len(found), p.ID(found[0]), p.ID(found[1]))
	}
	return 0, fmt.Errorf("none of %s points has this index or id", unit.Grouped(p.Len()))
}

// Only is the plan of point i alone. The point keeps its index.
func (p *Plan) Only(i int) *Plan { return p.Points([]int{i}) }

// Points is the plan of some of the points, in order. They keep their indices.
func (p *Plan) Points(list []int) *Plan {
	q := *p
	q.rows = nil // not a whole sample
	q.designs, q.ids, q.drawn, q.sizes, q.whole, q.first = nil, nil, nil, nil, []int{}, []int{0}
	for _, i := range list {
		q.designs, q.ids, q.drawn = append(q.designs, p.designs[i]), append(q.ids, p.ids[i]), append(q.drawn, p.drawn[i])
		q.sizes = append(q.sizes, p.sizes[i])
		q.whole, q.first = append(q.whole, p.Index(i)), append(q.first, q.Runs()+p.Replicates(i))
	}
	return &q
}

// Index is that of point i in the whole plan.
func (p *Plan) Index(i int) int {
	if p.whole == nil {
		return i
	}
	return p.whole[i]
}

// Point resolves point i.
func (p *Plan) Point(i int) (*Point, error) {
	return p.point(i, math.NaN())
}

// point resolves point i at a value of the path that is searched over.
func (p *Plan) point(i int, value float64) (*Point, error) {
	design := p.designs[i]
	x, err := p.resolveAt(design, value)
	if err != nil {
		return nil, err
	}
	pt := &Point{Index: p.Index(i), ID: p.ID(i), Resolved: x.resolved, Baseline: p.inner > 1 && design%p.inner == 0 && p.Study.Sample == nil, OATChange: x.change, Infeasible: x.infeasible}
	if !math.IsNaN(value) { // not the scenario of the plan
		sum := sha256.Sum256(x.resolved.Canonical())
		pt.ID = hex.EncodeToString(sum[:8])
	}
	pt.Seed = p.seedOf(pt.ID)
	if x.variation != nil {
		pt.OATPath, pt.OATLevel = x.variation.Name, x.level.Name
	}
	for _, c := range p.Columns {
		pt.Cells = append(pt.Cells, p.cell(c, x))
	}
	return pt, nil
}

// cell is the value of a column at a point; nil where it has none of the
// column's type.
func (p *Plan) cell(c Column, x *expansion) any {
	for i, a := range p.Study.Axes {
		if a.Named && a.Name == c.Path {
			return x.outer[i].Name
		}
	}
	v, err := x.resolved.Scenario.Get(c.Path)
	if err != nil {
		return nil
	}
	switch v := v.(type) {
	case float64:
		if c.Kind == table.Float64 {
			return v
		}
	case int:
		return int64(v)
	case bool, string:
		return v
	}
	if c.Kind == table.String {
		return study.Show(v)
	}
	return nil
}

// Value is what a study key is at a point.
type Value struct {
	Value  any
	Origin string // layer or catalogue entry that set it; "default" for none
	Grade  string // how well a number of the hardware is known; "" for others
}

// Explain tells the value of a study key at a point and where it comes from.
func (p *Plan) Explain(i int, path string) (Value, error) {
	pt, err := p.Point(i)
	if err != nil {
		return Value{}, err
	}
	v, err := pt.Resolved.Scenario.Get(path)
	if err != nil {
		return Value{}, err
	}
	return Value{v, cmp.Or(pt.Resolved.Origin[path], grade.Default), string(pt.Resolved.Grades[path])}, nil
}

// asInfeasible returns the reason if err says that a valid scenario cannot
// run.
func asInfeasible(err error) (string, bool) {
	e, ok := errors.AsType[*scenario.InfeasibleError](err)
	if !ok {
		return "", false
	}
	return e.Reason, true
}
