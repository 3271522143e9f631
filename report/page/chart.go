package page

import "math"

// The kinds of charts.
const (
	XY       = "xy"       // points by x and y: lines, scatter, steps, measured against predicted
	Bars     = "bars"     // horizontal bars from 0 with intervals: tornado, importance
	Stack    = "stack"    // horizontal bars that stack: shares of a time
	Heat     = "heat"     // cells by two axes of words, coloured by a value
	Parallel = "parallel" // a line per point across several axes
)

// Chart says what is drawn, not how.
type Chart struct {
	ID      string // letters, digits and "-"; unique on the page. "" = made by HTML
	Kind    string // XY, Bars, Stack, Heat or Parallel
	Title   string
	Reading string   // one sentence: what to see. It is also the alternative text
	Notes   []string // what is folded, left out or down-sampled

	X, Y   Axis     // of Bars and Stack, X is the axis of values
	Series []Series // of XY
	Bands  []Band   // of XY: shaded
	Levels []Level  // of XY: reference lines
	Names  string   // of XY: what the names of series are values of; "" = not said
	Marks  string   // of XY: what the shapes of Point.Mark stand for; "" = nothing is marked

	Rows  []Row    // of Bars and Stack, from the top
	Kinds []string // of Bars: what colours stand for; of Stack: what is stacked. Empty names are not used
	Floor Level    // of Bars: what nothing below means anything; zero = none

	Cells  []Cell // of Heat
	Colour Axis   // of Heat and Parallel: what the colour means; with ends on both sides of 0 that is white
	Axes   []Axis // of Parallel
	Lines  []Line // of Parallel

	Interval string // what Lo and Hi are the ends of; "" = "95 % interval"

	Table *Table // the same as numbers; nil = made of what is drawn
	Whole string // where all numbers are, for the note of that table: "points.parquet"
}

// Axis is a direction of a chart. Values are in Unit as given: nothing is scaled.
type Axis struct {
	Label  string
	Unit   string
	Log    bool
	Words  []string // names of the values 0, 1, 2 … of an axis that is no number
	Better string   // "higher" or "lower"; "" = neither
	Lost   bool     // a hollow point has no value of it: a latency, which grows as long as a queue does

	// Min and Max are the ends where Max > Min; else they follow from the points
	// that are not hollow. What lies beyond is drawn at the edge.
	Min, Max float64
}

// Series are points of one name. Those joined are joined in their order, but
// never to a hollow one, or across one without a value.
type Series struct {
	Name   string
	Points []Point
	Joined bool
	Step   bool // joined by steps that rise at a point, as a distribution does
	Dashed bool
	Role   string // Front stands out, Rest stays behind, Cross marks; "" = one of many
}

// The roles of a series.
const (
	Front = "front"
	Rest  = "rest"
	Cross = "cross" // where lines cross: pointed at, it says its Text alone
)

// Point is a mark. Numbers that are missing are NaN.
type Point struct {
	X, Y, Lo, Hi float64
	Hollow       bool   // no value that may be relied on: saturated
	Mark         string // what its shape stands for, see Chart.Marks
	Ref          string // key in Page.Points and Page.Details; "" = none
	Text         string // said beside the coordinates where it is pointed at
}

// XYPoint is a point without an interval.
func XYPoint(x, y float64) Point { return Point{X: x, Y: y, Lo: math.NaN(), Hi: math.NaN()} }

// Band shades x or y between From and To, or with Axis "" what lies between two
// lines. An infinite end is that of the chart.
type Band struct {
	Label        string
	Axis         string // "x", "y" or ""
	From, To     float64
	Lower, Upper [][2]float64 // x and y of the lines
}

// Level is a reference line: at x or at y, or with Axis "" along a line.
type Level struct {
	At    float64
	Axis  string // "x", "y" or ""
	Label string
	Line  [][2]float64 // x and y
}

// Row is a name of Bars or Stack with its bars.
type Row struct {
	Name string
	Bars []Bar
	Ref  string // as that of a Point
}

// Bar is a value with the ends of its interval, NaN without one. A bar without
// a value has its text in its place.
type Bar struct {
	Value, Lo, Hi float64
	Kind          int // in Chart.Kinds
	Text          string
	Ref           string // as that of a Point; "" = that of its row
}

// Cell is a field of Heat. One without a value has its text in its place.
type Cell struct {
	X, Y   int // in the words of the axes
	Value  float64
	Text   string
	Hollow bool
	Ref    string
}

// Line is a point of Parallel: a value for each axis, NaN where it has none.
type Line struct {
	Values []float64
	Colour float64
	Ref    string
}
