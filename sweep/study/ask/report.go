package ask

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/core/schema"
	"scoville/sweep/results/scope"
	"scoville/sweep/results/spec"
)

var names = regexp.MustCompile(`^[a-z0-9_-]+$`)

// tolerance of a published figure that gives none, ratio; too wide for a ratio
// of two points between 0.83 and 1.25, which must give one.
const tolerance = 0.10

// DecodeReport decodes an entry of [report]; unknown words the error of a key
// that it does not have.
func (d *Ask) DecodeReport(doc *scenario.Document, e scenario.Entry, unknown func(scenario.Entry) error) error {
	for _, sub := range doc.Under(e.Key()) {
		var err error
		switch sub.Key() {
		case "report.keep":
			d.Report.Keep, err = d.condition(doc, sub)
		case "report.baseline":
			d.Report.Baseline, err = d.condition(doc, sub)
		case "report.published":
			err = elements(doc, sub, `write [[report.published]], and below it metric = "..." and value = ...`, d.published)
		case "report.plot":
			err = elements(doc, sub, `write [[report.plot]], and below it name, x and y`, d.plot)
		default:
			err = unknown(sub)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// elements calls read for each element of an array of tables.
func elements(doc *scenario.Document, e scenario.Entry, hint string, read func(*scenario.Document) error) error {
	elems, ok := e.Value.([]*scenario.Document)
	if !ok {
		return doc.Errorf(e.Key(), hint, "is not a list of tables")
	}
	for _, el := range elems {
		if err := read(el); err != nil {
			return err
		}
	}
	return nil
}

// condition reads an expression for the plan to check, and returns its text.
func (d *Ask) condition(doc *scenario.Document, e scenario.Entry) (string, error) {
	c, err := condition(doc, e)
	if err != nil {
		return "", err
	}
	d.Conditions = append(d.Conditions, c)
	return c.String(), nil
}

// reference reads the name of a column for the plan to check.
func (d *Ask) reference(doc *scenario.Document, e scenario.Entry) (string, error) {
	name, err := Text(doc, e)
	if err == nil {
		d.References = append(d.References, Reference{name, e.Path[len(e.Path)-1], Place{Doc: doc, Key: e.Key()}})
	}
	return name, err
}

var publishedKeys = []string{"name", "at", "class", "metric", "value", "ratio_to", "tolerance", "source", "because", "cannot"}

// published decodes one [[report.published]].
func (d *Ask) published(el *scenario.Document) error {
	p := spec.Published{Tolerance: tolerance}
	for _, e := range el.Entries {
		var err error
		switch e.Key() {
		case "name":
			p.Name, err = Text(el, e)
		case "at":
			if e.Value != "" { // the one point there is
				p.At, err = d.condition(el, e)
			}
		case "class":
			p.Class, err = d.reference(el, e)
		case "metric":
			p.Metric, err = d.reference(el, e)
		case "value":
			p.Value, err = numberOf(el, e)
		case "ratio_to":
			p.RatioTo, err = d.condition(el, e)
		case "tolerance":
			if p.Tolerance, err = numberOf(el, e); err == nil && !(p.Tolerance >= 0 && p.Tolerance < 1) {
				err = el.Errorf("tolerance", "it is a ratio: 0.10 is within 10 %", "%s is not in [0,1)", schema.Show(e.Value))
			}
		case "source":
			p.Source, err = Text(el, e)
		case "because":
			p.Because, err = Text(el, e)
		case "cannot":
			p.Cannot, err = Text(el, e)
		default:
			err = unknownIn(el, e, publishedKeys)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range []string{"metric", "value"} {
		if !el.Has(key) {
			return missing(el, key, "a published figure needs a metric and a value")
		}
	}
	if widest := p.Widest(); p.Tolerance > widest {
		unit := math.Pow(10, math.Floor(math.Log10(widest))-1)
		return el.Errorf("tolerance", fmt.Sprintf("write one of at most %.2g", math.Floor(widest/unit)*unit),
			"a ratio of %g within %g may show less than half of the change from 1 and still count as reproduced", p.Value, p.Tolerance)
	}
	if p.Name == "" {
		p.Name = p.Metric
	}
	d.Report.Published = append(d.Report.Published, p)
	return nil
}

var plotKeys = []string{"name", "title", "x", "y", "series", "scale", "mark", "crossings", "hline", "where"}

var scales = []string{"linear", "log-x", "log-y", "log-log"}

// plot decodes one [[report.plot]].
func (d *Ask) plot(el *scenario.Document) error {
	p := spec.Plot{Scale: scales[0]}
	for _, e := range el.Entries {
		var err error
		switch e.Key() {
		case "name":
			p.Name, err = d.plotName(el, e)
		case "title":
			p.Title, err = Text(el, e)
		case "x":
			p.X, err = d.reference(el, e)
		case "y":
			p.Y, err = d.reference(el, e)
		case "series":
			p.Series, err = d.series(el, e)
		case "scale":
			if p.Scale, err = Text(el, e); err == nil && !slices.Contains(scales, p.Scale) {
				err = el.Errorf("scale", "write one of "+strings.Join(scales, ", "), "no scale %q", p.Scale)
			}
		case "mark":
			p.Mark, err = d.reference(el, e)
		case "crossings":
			var ok bool
			if p.Crossings, ok = e.Value.(bool); !ok {
				err = el.Errorf("crossings", "write true or false", "needs a truth value")
			}
		case "hline":
			p.HLine, err = hlines(el, e)
		case "where":
			p.Where, err = d.condition(el, e)
		default:
			err = unknownIn(el, e, plotKeys)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range []string{"name", "x", "y"} {
		if !el.Has(key) {
			return missing(el, key, "a plot needs a name, x and y")
		}
	}
	d.Report.Plots = append(d.Report.Plots, p)
	return nil
}

// plotName reads the name of a plot, which is the stem of its file.
func (d *Ask) plotName(el *scenario.Document, e scenario.Entry) (string, error) {
	name, err := Text(el, e)
	switch {
	case err != nil:
	case !names.MatchString(name):
		err = el.Errorf("name", "it is the stem of a file: use a-z, 0-9, _ and -", "%q is not a name of a plot", name)
	case slices.ContainsFunc(d.Report.Plots, func(p spec.Plot) bool { return p.Name == name }):
		err = el.Errorf("name", "give each plot its own name", "a plot named %q is already there", name)
	}
	return name, err
}

// series reads one column name or a list of them.
func (d *Ask) series(el *scenario.Document, e scenario.Entry) ([]string, error) {
	list, isList := e.Value.([]any)
	if !isList {
		list = []any{e.Value}
	}
	var out []string
	for _, v := range list {
		e.Value = v
		name, err := d.reference(el, e)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// hlines reads the horizontal lines of a plot.
func hlines(el *scenario.Document, e scenario.Entry) ([]spec.Level, error) {
	const hint = `write [{ y = 1.14, label = "..." }]`
	var tables []map[string]any
	switch v := e.Value.(type) {
	case []any:
		for _, x := range v {
			t, _ := x.(map[string]any)
			tables = append(tables, t)
		}
	case []*scenario.Document:
		for _, line := range v {
			t := map[string]any{}
			for _, sub := range line.Entries {
				t[sub.Key()] = sub.Value
			}
			tables = append(tables, t)
		}
	default:
		return nil, el.Errorf(e.Key(), hint, "is not a list of lines")
	}
	var out []spec.Level
	for _, t := range tables {
		l, n := spec.Level{}, 0
		switch y := t["y"].(type) {
		case float64:
			l.Y, n = y, 1
		case int64:
			l.Y, n = float64(y), 1
		default:
			return nil, el.Errorf(e.Key(), hint, "a line needs y, a number")
		}
		if label, ok := t["label"].(string); ok {
			l.Label = label
			n++
		}
		if n != len(t) {
			return nil, el.Errorf(e.Key(), hint, "a line has y, and label as a text, and no other key")
		}
		out = append(out, l)
	}
	return out, nil
}

func unknownIn(el *scenario.Document, e scenario.Entry, keys []string) error {
	return el.Errorf(e.Key(), schema.DidYouMean(schema.Closest(e.Key(), keys)), "unknown key %q", e.Key())
}

func missing(el *scenario.Document, key, rule string) error {
	return el.Errorf(key, rule, "is missing")
}

// Named returns the metrics that the study names, given those there are.
func (d *Ask) Named(all []string) map[string]bool {
	named := map[string]bool{}
	note := func(name string) {
		if metric, ok := scope.GainMetric(name); ok {
			name = metric
		}
		best := ""
		for _, metric := range all {
			if rest, ok := strings.CutPrefix(name, metric); ok && (rest == "" || rest[0] == '_') && len(metric) > len(best) {
				best = metric // output_tok_s_per_chip_gain_ratio is of no output_tok_s
			}
		}
		if best != "" {
			named[best] = true
		}
	}
	for _, o := range d.Objectives {
		note(o.Metric)
	}
	for _, r := range d.References {
		note(r.Column)
	}
	for _, c := range d.Conditions {
		for _, n := range c.Names() {
			note(n.Text)
		}
	}
	return named
}
