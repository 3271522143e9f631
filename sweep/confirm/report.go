package confirm

import (
	"encoding/json"
	"math"
	"path/filepath"

	"scoville/sweep/results"
	"scoville/sweep/results/front"
	"scoville/sweep/statistic"
)

// Verdicts on the winner.
const (
	Holds  = "holds"  // it is first on the fresh replicates too
	Tied   = "tied"   // another is ahead on the fresh replicates, by no more than chance
	Luck   = "luck"   // another is better, by more than chance
	Broken = "broken" // its fresh runs are not ok, or saturated
	Fixed  = "fixed"  // nothing about the points is random: there is no luck
)

// Report is what a confirmation found. Numbers that are not known are null.
type Report struct {
	Dir    string `json:"-"`
	Study  string `json:"study"`
	Digest string `json:"digest"` // of the results that it is about
	By     string `json:"by"`
	Goal   string `json:"goal"`            // "min" or "max"
	Top    int    `json:"top"`             // points asked for
	Of     int    `json:"compared_points"` // ok, with a value, not saturated
	Runs   int    `json:"fresh_runs"`      // of each random point
	From   int    `json:"first_replicate"` // number of the first of them
	Used   int    `json:"study_runs"`      // runs of a point in the study

	Points []Point `json:"points"` // the best of the study first

	Verdict string `json:"verdict"` // on the winner
	Reason  string `json:"reason"`

	Pairs     int `json:"pairs"`     // of points
	Kept      int `json:"kept"`      // pairs in the same order
	Swapped   int `json:"swapped"`   // pairs in the other order by more than chance
	Undecided int `json:"undecided"` // pairs that the fresh replicates cannot tell apart

	Curse *Estimate `json:"winners_curse,omitempty"` // by how much worse the winner is than it looked, relative
	Mean  *float64  `json:"mean_curse,omitempty"`    // the same, mean over the points
}

// Point is a point that was run again.
type Point struct {
	Index   int      `json:"point_index"`
	ID      string   `json:"point_id"`
	Place   []string `json:"place"` // where in the design, "axis = value"
	Rank    int      `json:"rank"`  // among all points of the study, by By
	NewRank *int     `json:"fresh_rank"`
	Random  bool     `json:"random"`

	First   *Estimate `json:"first"`  // of By, by the study
	Fresh   *Estimate `json:"fresh"`  // of By, by the fresh replicates
	Change  *Estimate `json:"change"` // fresh against first, relative
	Lead    *Estimate `json:"lead"`   // against the winner on the fresh replicates, paired, relative
	Failed  int       `json:"failed"` // fresh runs that are not ok
	Reason  string    `json:"reason"` // of the first of these
	Grows   bool      `json:"saturated"`
	Member  bool      `json:"front"`                 // of the study
	Stays   *bool     `json:"fresh_front,omitempty"` // on the front of the points run again
	InShare *float64  `json:"fresh_front_probability,omitempty"`
}

// Estimate is a mean with its 95 % interval.
type Estimate struct {
	Mean *float64 `json:"mean"`
	Lo   *float64 `json:"ci_lo"`
	Hi   *float64 `json:"ci_hi"`
	N    int      `json:"n"`
}

func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func estimate(e statistic.Estimate) *Estimate {
	if e.N == 0 {
		return nil
	}
	return &Estimate{known(e.Mean), known(e.Lo), known(e.Hi), e.N}
}

// Holds reports whether the winner stands: nothing beats it by more than
// chance.
func (r *Report) Holds() bool { return r.Verdict != Luck && r.Verdict != Broken }

// write leaves the report beside the results.
func (r *Report) write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return results.WriteFile(filepath.Join(dir, File), append(text, '\n'))
}

// values are the goals of the fresh runs; those of the study for a point
// without chance.
func (c *confirmation) values(k *candidate) [][]float64 {
	if !k.random {
		return k.first
	}
	var out [][]float64
	for i := range k.fresh {
		v := make([]float64, len(c.goals))
		for j, g := range c.goals {
			if v[j] = math.NaN(); k.fresh[i].Status == results.OK {
				v[j] = g.value(&k.fresh[i])
			}
		}
		out = append(out, v)
	}
	return out
}

// broken says how many fresh runs are not ok, why, and whether the point is
// saturated on them.
func (k *candidate) broken() (failed int, reason string, grows bool) {
	var steady statistic.Tally
	for i := range k.fresh {
		if r := &k.fresh[i]; r.Status != results.OK {
			if failed++; failed == 1 {
				reason = r.Error
			}
		} else {
			steady.Add(r.Steady)
		}
	}
	most := steady.Most()
	return failed, reason, most != nil && !*most
}

// sound reports whether the fresh mean of a point is one.
func (k *candidate) sound() bool {
	failed, _, grows := k.broken()
	return failed == 0 && !grows
}

func (c *confirmation) report() *Report {
	by, d := c.goals[0], c.data
	r := &Report{
		Dir: c.o.Dir, Study: d.Manifest.Study, Digest: d.Manifest.Digest, By: by.metric, Goal: "min",
		Top: c.o.Top, Of: c.points, Runs: c.o.Runs, From: c.from, Used: c.used,
	}
	if by.max {
		r.Goal = "max"
	}
	fresh := make([]float64, len(c.chosen))
	for i, k := range c.chosen {
		fresh[i] = math.NaN()
		if k.sound() {
			fresh[i] = by.worse(c.t.Mean(column(c.values(k), 0)).Mean)
		}
	}
	for i, rank := range front.Ranks(fresh) {
		c.chosen[i].newRank = rank
	}
	for _, k := range c.chosen {
		r.Points = append(r.Points, c.point(k))
	}
	c.fronts(r)
	c.judge(r)
	c.order(r)
	c.curse(r)
	return r
}

// point lays out a point.
func (c *confirmation) point(k *candidate) Point {
	first, fresh := column(k.first, 0), column(c.values(k), 0)
	p := Point{
		Index: k.index, ID: k.id, Place: c.place(k.index), Rank: k.rank, Random: k.random, Member: k.member,
		First: estimate(c.t.Mean(first)),
	}
	if k.newRank > 0 {
		p.NewRank = &k.newRank
	}
	if k.random {
		p.Fresh = estimate(c.t.Mean(fresh))
		p.Change = estimate(c.t.Welch(fresh, first))
		p.Failed, p.Reason, p.Grows = k.broken()
	}
	if winner := c.chosen[0]; k != winner {
		p.Lead = estimate(c.against(k, winner))
	}
	return p
}

// against compares two points on the replicates that both have, paired where
// these meet the same requests.
func (c *confirmation) against(k, other *candidate) statistic.Estimate {
	x, y := c.values(k), c.values(other)
	if k.random != other.random || !k.random || c.plan.Study.Independent { // nothing to pair
		return c.t.Welch(column(x, 0), column(y, 0))
	}
	var a, b []float64
	for i := range x {
		if !math.IsNaN(x[i][0]) && !math.IsNaN(y[i][0]) {
			a, b = append(a, x[i][0]), append(b, y[i][0])
		}
	}
	return c.t.Change(a, b)
}

// fronts says which of the points run again are on the front among themselves.
func (c *confirmation) fronts(r *Report) {
	if len(c.goals) == 1 {
		return
	}
	points := make([]front.Point, len(c.chosen))
	for i, k := range c.chosen {
		points[i].Compared = k.sound()
		for _, v := range c.values(k) {
			turned := make([]float64, len(v)-1)
			for j, g := range c.goals[1:] {
				turned[j] = g.worse(v[j+1])
			}
			points[i].Runs = append(points[i].Runs, turned)
		}
	}
	for i, v := range front.Judge(points) {
		r.Points[i].Stays, r.Points[i].InShare = &v.Member, known(v.Probability)
	}
}
