package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results/class"
	"scoville/sweep/results/fate"
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/layout"
)

// The values of Run.Status.
const (
	OK         = "ok"
	Infeasible = "infeasible" // cannot run; Error says why
	Failed     = "failed"     // Error says why
	Timeout    = "timeout"    // over its limit
)

// Run is one row of the runs table: one simulation. PointID, Replicate and
// SeedHex together identify it. NaN is NULL, as is an empty string.
type Run struct {
	PointID    string // hash of the resolved scenario
	PointIndex int    // position in the plan, from 0
	Replicate  int    // from 0
	Status     string // OK, Infeasible, Failed or Timeout
	Error      string // reason when not OK
	Baseline   bool   // the point that one-at-a-time changes are compared with

	SearchID string // search that the run belongs to; empty = none
	Probe    int    // number of the value in the search, from 0; read only with a SearchID

	OATPath   string  // changed parameter; empty if the point is no one-at-a-time change
	OATLevel  string  // requested level, as written in the study
	OATChange float64 // actual relative change, ratio; read only with an OATPath

	Axes    []any     // in the order of Meta.Axes, in the Go types of their kinds
	Metrics []float64 // in the order of Meta.Metrics; read only if OK

	Classes []class.Values // by class of requests, in the order of Meta.ClassMetrics; none with less than two classes

	SLOOk  *bool // every objective is met; nil = there is none; read only of closed loops, bursts and steady runs
	Steady *bool // the queue did not grow; nil = too short to tell, or a closed loop or burst

	OfferedRPS    float64 // requests offered per second; NaN for closed loops and bursts
	CapacityRPS   float64 // requests per second that the point can serve
	LoadRatio     float64 // offered / capacity
	Bound         string  // resource with the largest share of device time
	DecodeBound   string  // of these, of steps with decodes and without prompts
	WeakestSource string  // weakest grade among the numbers that went in
	Calibrated    bool    // an overlay from a calibration applies to this point

	// Outside says for each condition how the point leaves what the calibration
	// was measured at; a sentence starts with the key.
	Outside []string

	AccuracyLoss *float64 // ratio; nil = not known

	Forecast *forecast.Forecast // of the point, in its first run; nil = none
	Fate     *fate.Fate         // likewise

	SimS    float64 // simulated time, s
	Events  int64   // simulator events
	SeedHex string  // seed of the replicate
}

// The fixed columns, as the tables have them.
var (
	runHead, runTail       = layout.RunHead, layout.RunTail
	pointShared, pointHead = layout.PointShared, layout.PointHead
	pointEnd, statistics   = layout.PointEnd, layout.Statistics
)

// Broken says whether a run has no result, though the scenario could run.
func (r *Run) Broken() bool { return r.Status == Failed || r.Status == Timeout }

func (s *Set) runColumns() []table.Column {
	return slices.Concat(runHead, s.axes, s.meta.Metrics, runTail)
}

// checkRun refuses rows that the sweep must not produce.
func (s *Set) checkRun(r *Run) error {
	switch r.Status {
	case OK, Infeasible, Failed, Timeout:
	default:
		return fmt.Errorf("no status %q", r.Status)
	}
	if len(r.Axes) != len(s.axes) {
		return fmt.Errorf("%d axis values for %d axes", len(r.Axes), len(s.axes))
	}
	if r.Status == OK && len(r.Metrics) != len(s.meta.Metrics) {
		return fmt.Errorf("%d metric values for %d metrics", len(r.Metrics), len(s.meta.Metrics))
	}
	return nil
}

// runRow lays the run out as runColumns, in row's memory.
func (s *Set) runRow(row table.Row, r *Run) table.Row {
	row = append(row[:0], r.PointID, int64(r.PointIndex), int64(r.Replicate), r.Status, text(r.Error), r.Baseline)
	row = append(row, r.oat()...)
	row = append(row, r.search()...)
	row = append(row, r.Axes...)
	for i := range s.meta.Metrics {
		if r.Status == OK {
			row = append(row, r.Metrics[i])
		} else {
			row = append(row, nil)
		}
	}
	slo, steady := r.slo(), r.Steady
	if r.Status != OK {
		slo, steady = nil, nil
	}
	return append(row, flag(slo), flag(steady), r.OfferedRPS, r.CapacityRPS, r.LoadRatio, text(r.Bound), text(r.DecodeBound),
		text(r.WeakestSource), r.Calibrated, r.extrapolated(), text(strings.Join(r.Outside, OutsideSeparator)), r.loss(), r.SimS, r.Events, int64(s.meta.SimVersion), text(r.SeedHex))
}

// slo is SLOOk where the run says what others like it would: an open loop that
// is not steady gets slower the longer it runs.
func (r *Run) slo() *bool {
	if !math.IsNaN(r.OfferedRPS) && !isTrue(r.Steady) {
		return nil
	}
	return r.SLOOk
}

func isTrue(b *bool) bool  { return b != nil && *b }
func isFalse(b *bool) bool { return b != nil && !*b }

// OutsideSeparator stands between the sentences of the column outside.
const OutsideSeparator = "; "

func (r *Run) extrapolated() any {
	if !r.Calibrated {
		return nil
	}
	return len(r.Outside) > 0
}

func (r *Run) loss() any {
	if r.AccuracyLoss == nil {
		return nil
	}
	return *r.AccuracyLoss
}

// search returns the cells search_id, probe.
func (r *Run) search() table.Row {
	if r.SearchID == "" {
		return table.Row{nil, nil}
	}
	return table.Row{r.SearchID, int64(r.Probe)}
}

// oat returns the cells oat_path, oat_level, oat_change_ratio.
func (r *Run) oat() table.Row {
	if r.OATPath == "" {
		return table.Row{nil, nil, nil}
	}
	return table.Row{r.OATPath, text(r.OATLevel), r.OATChange}
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func flag(b *bool) any {
	if b == nil {
		return nil
	}
	return *b
}
