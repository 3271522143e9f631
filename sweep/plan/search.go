package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"scoville/core/scenario"
	"scoville/core/workload"
	"scoville/sweep/plan/remark"
	"scoville/sweep/search"
	"scoville/sweep/study"
)

// Every point of a study with [search] is the start of one search. What the
// search tries are further points, which Probe resolves.

// SearchSpec is what every search of a study looks for, but for its start.
func SearchSpec(st *study.Study) search.Spec {
	s := st.Search
	return search.Spec{
		From: s.From, To: s.To, Max: s.Max, Whole: s.Whole, Tol: s.Tol,
		Confirm: s.Confirm > 0, Start: math.NaN(), Budget: s.MaxProbes,
	}
}

// SearchRuns is how many runs one search of a study has at most.
func SearchRuns(st *study.Study) int64 {
	own, fresh := SearchSpec(st).Worst()
	return int64(own)*int64(st.Replicates) + int64(fresh)*int64(st.Search.Confirm)
}

// Search returns the identity and the start of search i: it starts at what the
// study gives the path, if that lies in the range.
func (p *Plan) Search(i int) (id string, spec search.Spec, err error) {
	x, err := p.resolveAt(p.designs[i], p.Study.Search.From)
	if err != nil {
		return "", spec, err
	}
	spec = SearchSpec(p.Study)
	spec.Start = x.start
	key := fmt.Appendf(x.resolved.Canonical(), "%s %+v %d %t %d", p.Study.Search.Over, SearchSpec(p.Study), p.Study.Search.Confirm, p.Study.Search.RequireSteady, p.Study.Seed)
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8]), spec, nil
}

// Probe resolves the point that search i tries at a value. Its Index is that of
// the search; Random says whether its replicates differ.
func (p *Plan) Probe(i int, value float64) (pt *Point, isRandom bool, err error) {
	if pt, err = p.point(i, value); err != nil {
		return nil, false, err
	}
	return pt, remark.Random(&pt.Resolved.Scenario), nil
}

// search gives the design the value of the searched path.
func (b *builder) search(value float64) error {
	s := b.plan.Study.Search
	if s == nil {
		return nil
	}
	b.x.start = math.NaN()
	if base := number(&b.x.resolved.Scenario, s.Over); base != nil {
		b.x.start, _ = base.Float64()
	}
	if math.IsNaN(value) {
		spec := SearchSpec(b.plan.Study)
		spec.Start = b.x.start
		value = spec.First()
	}
	var v any = value
	if s.Whole {
		v = int64(value)
	}
	converted, err := scenario.Convert(s.Over, v)
	if err != nil {
		return s.At("over").Point(err)
	}
	at := study.Value{Path: s.Over, Value: converted, At: s.At("over")}
	return b.add([]study.Level{{Values: []study.Value{at}}}, false)
}

// checkSearch refuses a design that cannot be searched: without service levels,
// with a single run of something random, or invalid at an end of the range.
func (p *Plan) checkSearch(design int, x *expansion) error {
	s := p.Study.Search
	if s == nil {
		return nil
	}
	if len(x.resolved.Scenario.SLO) == 0 {
		return s.At("over").Errorf("search", "add for example [slo] and in it ttft_p99_ms = { max = 2000 }", "there is no service level to meet")
	}
	if p.Study.Replicates < 2 && remark.Random(&x.resolved.Scenario) {
		err := p.Study.Doc.Errorf("replicates.n", "take 5 or more", "one run has no interval, and a search needs one: a value passes when the whole interval keeps the limit")
		err.Where = "search"
		return err
	}
	for _, end := range []float64{s.From, s.To} {
		if _, err := p.resolveAt(design, end); err != nil {
			return err
		}
	}
	if design == 0 && s.Whole && s.Doc.Has("search.tol") {
		p.Notes = append(p.Notes, fmt.Sprintf("search.tol has no effect: %s takes whole numbers, and the answer is exact", s.Over))
	}
	if w := x.resolved.Scenario.Workload; design == 0 && s.RequireSteady && open(w.Arrival) && w.Requests > 0 && w.Requests < steadyRequests {
		p.Notes = append(p.Notes, fmt.Sprintf("%d requests a run are too few to tell whether a queue is stable: nothing can pass with require_steady", w.Requests))
	}
	return nil
}

// steadyRequests are the requests below which no queue is judged.
const steadyRequests = 200

func open(a string) bool { return a != workload.Closed && a != workload.Burst }
