package effort

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/sample"
	"scoville/sweep/study/ask"
	"scoville/sweep/study/span"
)

const untilForm = `write until = { metric = "ttft_p99_ms", rel_ci = "5%", max = 50 }`

// Decode decodes a key of [replicates] or [run]; false for one it does not know.
func (f *Effort) Decode(doc *scenario.Document, e scenario.Entry) (known bool, err error) {
	d := decoder{doc, f}
	switch key := e.Key(); {
	case key == "replicates.n":
		n, err := d.whole(e, 1, 1_000_000)
		f.Replicates = int(n)
		return true, err
	case key == "replicates.crn":
		crn, err := d.yes(e)
		f.Independent = !crn
		return true, err
	case key == "replicates.until" || strings.HasPrefix(key, "replicates.until."):
		return d.until(e)
	case key == "run.max_events":
		f.Budget.Events, err = d.whole(e, 1, 1<<53)
	case key == "run.max_sim_s":
		f.Budget.SimS, err = d.seconds(e)
	case key == "run.max_failures":
		err = d.failures(e)
	case key == "run.race":
		f.Race, err = d.yes(e)
	default:
		return false, nil
	}
	return true, err
}

// decoder reads keys into an effort.
type decoder struct {
	doc    *scenario.Document
	effort *Effort
}

func (d *decoder) whole(e scenario.Entry, lo, hi int64) (int64, error) {
	n, ok := e.Value.(int64)
	if !ok || n < lo || n > hi {
		return 0, d.doc.Errorf(e.Key(), "", "needs a whole number from %d to %d", lo, hi)
	}
	return n, nil
}

// until decodes a key of replicates.until.
func (d *decoder) until(e scenario.Entry) (known bool, err error) {
	if d.effort.Until == nil {
		d.effort.Until = &Until{Max: defaultMaxRep}
	}
	u := d.effort.Until
	var n int64
	switch e.Key() {
	case "replicates.until.metric":
		u.Metrics, err = d.untilMetrics(e)
	case "replicates.until.rel_ci":
		u.RelCI, err = d.share(e, 0.0001, 0.5)
	case "replicates.until.max":
		n, err = d.whole(e, LeastUntil, 1_000_000)
		u.Max = int(n)
	case "replicates.until":
		err = d.doc.Errorf(e.Key(), untilForm, "needs a table")
	default:
		return false, nil
	}
	return true, err
}

// untilMetrics reads the name of a metric, or a list of them.
func (d *decoder) untilMetrics(e scenario.Entry) (list []string, err error) {
	switch v := e.Value.(type) {
	case string:
		list = []string{v}
	case []any:
		for _, x := range v {
			name, _ := x.(string)
			list = append(list, name)
		}
	}
	if len(list) == 0 || slices.Contains(list, "") {
		return nil, d.doc.Errorf(e.Key(), untilForm, "needs the name of a metric, or a list of names")
	}
	for i, name := range list {
		if _, ok := metrics.Index(name); !ok {
			return nil, d.doc.Errorf(e.Key(), ask.NearestMetric(name), "no metric %q", name)
		}
		if slices.Contains(list[:i], name) {
			return nil, d.doc.Errorf(e.Key(), "remove one of them", "%s is there twice", name)
		}
	}
	return list, nil
}

// share reads a share as "5%" or 0.05. A percent written as a number is an
// error: 5 is not 0.05.
func (d *decoder) share(e scenario.Entry, lo, hi float64) (float64, error) {
	const hint = `write "5%" or 0.05`
	var x float64
	switch v := e.Value.(type) {
	case string:
		number, ok := strings.CutSuffix(v, "%")
		percent := span.Decimal(number)
		if !ok || percent == nil {
			return 0, d.doc.Errorf(e.Key(), hint, "%q is not a share", v)
		}
		x, _ = percent.Float64()
		x /= 100
	case float64:
		x = v
	case int64:
		x = float64(v)
	default:
		return 0, d.doc.Errorf(e.Key(), hint, "%v is not a share", v)
	}
	if !(x >= lo && x <= hi) {
		return 0, d.doc.Errorf(e.Key(), hint, "%v is not between %g%% and %g%%", e.Value, 100*lo, 100*hi)
	}
	return x, nil
}

// failures reads run.max_failures: a count, or a share of the planned runs in
// percent. A fraction is an error: 0.05 might be meant as either.
func (d *decoder) failures(e scenario.Entry) (err error) {
	b := &d.effort.Budget
	switch v := e.Value.(type) {
	case int64:
		b.Failures, err = d.whole(e, 0, 1_000_000_000)
	case string:
		if !strings.HasSuffix(v, "%") {
			return d.doc.Errorf(e.Key(), `write "5%" of the planned runs, or a count such as 20`, "%q is not a share", v)
		}
		b.Share, err = d.share(e, 0, 1)
	default:
		err = d.doc.Errorf(e.Key(), `write "5%" of the planned runs, or a count such as 20`, "%v is neither a count nor a share", v)
	}
	return err
}

// seconds reads a time above 0.
func (d *decoder) seconds(e scenario.Entry) (float64, error) {
	x, ok := e.Value.(float64)
	if n, whole := e.Value.(int64); whole {
		x, ok = float64(n), true
	}
	if !ok || !(x > 0) || x > 1e12 {
		return 0, d.doc.Errorf(e.Key(), "in seconds of simulated time, such as 3600", "needs a number above 0")
	}
	return x, nil
}

// yes reads true or false.
func (d *decoder) yes(e scenario.Entry) (bool, error) {
	b, ok := e.Value.(bool)
	if !ok {
		return false, d.doc.Errorf(e.Key(), "", "needs true or false")
	}
	return b, nil
}

// Rest is what the rules between the keys need to know of the rest of a study.
type Rest struct {
	Search, OAT, Draws, Objectives bool   // it has any
	Sample                         string // method; "" = none
}

// Check checks the rules between the keys. It is called when everything else is
// known.
func (f *Effort) Check(doc *scenario.Document, rest Rest) error {
	if u := f.Until; u != nil {
		if !doc.Has("replicates.n") {
			f.Replicates = defaultUntil
		}
		switch {
		case len(u.Metrics) == 0:
			return doc.Errorf("replicates.until", untilForm, "metric is missing")
		case u.RelCI == 0:
			return doc.Errorf("replicates.until", untilForm, "rel_ci is missing")
		case f.Replicates < LeastUntil:
			return doc.Errorf("replicates.n", fmt.Sprintf("take n = %d or more", defaultUntil), "a stopping rule begins with %d replicates or more: the spread of fewer says too little", LeastUntil)
		case u.Max < f.Replicates:
			return doc.Errorf("replicates.until", "", "max = %d is less than n = %d, the replicates that a point has at least", u.Max, f.Replicates)
		case rest.Search:
			return doc.Errorf("replicates.until", "remove it", "a search decides for itself what to run")
		}
	}
	if f.Independent && rest.Search {
		return doc.Errorf("replicates.crn", "remove it", "a search compares values on the same requests")
	}
	if f.Race {
		return f.checkRace(doc, rest)
	}
	return nil
}

// RaceFirst are the replicates before a race looks at its designs for the first
// time.
const RaceFirst = 5

// checkRace refuses a race that cannot be run, or that would take away what the
// rest of the study asks for.
func (f *Effort) checkRace(doc *scenario.Document, rest Rest) error {
	refuse := func(hint, format string, args ...any) error {
		return doc.Errorf("run.race", hint, format, args...)
	}
	switch {
	case !rest.Objectives:
		return refuse(`add [[objective]] and below it metric = "..."`, "a race needs an objective: what makes a design better")
	case rest.Search:
		return refuse("remove one of them", "a race and a [search] both decide what to run")
	case rest.OAT:
		return refuse("remove one of them", "[oat] asks for the effect of every change, and a race drops those that lose")
	case rest.Sample == sample.Morris || rest.Sample == sample.Saltelli:
		return refuse("remove one of them", "[sample] method = %q needs every one of its rows, and a race drops those that lose", rest.Sample)
	case f.Until != nil:
		return refuse("remove one of them", "a race and until both decide how many replicates a point has")
	case f.Independent:
		return refuse("remove one of them", "a race compares designs on the same requests, which crn = false takes away")
	case rest.Draws:
		return refuse("draw for the designs that are left, in a study of their own", "draws of [uncertainty] are for every point, and a race drops points")
	case f.Replicates <= RaceFirst:
		return doc.Errorf("replicates.n", "take n = 20, for example", "a race looks at its designs after %d replicates: n = %d leaves nothing to save", RaceFirst, f.Replicates)
	}
	return nil
}
