// Package fold splits conditions into those that are fitted to and those that
// are predicted from that fit.
package fold

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/objective"
	"scoville/calibrate/spec"
	"scoville/core/workload"
)

// Fold is one split: indexes of the conditions fitted to, and of those
// predicted from that fit.
type Fold struct {
	Name    string
	In, Out []int
}

// Groups counts what of the conditions listed says something of its own about a
// new row of the kind that is held out: each condition where they are drawn at
// random, each value of the key where its values are left out in turn, and else
// each level of load, whose conditions err alike.
func Groups(conds []objective.Condition, in []int, s *spec.Spec) int {
	j := &splitter{conds, in, s}
	kind := conds[in[0]].Kind
	if s.Holdout == nil && (s.Random.Fraction > 0 || s.Folds > 0 || s.By == "" && kind != row.Serving && kind != row.Replay) {
		return len(in)
	}
	path := s.By
	if path == "" || s.Holdout != nil {
		path, _ = j.levels()
	}
	var values []string
	for _, i := range in {
		if v := j.value(i, path); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return len(values)
}

// splitter splits some of the conditions.
type splitter struct {
	conds  []objective.Condition
	fitted []int
	spec   *spec.Spec
}

// Of lists the splits of the conditions listed in fitted, and how they were
// split in words.
func Of(conds []objective.Condition, fitted []int, s *spec.Spec) ([]Fold, string) {
	j := &splitter{conds, fitted, s}
	return j.folds()
}

// Levels returns the load axis of the conditions listed and its distinct values,
// in order.
func Levels(conds []objective.Condition, fitted []int) (path string, levels []float64) {
	j := &splitter{conds: conds, fitted: fitted}
	return j.levels()
}

// folds lists the splits, and how the data were split in words: what the
// specification says or else, for batches and steps, random conditions, for
// servers each interior level of load.
func (j *splitter) folds() ([]Fold, string) {
	draws := j.spec.Random
	switch kind := j.conds[j.fitted[0]].Kind; {
	case j.spec.By != "":
		return j.by(j.spec.By)
	case j.spec.Folds > 0:
		n := min(j.spec.Folds, len(j.fitted))
		return j.random(n, func(rank, k int) bool { return rank%n == k }, func(int) uint64 { return draws.Seed }),
			fmt.Sprintf("each of %d parts in turn, drawn with seed %d", n, draws.Seed)
	case draws.Fraction > 0:
	case kind == row.Replay:
		return nil, "none: one run; [holdout] where = 'request >= 100' holds out its later requests"
	case kind != row.Serving:
		draws = spec.Usual()
	default:
		path, levels := j.levels()
		folds, how := j.by(path)
		if len(levels) < 3 || len(folds) == 0 {
			return nil, "none: fewer than three levels of load"
		}
		return folds, how
	}
	n := int(math.Round(draws.Fraction * float64(len(j.fitted))))
	if n < 1 || len(j.fitted) < 5 {
		return nil, fmt.Sprintf("none: %g of %d conditions are none", draws.Fraction, len(j.fitted))
	}
	return j.random(draws.Seeds, func(rank, _ int) bool { return rank < n }, func(k int) uint64 { return draws.Seed + uint64(k) }),
		fmt.Sprintf("%.0f %% of the conditions at random, with %d seeds from %d", 100*draws.Fraction, draws.Seeds, draws.Seed)
}

// random draws n folds: the conditions are ranked at random with the seed of
// each, and those that pick says are held out.
func (j *splitter) random(n int, pick func(rank, k int) bool, seed func(k int) uint64) []Fold {
	var out []Fold
	for k := range n {
		s := workload.NewStream(seed(k), 0, "holdout")
		order := slices.Clone(j.fitted)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Uniform(a), s.Uniform(b)) })
		f := Fold{Name: fmt.Sprintf("draw %d of %d", k+1, n)}
		for rank, c := range order {
			if pick(rank, k) {
				f.Out = append(f.Out, c)
			} else {
				f.In = append(f.In, c)
			}
		}
		slices.Sort(f.In)
		slices.Sort(f.Out)
		if len(f.In) > 0 && len(f.Out) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// by holds out each value of a key in turn; of load (concurrency or rate) each
// level that lies between others of the same model.
func (j *splitter) by(path string) ([]Fold, string) {
	load := path == "workload.concurrency" || path == "workload.rate_rps"
	var names []string
	at := map[string]int{}
	var folds []Fold
	for _, i := range j.fitted {
		name, inner := j.value(i, path), true
		if load {
			inner = j.interior(i, path)
		}
		if !inner {
			continue
		}
		k, ok := at[name]
		if !ok {
			k = len(folds)
			at[name] = k
			folds = append(folds, Fold{Name: path + " = " + name})
			names = append(names, name)
		}
		folds[k].Out = append(folds[k].Out, i)
	}
	for k := range folds {
		for _, i := range j.fitted {
			if !slices.Contains(folds[k].Out, i) {
				folds[k].In = append(folds[k].In, i)
			}
		}
	}
	folds = slices.DeleteFunc(folds, func(f Fold) bool { return len(f.In) == 0 })
	if len(folds) == 0 {
		return nil, "none: one value of " + path
	}
	if load {
		slices.SortFunc(folds, func(a, b Fold) int {
			return cmp.Compare(Level(&j.conds[a.Out[0]], path), Level(&j.conds[b.Out[0]], path))
		})
		for k, f := range folds {
			names[k] = j.value(f.Out[0], path)
		}
	}
	return folds, fmt.Sprintf("each of %s = %s in turn", strings.TrimPrefix(path, "workload."), strings.Join(names[:len(folds)], ", "))
}

// value is the text of a condition's key.
func (j *splitter) value(i int, path string) string {
	c := &j.conds[i]
	switch path {
	case "model":
		return c.Variant
	case "workload.concurrency", "workload.rate_rps":
		return fmt.Sprintf("%g", Level(c, path))
	case "workload.prompt_tokens":
		p, _ := c.Lengths()
		return fmt.Sprintf("%g", p[0])
	case "workload.output_tokens":
		_, o := c.Lengths()
		return fmt.Sprintf("%g", o[0])
	}
	v, err := c.Scenario.Get(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(v)
}

// interior reports whether a condition's level of load lies between others of
// its model.
func (j *splitter) interior(i int, path string) bool {
	c := &j.conds[i]
	x, below, above := Level(c, path), false, false
	for _, k := range j.fitted {
		o := &j.conds[k]
		y := Level(o, path)
		below = below || o.Variant == c.Variant && y < x
		above = above || o.Variant == c.Variant && y > x
	}
	return below && above
}

// levels returns the load axis of the fitted conditions and its distinct
// values, in order.
func (j *splitter) levels() (path string, levels []float64) {
	path = "workload.concurrency"
	if j.conds[j.fitted[0]].Open() {
		path = "workload.rate_rps"
	}
	for _, i := range j.fitted {
		levels = append(levels, Level(&j.conds[i], path))
	}
	slices.Sort(levels)
	return path, slices.Compact(levels)
}

// Level is the load of a condition on that axis.
func Level(c *objective.Condition, path string) float64 {
	if path == "workload.rate_rps" {
		return c.Scenario.Workload.RateRPS
	}
	return float64(c.Concurrency())
}
