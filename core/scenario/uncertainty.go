package scenario

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/schema"
	"scoville/core/workload"
)

// uncertainty is what an overlay knows of the errors of its own numbers.
type uncertainty struct {
	params []uncertain
	root   [][]float64 // lower triangle: root root' is the covariance of the coordinates
	errors modelError
}

// uncertain is one parameter of a covariance: its key, and the coordinate in
// which its error is normal.
type uncertain struct {
	path     string
	scale    string // log, logit or linear
	mean     float64
	min, max float64 // bounds of the value in the fit; samples are cut there
}

// modelError holds standard deviations of ln(measured / predicted): what is left
// when the parameters are right. 0 = not said.
type modelError struct{ ttft, tpot, itl, e2e float64 }

// Scales of a covariance: the coordinate is ln x, ln(x / (1 - x)), or x.
const (
	logScale    = "log"
	logitScale  = "logit"
	linearScale = "linear"
)

const (
	covarianceTable = "calibration.covariance"
	modelErrorTable = "calibration.model_error"
)

// toCoordinate is NaN where the scale has no such value; a share of 1 is as far
// as the fit writes one.
func toCoordinate(scale string, x float64) float64 {
	switch scale {
	case logScale:
		return math.Log(x)
	case logitScale:
		x = min(x, 1-1e-4)
		return math.Log(x / (1 - x))
	}
	return x
}

func fromCoordinate(scale string, z float64) float64 {
	switch scale {
	case logScale:
		return math.Exp(z)
	case logitScale:
		return 1 / (1 + math.Exp(-z))
	}
	return z
}

// readUncertainty reads
//
//	[calibration.covariance]
//	paths  = ["hardware.compute_util", "engine.layer_overhead_us"]
//	scale  = ["logit", "log"]
//	mean   = [0.2, 3.9]                       # coordinates of the values above
//	matrix = [[0.01, 0.001], [0.001, 0.04]]   # covariance of the coordinates
//	min    = [0.02, 1.0]                      # optional: bounds of the values in the fit
//	max    = [1.0, 500.0]
//	[calibration.model_error]
//	ttft_sd = 0.06                            # of ln(measured / predicted)
//
// nil where the overlay has neither. A bare matrix named covariance, without
// paths and scales, says nothing.
func readUncertainty(d *Document) (*uncertainty, error) {
	u := &uncertainty{}
	tables := map[string]any{}
	for _, e := range d.Under(covarianceTable) {
		key := strings.TrimPrefix(e.Key(), covarianceTable+".")
		if e.Key() == covarianceTable {
			return nil, nil
		}
		if !slices.Contains([]string{"paths", "scale", "mean", "matrix", "min", "max"}, key) {
			return nil, d.Errorf(e.Key(), "the keys are paths, scale, mean, matrix, min, max", "no key %q", key)
		}
		tables[key] = e.Value
	}
	if err := u.readErrors(d); err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		if u.errors != (modelError{}) {
			return u, nil
		}
		return nil, nil
	}
	if err := u.readParams(d, tables); err != nil {
		return nil, err
	}
	return u, u.readMatrix(d, tables["matrix"])
}

func (u *uncertainty) readErrors(d *Document) error {
	known := map[string]*float64{"ttft_sd": &u.errors.ttft, "tpot_sd": &u.errors.tpot, "itl_sd": &u.errors.itl, "e2e_sd": &u.errors.e2e, "step_sd": new(float64)}
	for _, e := range d.Under(modelErrorTable) {
		key := strings.TrimPrefix(e.Key(), modelErrorTable+".")
		x, ok := number(e.Value)
		switch to := known[key]; {
		case to == nil:
			return d.Errorf(e.Key(), "the keys are ttft_sd, tpot_sd, itl_sd, e2e_sd, step_sd", "no key %q", key)
		case !ok || x < 0 || x > 10:
			return d.Errorf(e.Key(), "0.06 is about 6 %", "%s is not a standard deviation of a logarithm, 0 to 10", schema.Show(e.Value))
		default:
			*to = x
		}
	}
	return nil
}

// readParams reads paths, scales and means, which must be those of the overlay's
// own values.
func (u *uncertainty) readParams(d *Document, tables map[string]any) error {
	key := func(name string) string { return covarianceTable + "." + name }
	paths, _ := tables["paths"].([]any)
	if len(paths) == 0 {
		return d.Errorf(covarianceTable, `write paths = ["hardware.compute_util"]`, "paths is missing: whose covariance is it?")
	}
	lists := map[string][]any{}
	for _, name := range []string{"scale", "mean"} {
		list, _ := tables[name].([]any)
		if len(list) != len(paths) {
			return d.Errorf(at(d, key(name)), "one for each of paths", "%s has %d entries for %d paths", name, len(list), len(paths))
		}
		lists[name] = list
	}
	for i, p := range paths {
		path, _ := p.(string)
		v, err := ownValue(d, path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(u.params, func(o uncertain) bool { return o.path == path }) {
			return d.Errorf(key("paths"), "name each once", "%q occurs twice", path)
		}
		scale, _ := lists["scale"][i].(string)
		if scale != logScale && scale != logitScale && scale != linearScale {
			return d.Errorf(key("scale"), "the scales are log, logit, linear", "%s is no scale", schema.Show(lists["scale"][i]))
		}
		mean, ok := number(lists["mean"][i])
		if x := fromCoordinate(scale, mean); !ok || math.IsNaN(toCoordinate(scale, v)) || !(math.Abs(x-v) <= 1e-3*math.Abs(v)+1e-9) {
			return d.Errorf(key("mean"), fmt.Sprintf("on the scale %s its mean is %s; whoever changes a value must change both", scale, schema.Show(toCoordinate(scale, v))),
				"%s of %s is not the overlay's own value %s", schema.Show(lists["mean"][i]), path, schema.Show(v))
		}
		u.params = append(u.params, uncertain{path, scale, mean, math.Inf(-1), math.Inf(1)})
	}
	return u.readBounds(d, tables)
}

// readBounds reads min and max, which hold the overlay's own values.
func (u *uncertainty) readBounds(d *Document, tables map[string]any) error {
	for _, name := range []string{"min", "max"} {
		list, ok := tables[name].([]any)
		key := covarianceTable + "." + name
		if tables[name] == nil {
			continue
		}
		if !ok || len(list) != len(u.params) {
			return d.Errorf(key, "one for each of paths", "%d bounds for %d paths", len(list), len(u.params))
		}
		for i := range u.params {
			p := &u.params[i]
			x, ok := number(list[i])
			v, _ := number(d.Value(p.path))
			slack := 1e-3 * math.Abs(v)
			switch {
			case !ok:
				return d.Errorf(key, "", "%s is not a number", schema.Show(list[i]))
			case name == "min" && x > v+slack, name == "max" && x < v-slack:
				return d.Errorf(key, "", "%g of %s does not hold the overlay's own value %g", x, p.path, v)
			case name == "min":
				p.min = x
			default:
				p.max = x
			}
		}
	}
	return nil
}

// value is what a parameter is at a coordinate, within its bounds and the range of
// its key.
func (p *uncertain) value(z float64) float64 {
	return inRange(p.path, min(max(fromCoordinate(p.scale, z), p.min), p.max))
}

// at is the key where it is written, else the table it is missing from.
func at(d *Document, key string) string {
	if d.Has(key) {
		return key
	}
	return covarianceTable
}

// ownValue returns what the overlay sets a parameter of the machine to.
func ownValue(d *Document, path string) (float64, error) {
	const key = covarianceTable + ".paths"
	f, ok := Lookup(path)
	switch {
	case !ok:
		return 0, d.Errorf(key, schema.DidYouMean(Nearest(path)), "no parameter %q", path)
	case f.Kind != Float || !strings.HasPrefix(path, "hardware.") && !strings.HasPrefix(path, "engine.") || strings.HasPrefix(path, "hardware.derate"):
		return 0, d.Errorf(key, "only real numbers of hardware and engine have an error that a fit knows", "%q is no parameter of a fit", path)
	}
	v, ok := number(d.Value(path))
	if !ok {
		return 0, d.Errorf(key, "set it, or remove it from paths, scale, mean and matrix", "the overlay does not set %s", path)
	}
	return v, nil
}

func (u *uncertainty) readMatrix(d *Document, v any) error {
	const key = covarianceTable + ".matrix"
	n := len(u.params)
	rows, _ := v.([]any)
	m := make([][]float64, 0, n)
	for _, r := range rows {
		cells, _ := r.([]any)
		var row []float64
		for _, c := range cells {
			x, ok := number(c)
			if !ok {
				return d.Errorf(key, "", "%s is not a number", schema.Show(c))
			}
			row = append(row, x)
		}
		if len(row) != n {
			return d.Errorf(key, "a row and a column for each of paths", "row %d has %d numbers for %d paths", len(m)+1, len(row), n)
		}
		m = append(m, row)
	}
	if len(m) != n {
		return d.Errorf(at(d, key), "a row and a column for each of paths", "%d rows for %d paths", len(m), n)
	}
	for i := range n {
		for j := range i {
			if math.Abs(m[i][j]-m[j][i]) > 1e-5*math.Sqrt(math.Abs(m[i][i]*m[j][j])) {
				return d.Errorf(key, "a covariance is symmetric", "row %d column %d is %g, row %d column %d is %g", i+1, j+1, m[i][j], j+1, i+1, m[j][i])
			}
		}
	}
	var bad int
	if u.root, bad = cholesky(m); bad >= 0 {
		return d.Errorf(key, "a covariance is positive semi-definite: no combination of the parameters has a negative variance",
			"with row %d (%s) it is not a covariance", bad+1, u.params[bad].path)
	}
	return nil
}

// Slack of a covariance written with few digits: variances below it, relative to
// the parameter's own, are 0.
const slack = 1e-4

// cholesky returns the lower triangle whose product with its transpose is m, a
// column of zeros where a variance is explained by earlier ones. bad is the
// first row from which m is no covariance, -1 if it is one. It works on
// correlations, so that no parameter's unit matters.
func cholesky(m [][]float64) (root [][]float64, bad int) {
	n := len(m)
	root = make([][]float64, n)
	sd := make([]float64, n)
	for i := range m {
		root[i] = make([]float64, n)
		if !(m[i][i] >= 0) || math.IsInf(m[i][i], 0) {
			return nil, i
		}
		sd[i] = math.Sqrt(m[i][i])
	}
	cor := func(i, j int) float64 {
		if sd[i] == 0 || sd[j] == 0 {
			return m[i][j]
		}
		return m[i][j] / sd[i] / sd[j]
	}
	for j := range n {
		left := func(i int) float64 {
			x := cor(i, j)
			for k := range j {
				x -= root[i][k] * root[j][k]
			}
			return x
		}
		pivot := left(j)
		if pivot < -slack {
			return nil, j
		}
		for i := j; i < n; i++ {
			switch x := left(i); {
			case pivot > slack*slack:
				root[i][j] = x / math.Sqrt(pivot)
			case math.Abs(x) > math.Sqrt(slack):
				return nil, i
			}
		}
	}
	for i := range n {
		for j := range n {
			root[i][j] *= sd[i]
		}
	}
	return root, -1
}

// appliedFit is an overlay that applied, with what it knows of its errors.
type appliedFit struct {
	layer string
	*uncertainty
}

// Uncertain reports whether an overlay that applied says how sure it is of its
// numbers, so that draws differ.
func (r *Resolved) Uncertain() bool { return len(r.fits) > 0 }

// Draw is one sample of what the calibration leaves open: the scenario with
// other parameters, and factors on measured latencies for what the model itself
// misses.
type Draw struct {
	Scenario Scenario

	// Factors on time to first token, time per output token and gaps between
	// tokens; 1 where the overlay does not say. E2E is 0 unless the overlay gives
	// the error of end-to-end latencies of its own.
	TTFT, TPOT, ITL, E2E float64
}

// Draw samples draw k of the study seed: the parameters of each overlay that
// applied from its covariance, by the stream "parameters", and the model's
// errors, by "model error". Draw k of every scenario that an overlay applies to
// is the same. A parameter that a later layer gives its own value keeps it;
// samples are cut at the bounds of the fit
// and the key's range. The error says which rule between
// parameters a sample breaks.
func (r *Resolved) Draw(seed uint64, k int) (Draw, error) {
	d := Draw{Scenario: r.Scenario, TTFT: 1, TPOT: 1, ITL: 1}
	for n, f := range r.fits {
		stream := workload.NewStream(seed, k, fmt.Sprintf("parameters %d", n))
		z := make([]float64, len(f.params))
		for i := range z {
			z[i] = stream.Normal(i)
		}
		for i, p := range f.params {
			if r.Origin[p.path] != f.layer {
				continue
			}
			c := p.mean
			for j := range i + 1 {
				c += f.root[i][j] * z[j]
			}
			if err := d.Scenario.Set(p.path, p.value(c)); err != nil {
				return d, err
			}
		}
	}
	var e modelError
	for _, f := range r.fits { // the last that says
		e.ttft, e.tpot = cmp.Or(f.errors.ttft, e.ttft), cmp.Or(f.errors.tpot, e.tpot)
		e.itl, e.e2e = cmp.Or(f.errors.itl, e.itl), cmp.Or(f.errors.e2e, e.e2e)
	}
	d.factors(e, workload.NewStream(seed, k, "model error"))
	return d, d.Scenario.Validate()
}

// factors draws those of the model's errors. Gaps between tokens err as the time
// per token does unless they have an error of their own.
func (d *Draw) factors(e modelError, stream workload.Stream) {
	d.TTFT = math.Exp(e.ttft * stream.Normal(0))
	d.TPOT = math.Exp(e.tpot * stream.Normal(1))
	d.ITL = d.TPOT
	if e.itl > 0 {
		d.ITL = math.Exp(e.itl * stream.Normal(1))
	}
	if e.e2e > 0 {
		d.E2E = math.Exp(e.e2e * stream.Normal(2))
	}
}

// inRange moves a sample into the range of its key, off ends that do not belong
// to it.
func inRange(path string, x float64) float64 {
	f, _ := Lookup(path)
	if !f.HasRange {
		return x
	}
	lo, hi := f.Lo, f.Hi
	if f.LoOpen {
		lo = max(lo+1e-9*math.Abs(lo), 1e-9)
	}
	if f.HiOpen {
		hi -= 1e-9 * math.Abs(hi)
	}
	return min(max(x, lo), hi)
}

// Covariance is what an overlay says of the joint error of its parameters.
type Covariance struct {
	Paths      []string    // study keys
	Mean       []float64   // coordinates, in which the errors are normal
	Matrix     [][]float64 // covariance of the coordinates
	TTFT, TPOT float64     // standard deviations of ln(measured / predicted) that parameters do not explain; 0 = not said

	params []uncertain
}

// Covariance returns that of an overlay; false where it has none.
func (l *Layer) Covariance() (c Covariance, ok bool) {
	u := l.fit.uncertainty
	if u == nil || len(u.params) == 0 {
		return c, false
	}
	c.TTFT, c.TPOT = u.errors.ttft, u.errors.tpot
	for i, p := range u.params {
		c.Paths, c.Mean, c.params = append(c.Paths, p.path), append(c.Mean, p.mean), append(c.params, p)
		row := make([]float64, len(u.params))
		for j := range row {
			for k := range row {
				row[j] += u.root[i][k] * u.root[j][k]
			}
		}
		c.Matrix = append(c.Matrix, row)
	}
	return c, true
}

// Value is what parameter i is at a coordinate, within its bounds.
func (c *Covariance) Value(i int, coordinate float64) float64 {
	return c.params[i].value(coordinate)
}
