package objective

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured/row"
	"scoville/core"
	"scoville/core/expr"
	"scoville/core/metrics"
)

// Residual kinds.
const (
	Log      = "log"      // ln(predicted / measured)
	Relative = "relative" // predicted / measured - 1
	Absolute = "absolute" // predicted - measured, ms
)

// Target is one metric that is fitted.
type Target struct {
	Metric   string  // column of core/metrics, in ms
	Residual string  // Log, Relative or Absolute
	Sigma    float64 // scale of the residual: what the model and the measurement leave open
	Weight   float64 // factor on the squared residual
}

// DefaultTargets are mean TTFT and TPOT together: an end-to-end latency alone
// would let their errors cancel. The sigmas are about what runs of one
// configuration on different days differ by.
func DefaultTargets() []Target {
	return []Target{{"ttft_mean_ms", Log, 0.10, 1}, {"tpot_mean_ms", Log, 0.05, 1}}
}

// Param is a parameter of the fit and the scenario key it sets.
type Param struct {
	fit.Param
	Path string

	// Base is the name before expansion to one parameter per model, Scope the
	// Variant of the conditions it acts on; "" = every condition.
	Base, Scope string

	// Tied computes the value from other parameters, named as in the
	// specification. A tied parameter is Fixed to the search.
	Tied *expr.Expr

	// PerModel is set before Expand, and with it the correlation of the models'
	// priors (see fit.Pool).
	PerModel bool
	Pool     float64
}

// Objective turns parameter values into residuals.
type Objective struct {
	Conditions []Condition
	Params     []Param
	Targets    []Target

	draws int
	jobs  int
	index []int   // of each target's metric in a summary
	order []int   // conditions, dearest first
	acts  [][]int // for each condition the parameters that act on it
	sims  chan *core.Simulator
}

// New prepares an objective. Each condition is simulated draws times, with
// other lengths drawn each time, and the mean of the draws compared; jobs
// simulations run at once.
func New(conds []Condition, params []Param, targets []Target, draws, jobs int) (*Objective, error) {
	o := &Objective{Conditions: conds, Params: params, Targets: targets, draws: max(draws, 1), jobs: max(jobs, 1)}
	for _, t := range targets {
		i, ok := metrics.Index(t.Metric)
		if !ok && t.Metric == row.StepMetric {
			i = -1
		} else if !ok {
			return nil, fmt.Errorf("no metric %q", t.Metric)
		}
		o.index = append(o.index, i)
	}
	init := make([]float64, len(params))
	for i, p := range params {
		init[i] = p.Init
	}
	if err := o.Complete(init); err != nil {
		return nil, err
	}
	for i := range conds {
		o.acts = append(o.acts, nil)
		for k, p := range params {
			if p.Scope == "" || p.Scope == conds[i].Variant {
				o.acts[i] = append(o.acts[i], k)
			}
		}
		sc := conds[i].Scenario
		if err := o.apply(i, &sc, init); err != nil {
			return nil, err
		}
		o.order = append(o.order, i)
	}
	slices.SortStableFunc(o.order, func(a, b int) int { return cmp.Compare(conds[b].work(), conds[a].work()) })
	capacities := core.NewCapacities()
	o.sims = make(chan *core.Simulator, o.jobs)
	for range o.jobs {
		o.sims <- core.NewSimulator(capacities)
	}
	return o, nil
}

// Problem returns the fit of the objective on some of its conditions.
func (o *Objective) Problem(ctx context.Context, conds []int, loss fit.Loss) *fit.Problem {
	p := &fit.Problem{Units: len(conds), Loss: loss}
	for _, q := range o.Params {
		p.Params = append(p.Params, q.Param)
	}
	p.Pools = o.pools()
	for _, c := range conds {
		p.Sizes = append(p.Sizes, len(o.residuals(nil, c, make([]float64, len(o.Targets)))))
	}
	p.Eval = func(points [][]float64, units []int) ([][]float64, error) {
		list := make([]int, len(units))
		for i, u := range units {
			list[i] = conds[u]
		}
		predicted, err := o.Predict(ctx, points, list)
		if err != nil {
			return nil, err
		}
		out := make([][]float64, len(points))
		for k := range points {
			for i, c := range list {
				out[k] = o.residuals(out[k], c, predicted[k][i])
			}
		}
		return out, nil
	}
	return p
}

// infeasible is the residual of a run that gives no number, in sigmas: ln 1000
// at a sigma of 0.1.
const infeasible = 69

// residuals appends those of one condition: targets in order, rows in order.
// Rows of one condition share its weight.
func (o *Objective) residuals(dst []float64, c int, predicted []float64) []float64 {
	rows := o.Conditions[c].Rows
	for t, target := range o.Targets {
		for _, row := range rows {
			m, ok := row.Target(target.Metric)
			if !ok {
				continue
			}
			r := target.of(predicted[t], m) * o.Conditions[c].trust(&target, m)
			if math.IsNaN(r) || math.Abs(r) > infeasible {
				r = math.Copysign(infeasible, r)
			}
			dst = append(dst, r*math.Sqrt(target.Weight/float64(len(rows))))
		}
	}
	return dst
}

// stamp is how far, in ms, the TTFT of a request in an engine's log may be off
// whatever its length: its arrival is seen between two steps, and a step with a
// full token budget takes that long.
const stamp = 100

// trust is the weight of a residual of an engine's log of requests: sigma over
// what sigma and stamp leave open together; 1 for all others.
func (c *Condition) trust(t *Target, measured float64) float64 {
	if c.Kind != row.Replay || c.Scenario.Measurement.Clock != "server" || t.Residual != Log || !strings.HasPrefix(t.Metric, "ttft") {
		return 1
	}
	return t.Sigma / (t.Sigma + stamp/measured)
}

// of returns the residual in sigmas.
func (t *Target) of(predicted, measured float64) float64 {
	switch t.Residual {
	case Relative:
		return (predicted/measured - 1) / t.Sigma
	case Absolute:
		return (predicted - measured) / t.Sigma
	}
	return math.Log(predicted/measured) / t.Sigma
}

// Scale is the target's scale as that of a logarithm.
func (t *Target) Scale() float64 {
	if t.Residual == Absolute {
		return Sigma(t.Metric)
	}
	return t.Sigma
}

// Sigma returns the usual scale of a metric's log residual. Steps of one engine
// differ by 1 to 2 % at equal shape.
func Sigma(metric string) float64 {
	if metric == row.StepMetric {
		return 0.02
	}
	if strings.HasPrefix(metric, "ttft") {
		return 0.10
	}
	return 0.05
}
