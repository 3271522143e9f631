// Package prometheus writes what finished results predict as metrics of Prometheus,
// and alert rules that hold a running vLLM against them. It computes nothing, and
// speaks to no server.
package prometheus

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/results"
	"scoville/sweep/results/filter"
	"scoville/sweep/results/said"
)

// Limit is how many points and searches are written unless more are asked for. One
// point is some 30 series, and every series costs the monitoring memory as long as
// it is there.
const Limit = 200

// Options is what is written, and what the rules say.
type Options struct {
	Dir string // folder of the results
	Out string // folder to write to, made if it is not there; "" = the working directory

	Points []string // indices, ids, or unique beginnings of ids; nil = all
	Where  string   // condition on the points; "" = all
	Front  bool     // the points of the front alone
	Limit  int      // points and searches at most; 0 = Limit

	Match     []string // label=value, !=, =~ or !~: the series of vLLM that the rules are about
	Metrics   Measured // names of vLLM's metrics; zero = vLLM's own
	TTFT      float64  // s, largest mean; 0 = [slo], without it 0.2
	TPOT      float64  // s, largest mean; 0 = [slo], without it 0.015
	Ratio     float64  // least mean TTFT over mean TPOT; 0 = no rule
	Deviation float64  // ratio, of measured from predicted
	Load      float64  // ratio by which the measured load may differ from the predicted for the two to be compared
	For       string   // how long a condition must hold, as Prometheus has it: 10m
	Window    string   // over which rates are taken: 5m
	Severity  string   // label of the alerts on thresholds and deviations
}

// Default is the options but for the folder.
func Default() Options {
	return Options{Limit: Limit, Metrics: vllm(), Deviation: 0.1, Load: 0.1, For: "10m", Window: "5m", Severity: "warning"}
}

// Written is what Write left.
type Written struct {
	Metrics string   // file of the metrics
	Rules   string   // file of the rules
	Points  int      // in it
	Series  int      // in it
	Alerts  int      // rules
	Notes   []string // what the user should know
}

// Write writes scoville-STUDY.prom and scoville-STUDY.rules.yml. Errors are
// *again.InputError, results.ErrForeign, or of the files.
func Write(o Options) (*Written, error) {
	if err := o.check(); err != nil {
		return nil, again.Input(err)
	}
	where, err := filter.Parse(o.Where)
	if err != nil {
		return nil, again.Input(fmt.Errorf("--where: %w", err))
	}
	d, err := again.Open(o.Dir, nil)
	if err != nil {
		return nil, err
	}
	x, err := export(d, o, where)
	if err != nil {
		return nil, again.Input(err)
	}
	if o.Out == "" {
		o.Out = "."
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, again.Input(err)
	}
	w := &Written{Points: len(x.points), Notes: x.notes}
	base := filepath.Join(o.Out, "scoville-"+fileName(d.Manifest.Study))
	w.Metrics, w.Rules = base+".prom", base+".rules.yml"
	text, series := x.exposition()
	w.Series = series
	if err := table.WriteFile(w.Metrics, text); err != nil {
		return nil, err
	}
	rules, alerts := x.rules()
	w.Alerts = alerts
	return w, table.WriteFile(w.Rules, rules)
}

var (
	duration  = regexp.MustCompile(`^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$`)
	metric    = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	matcher   = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)(.*)$`)
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// fileName is a study's name as part of that of a file.
func fileName(study string) string {
	return cmp.Or(strings.Trim(notInName.ReplaceAllString(study, "-"), "-."), "study")
}

// check refuses what would make rules that Prometheus does not take, or that never
// or always fire.
func (o *Options) check() error {
	for _, d := range []struct{ flag, text string }{{"--for", o.For}, {"--window", o.Window}} {
		if zero := strings.Trim(d.text, "0ywdhms") == ""; d.text == "" || !duration.MatchString(d.text) || zero && d.flag == "--window" {
			return fmt.Errorf("%s %q is no duration of Prometheus: write 5m, 90s or 1h30m", d.flag, d.text)
		}
	}
	for _, r := range []struct {
		flag string
		x    float64
	}{{"--deviation", o.Deviation}, {"--load", o.Load}} {
		if !(r.x > 0 && r.x <= 10) {
			return fmt.Errorf("%s %g: a ratio above 0 and at most 10, such as 0.1 for 10 %%", r.flag, r.x)
		}
	}
	if !(o.TTFT >= 0 && o.TTFT <= math.MaxFloat64 && o.TPOT >= 0 && o.TPOT <= math.MaxFloat64) {
		return fmt.Errorf("--ttft and --tpot: a time above 0")
	}
	if !(o.Ratio >= 0 && o.Ratio < math.MaxFloat64) {
		return fmt.Errorf("--ttft-over-tpot %g: a ratio above 0, such as 5", o.Ratio)
	}
	for _, m := range o.Match {
		parts := matcher.FindStringSubmatch(m)
		if parts != nil && strings.HasSuffix(parts[2], "~") {
			if _, err := regexp.Compile(parts[3]); err != nil {
				return fmt.Errorf("--match %q: %w", m, err)
			}
		}
		if parts == nil {
			return fmt.Errorf("--match %q: write label=value, such as model_name=meta-llama/Llama-3.1-8B, or label=~regexp", m)
		}
	}
	for _, name := range []string{o.Metrics.TTFT, o.Metrics.TPOT, o.Metrics.Finished} {
		if !metric.MatchString(name) {
			return fmt.Errorf("%q is no name of a metric", name)
		}
	}
	return nil
}

// data is what is exported of a dataset.
type data struct {
	set     *results.Dataset
	o       Options
	study   said.Study
	points  []int // rows of the points table
	axes    []axis
	oat     bool // points have changes of one at a time
	search  *table.Frame
	notes   []string
	metrics map[string]bool // of points

	compared int // points that measurements may be held against
}

func export(d *results.Dataset, o Options, where filter.Rows) (*data, error) {
	x := &data{set: d, o: o, metrics: map[string]bool{}}
	for _, m := range d.Metrics() {
		x.metrics[m.Name] = true
	}
	where = where.With(said.Values(d.Study, d.Manifest.Set))
	if err := where.Check(d.Points.Columns); err != nil {
		return nil, fmt.Errorf("--where: %w", err)
	}
	var paths []string
	for _, a := range d.Axes() {
		paths = append(paths, a.Path)
	}
	x.study = said.Read(d.Study, d.Manifest.Set, paths)
	x.axes = labelled(d.Axes())
	if err := x.choose(where); err != nil {
		return nil, err
	}
	var err error
	if x.search, err = d.Searches(); err != nil {
		return nil, err
	}
	x.warn()
	return x, x.bounded()
}

// warn says what may make the rules other than meant.
func (x *data) warn() {
	note := func(format string, args ...any) { x.notes = append(x.notes, fmt.Sprintf(format, args...)) }
	if len(x.points) == 0 {
		note("no point is exported: there are no alert rules")
		return
	}
	if len(x.o.Match) == 0 {
		note("no --match: the rules are about all vLLM series of the monitoring together")
	}
	if x.study.Varied {
		note("a limit of [slo] is an axis: its rule has the usual limit; --ttft and --tpot set it")
	}
	f, loads := x.set.Points, map[string]int{}
	raw, open := 0, 0
	for _, row := range x.points {
		s := x.state(row)
		if s != steady && s != unjudged {
			continue
		}
		x.compared++
		if s == unjudged {
			open++
		}
		if calibrated, _ := f.Bool(f.Index("calibrated"), row); !calibrated {
			raw++
		}
		loads[table.Text(f.Cell(f.Index("offered_rps"), row))]++
	}
	for _, m := range []string{"ttft_mean_ms", "tpot_mean_ms"} {
		if x.compared > 0 && !x.metrics[m] {
			note("the study's [output] metrics leave out %s: no rule compares it", m)
		}
	}
	if open > 0 {
		note("%d of %d points with latencies are judged neither steady nor saturated (closed loop, burst, or too short to tell)", open, x.compared)
	}
	if x.compared == 0 {
		note("no point has a latency: no deviation from a prediction can be seen")
	}
	if raw > 0 {
		note("%d of %d points are not calibrated: expect measurements to be off them", raw, x.compared)
	}
	for _, n := range loads {
		if n > 1 {
			note("points of the same load are all compared with what is measured: choose what is deployed by --point or --where")
			break
		}
	}
}

// choose picks the points.
func (x *data) choose(where filter.Rows) error {
	f := x.set.Points
	id, search, pareto, rank, oat := f.Index("point_id"), f.Index("search_id"), f.Index("pareto"), f.Index("objective_rank"), f.Index("oat_path")
	if x.o.Front && len(x.set.Manifest.Objectives) == 0 {
		return fmt.Errorf("--front: %s has no front, the study no [[objective]]", x.set.Dir)
	}
	named := map[int]bool{}
	for _, p := range x.o.Points {
		i, err := x.find(p, id)
		if err != nil {
			return err
		}
		named[i] = true
	}
	holds, probes := where.Of(f), 0
	for i := range f.Len() {
		if len(named) > 0 && !named[i] || !holds(i) {
			continue
		}
		if x.o.Front {
			best, _ := f.Int(rank, i)
			if on, _ := f.Bool(pareto, i); !on && best != 1 {
				continue
			}
		}
		if _, probe := f.String(search, i); probe && len(named) == 0 && where.Empty() {
			probes++
			continue
		}
		if _, changed := f.String(oat, i); changed {
			x.oat = true
		}
		x.points = append(x.points, i)
	}
	if probes > 0 {
		x.notes = append(x.notes, fmt.Sprintf("%d points are values that searches tried, left out unless --point or --where chooses them", probes))
	}
	if len(x.points) == 0 && probes == 0 {
		return fmt.Errorf("no point of %s is chosen", x.set.Dir)
	}
	return nil
}

// find returns the row of a point by its index, or its id or the beginning of it.
func (x *data) find(name string, id int) (int, error) {
	f := x.set.Points
	var found []int
	for i := range f.Len() {
		index, _ := f.Int(f.Index("point_index"), i)
		if strconv.FormatInt(index, 10) == name {
			return i, nil
		}
		if text, _ := f.String(id, i); len(name) >= 4 && strings.HasPrefix(text, name) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, fmt.Errorf("--point %s: %s has no such point; points.parquet has index and id of each", name, x.set.Dir)
	}
	return 0, fmt.Errorf("--point %s: %d points have ids that begin so", name, len(found))
}

// bounded refuses more than a monitoring should be given unawares.
func (x *data) bounded() error {
	most := x.o.Limit
	if most == 0 {
		most = Limit
	}
	n := len(x.points)
	if x.search != nil {
		n += x.search.Len()
	}
	if n <= most {
		return nil
	}
	_, series := x.exposition()
	choose := "--point 4"
	if len(x.axes) > 0 && len(x.points) > 0 {
		a := x.axes[0]
		value := table.Text(x.set.Points.Cell(x.set.Points.Index(a.Name), x.points[0]))
		if a.Kind == table.String {
			value = strconv.Quote(value)
		}
		choose += fmt.Sprintf(", --where '%s == %s'", a.Name, value)
	}
	if len(x.set.Manifest.Objectives) > 0 {
		choose += ", --front"
	}
	return fmt.Errorf("%d points would be %d series in the monitoring; at most %d unless --limit says more: choose by %s, or give --limit %d", n, series, most, choose, n)
}
