// Package spec holds what a study asks beside its design: conditions on its
// points, objectives, figures to hold against them, and plots. A study decodes
// it, the manifest keeps it, the report reads it. It knows no column and no
// simulator.
package spec

import "math"

// Report is what a study asks of its report, as the manifest keeps it.
type Report struct {
	Keep      string      `json:"keep,omitempty"`     // condition over metrics: which points are kept
	Baseline  string      `json:"baseline,omitempty"` // condition that selects the point gains are against
	Published []Published `json:"published,omitempty"`
	Plots     []Plot      `json:"plots,omitempty"`
	Limits    []Limit     `json:"limits,omitempty"` // service levels that are the same for every point
}

// Limit is a service level on a metric, in its unit; nil = no bound.
type Limit struct {
	Metric string   `json:"metric"`
	Max    *float64 `json:"max,omitempty"`
	Min    *float64 `json:"min,omitempty"`
}

// Published is a figure that somebody published, held against a point.
type Published struct {
	Name      string  `json:"name"`               // label of the row
	At        string  `json:"at,omitempty"`       // condition that selects exactly one point; empty with one point
	Class     string  `json:"class,omitempty"`    // the value of this class; empty = of all requests
	Metric    string  `json:"metric"`             // metric or column of points
	Value     float64 `json:"value"`              // in the metric's unit; with RatioTo a ratio
	RatioTo   string  `json:"ratio_to,omitempty"` // condition that selects the point of the denominator
	Tolerance float64 `json:"tolerance"`          // largest relative difference that counts as reproduced, ratio; see Reproduced
	Source    string  `json:"source,omitempty"`   // where it was published
	Because   string  `json:"because,omitempty"`  // why the simulated value differs, said only where it does
	Cannot    string  `json:"cannot,omitempty"`   // why no machine with the stated inputs shows the figure, in place of Because
}

// Reproduced reports whether a simulated value is within the tolerance of the
// figure. A ratio of two points other than 1 says that something changed: for
// it the value must also show at least half of that change, so that no effect
// at all never passes for a small one.
func (p *Published) Reproduced(got float64) bool {
	const rounding = 1 + 1e-9
	scale := math.Abs(p.Value)
	if scale == 0 {
		scale = 1
	}
	off := math.Abs(got - p.Value)
	return off <= p.Tolerance*scale*rounding && off <= p.Widest()*scale*rounding
}

// Widest is the largest tolerance that the figure leaves: half of its change
// for a ratio of two points, without end for what is not one or is 1.
func (p *Published) Widest() float64 {
	if p.RatioTo == "" || p.Value == 1 {
		return math.Inf(1)
	}
	return math.Abs(p.Value-1) / 2 / math.Abs(p.Value)
}

// Plot is a chart over the points.
type Plot struct {
	Name      string   `json:"name"` // file plots/NAME.svg
	Title     string   `json:"title,omitempty"`
	X         string   `json:"x"` // metric, axis column or path
	Y         string   `json:"y"`
	Series    []string `json:"series,omitempty"`    // axis columns whose values make the lines
	Scale     string   `json:"scale,omitempty"`     // linear, log-x, log-y or log-log
	Mark      string   `json:"mark,omitempty"`      // column whose values are the markers' shapes
	Crossings bool     `json:"crossings,omitempty"` // mark where two lines cross
	HLine     []Level  `json:"hline,omitempty"`
	Where     string   `json:"where,omitempty"` // condition on the points
}

// Level is a horizontal reference line of a plot.
type Level struct {
	Y     float64 `json:"y"` // in the unit of the plot's y
	Label string  `json:"label,omitempty"`
}

// Objective is a metric that the points are compared by.
type Objective struct {
	Metric string `json:"metric"`
	Goal   string `json:"goal"` // "max" or "min"
}
