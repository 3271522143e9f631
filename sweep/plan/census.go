package plan

import (
	"slices"

	"scoville/core/scenario"
	"scoville/sweep/plan/remark"
	"scoville/sweep/sample"
)

// census counts what running a plan will meet.
type census struct {
	blocked int    // points that cannot run, as far as known before their requests are drawn
	point   int    // the first of them
	reason  string // and why
	open    []int  // designs of the points that can run and whose requests arrive by themselves
}

// add takes a point.
func (c *census) add(blocked string, design, point int, s *scenario.Scenario) {
	switch {
	case blocked != "":
		if c.blocked++; c.blocked == 1 {
			c.point, c.reason = point, blocked
		}
	case open(s.Workload.Arrival):
		c.open = append(c.open, design)
	}
}

// Infeasible is how many points cannot run, as far as is known before their
// requests are drawn, and the first of them with its reason.
func (p *Plan) Infeasible() (n, point int, reason string) {
	return p.census.blocked, p.census.point, p.census.reason
}

// Random reports whether anything about the runs of point i is drawn, so that
// replicates differ.
func (p *Plan) Random(i int) (bool, error) {
	pt, err := p.Point(i)
	if err != nil {
		return false, err
	}
	return remark.Random(&pt.Resolved.Scenario), nil
}

// arrivals are the keys that the capacity of a point does not depend on.
var arrivals = []string{"workload.rate_rps", "workload.load", "workload.arrival_cv", "workload.duration_s", "workload.rate_scale", "workload.requests"}

// Capacities is how many capacity runs the points need: one for all that differ
// in nothing but when their requests arrive.
func (p *Plan) Capacities() int {
	without := func(paths []string) bool {
		return !slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(arrivals, path) })
	}
	if p.Study.Independent { // each has a seed of its own
		return len(p.census.open)
	}
	axes := p.Study.Axes
	stride, strides := 1, make([]int, len(axes)) // 0 = when requests arrive
	for i, a := range slices.Backward(axes) {
		if !without(a.Paths) {
			strides[i] = stride
			stride *= len(a.Levels)
		}
	}
	inner := []int{0} // number of each inner design, 0 for one that changes arrivals alone
	for _, a := range p.Study.OAT {
		for range a.Levels {
			n := len(inner)
			if without(a.Paths) {
				n = 0
			}
			inner = append(inner, n)
		}
	}
	if s := p.Study.Sample; s != nil {
		own := slices.ContainsFunc(s.Dims, func(d sample.Dim) bool { return !slices.Contains(arrivals, d.Path) })
		for row := 1; row < s.Rows(); row++ {
			n := 0
			if own {
				n = row
			}
			inner = append(inner, n)
		}
	}
	seen := map[int]struct{}{}
	for _, design := range p.census.open {
		key, rest := inner[design%p.inner], design/p.inner
		for i := len(axes) - 1; i >= 0; i-- {
			key += strides[i] * (rest % len(axes[i].Levels)) * p.inner
			rest /= len(axes[i].Levels)
		}
		seen[key] = struct{}{}
	}
	return len(seen)
}
