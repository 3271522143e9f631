package explain

import (
	"fmt"
	"math"
	"slices"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Step is one step, explained. Times are in milliseconds.
type Step struct {
	What      string  `json:"what"`
	MS        Num     `json:"ms"`
	Stages    []Stage `json:"stages"`
	Resources []Part  `json:"resources"`
	Bound     string  `json:"bound"`

	perRequest float64 // such steps of the mean request, shared ones in part
}

// Stage is one stage of a step. MS is exposed time: work hidden behind other
// work takes none. Compute and Memory are the sides of its roofline.
type Stage struct {
	Name    string `json:"name"`
	MS      Num    `json:"ms"`
	Share   Num    `json:"share_ratio"`
	Compute Num    `json:"compute_ms"`
	Memory  Num    `json:"memory_ms"`
	Bound   string `json:"bound"`
}

// Part is a part of a time.
type Part struct {
	Name    string `json:"name"`
	Seconds Num    `json:"seconds"`
	Share   Num    `json:"share_ratio"`
	Bound   string `json:"bound,omitempty"` // of a stage: the resource that binds it in the step explained
}

// steps explains a decode step at the run's mean batch and context, and the
// prefill step of the mean prompt.
func (x *Explanation) steps(sc *scenario.Scenario, runs []replay) {
	if batch := float64(x.Run.Batch); batch > 0 && mean(runs, func(r *replay) float64 { return r.output }) > 1 {
		x.Decode = decode(sc, max(batch, 1), max(1, int(math.Round(float64(x.Run.Context)))))
	}
	prompt := max(1, int(math.Round(mean(runs, func(r *replay) float64 { return r.prompt }))))
	chunk := prompt
	if sc.Engine.ChunkedPre {
		chunk = min(prompt, sc.Engine.MaxTokens)
	}
	x.Prefill = explained(sc, core.Shape{Prompt: chunk})
	x.Prefill.perRequest = float64(prompt) / float64(chunk)
	x.Prefill.What = fmt.Sprintf("prefill step of %s prompt tokens", unit.Grouped(chunk))
	if chunk < prompt {
		x.Prefill.What += fmt.Sprintf(", the first of the mean prompt's %s", unit.Grouped(prompt))
	}
	if x.Decode != nil {
		x.Decode.perRequest = mean(runs, func(r *replay) float64 { return r.output }) / max(float64(x.Run.Batch), 1)
	}
}

// decode explains a decode step of a batch, between whole ones by how near
// they are.
func decode(sc *scenario.Scenario, batch float64, context int) *Step {
	whole := int(batch)
	out := explained(sc, core.Shape{Decodes: whole, Context: context})
	far := batch - float64(whole)
	if far < 0.005 {
		out.What = fmt.Sprintf("decode step of %s at a context of %s tokens", plural(whole, "sequence"), unit.Grouped(context))
		return out
	}
	next := explained(sc, core.Shape{Decodes: whole + 1, Context: context})
	out.towards(next, Num(far))
	out.What = fmt.Sprintf("decode step of %.2f sequences at a context of %s tokens (between steps of %d and %d)", batch, unit.Grouped(context), whole, whole+1)
	return out
}

// towards moves every time of a step by a share of the way to another's.
func (s *Step) towards(next *Step, far Num) {
	between := func(a, b Num) Num { return a + far*(b-a) }
	s.MS = between(s.MS, next.MS)
	for i := range s.Stages {
		a := &s.Stages[i]
		j := slices.IndexFunc(next.Stages, func(b Stage) bool { return b.Name == a.Name })
		if j < 0 {
			continue
		}
		b := &next.Stages[j]
		a.MS, a.Compute, a.Memory = between(a.MS, b.MS), between(a.Compute, b.Compute), between(a.Memory, b.Memory)
		a.Share = a.MS / s.MS
		if far > 0.5 {
			a.Bound = b.Bound
		}
	}
	var resources []Part
	for _, list := range [][]Part{s.Resources, next.Resources} {
		for _, p := range list {
			if !slices.ContainsFunc(resources, func(q Part) bool { return q.Name == p.Name }) {
				p.Seconds = between(seconds(s.Resources, p.Name), seconds(next.Resources, p.Name))
				p.Share = 1e3 * p.Seconds / s.MS
				resources = append(resources, p)
			}
		}
	}
	s.Resources = resources
	if len(resources) > 0 {
		s.Bound = slices.MaxFunc(resources, func(a, b Part) int { return compareNum(a.Seconds, b.Seconds) }).Name
	}
}

// seconds is the time of a part by name, 0 without.
func seconds(all []Part, name string) Num {
	for _, p := range all {
		if p.Name == name {
			return p.Seconds
		}
	}
	return 0
}

func explained(sc *scenario.Scenario, shape core.Shape) *Step {
	s := core.ExplainStep(sc, shape)
	out := &Step{MS: Num(1e3 * s.Seconds), Bound: s.Bound, Resources: parts(s.Resources, s.Seconds)}
	for _, t := range s.Stages {
		out.Stages = append(out.Stages, Stage{t.Name, Num(1e3 * t.Seconds), Num(t.Seconds / s.Seconds), Num(1e3 * t.Compute), Num(1e3 * t.Memory), t.Bound})
	}
	return out
}

// parts are shares of a whole, those that are none left out.
func parts(shares []core.Share, whole float64) []Part {
	var out []Part
	for _, s := range shares {
		if s.Seconds > 0 {
			out = append(out, Part{Name: s.Name, Seconds: Num(s.Seconds), Share: Num(s.Seconds / whole)})
		}
	}
	return out
}

// largest names the three stages with the largest share of the run's busy
// time. What binds one is said of the kind of step in which a request spends
// more of its time.
func (x *Explanation) largest() {
	all := slices.Clone(x.Run.Stages)
	slices.SortStableFunc(all, func(a, b Part) int { return -compareNum(a.Share, b.Share) })
	for _, p := range all[:min(3, len(all))] {
		most := -1.0
		for _, step := range []*Step{x.Decode, x.Prefill} {
			if step == nil {
				continue
			}
			i := slices.IndexFunc(step.Stages, func(s Stage) bool { return s.Name == p.Name })
			if i < 0 {
				continue
			}
			if t := float64(step.Stages[i].MS) * step.perRequest; t > most {
				p.Bound, most = step.Stages[i].Bound, t
			}
		}
		x.Largest = append(x.Largest, p)
	}
}

func compareNum(a, b Num) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// mean is the mean of a number over the runs.
func mean(runs []replay, of func(*replay) float64) float64 {
	sum := 0.0
	for i := range runs {
		sum += of(&runs[i])
	}
	return sum / float64(len(runs))
}
