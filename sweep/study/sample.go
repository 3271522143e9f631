package study

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario"
	"scoville/core/schema"
	"scoville/core/workload"
	"scoville/sweep/sample"
	"scoville/sweep/study/space"
	"scoville/sweep/study/span"
)

// Sample is an inner design that fills a space: all its rows around each outer
// combination, and no baseline.
type Sample struct {
	sample.Design

	levels [][]Level // by dimension; nil for one of numbers
	places []Place   // by dimension
}

// Axes are the dimensions, with the levels of those that have a list.
func (s *Sample) Axes() []Axis {
	out := make([]Axis, len(s.Dims))
	for i, d := range s.Dims {
		out[i] = Axis{Name: d.Path, Paths: []string{d.Path}, Levels: s.levels[i]}
	}
	return out
}

// Row is what row i gives the parameters.
func (s *Sample) Row(i int) (Level, error) { return s.RowAt(i, s.Unit(i)) }

// RowAt is Row with the coordinates Unit(i) in hand.
func (s *Sample) RowAt(i int, u []float64) (Level, error) {
	row := Level{Name: "row " + strconv.Itoa(i)}
	for j := range s.Dims {
		d := &s.Dims[j]
		if s.levels[j] != nil {
			row.Values = append(row.Values, s.levels[j][d.Bin(u[j])].Values...)
			continue
		}
		x := d.Number(u[j])
		v := Value{Path: d.Path, At: s.places[j]}
		switch {
		case d.Relative:
			v.Factor, v.Sampled = span.Exact(x), true
		default:
			var number any = x
			if d.Whole {
				number = int64(x)
			}
			var err error
			if v.Value, err = scenario.Convert(d.Path, number); err != nil {
				return row, s.outside(j, i, err)
			}
		}
		row.Values = append(row.Values, v)
	}
	return row, nil
}

// outside is the error of a row whose value the parameter cannot have.
func (s *Sample) outside(dimension, row int, err error) error {
	if fe, ok := errors.AsType[*scenario.FieldError](err); ok {
		e := *fe
		e.Hint = fmt.Sprintf("row %d of the sample: cut the distribution off with min and max", row)
		err = &e
	}
	return s.places[dimension].Point(err)
}

// sample decodes an entry of [sample]; the first one makes the design.
func (d *decoder) sample(e scenario.Entry) (err error) {
	st := d.study
	if st.Sample == nil {
		st.Sample = &Sample{}
	}
	var n int64
	switch key := e.Key(); {
	case len(e.Path) == 1:
		return d.doc.Errorf(key, sampleForm, "needs method, n and a space")
	case key == "sample.method":
		if st.Sample.Method, err = d.text(e); err == nil && !slices.Contains(sample.Methods(), st.Sample.Method) {
			err = d.doc.Errorf(key, "write one of "+strings.Join(sample.Methods(), ", "), "no method %q", st.Sample.Method)
		}
	case key == "sample.n":
		n, err = d.whole(e, 1, sample.MaxN)
		st.Sample.N = int(n)
	case key == "sample.seed":
		n, err = d.whole(e, 0, 1<<63-1)
		st.Sample.Seed = uint64(n)
	case key == "sample.dummy":
		var ok bool
		if st.Sample.Dummy, ok = e.Value.(bool); !ok {
			err = d.doc.Errorf(key, "", "needs true or false")
		}
	case e.Path[1] == "space":
		return d.dimension(e)
	default:
		return d.unknown(scenario.Entry{Path: e.Path[:2]})
	}
	return err
}

const sampleForm = `write [sample] with method and n, and [sample.space] with "PATH" = { min, max } or a list`

// dimension decodes PATH = levels, range or distribution of [sample.space].
func (d *decoder) dimension(e scenario.Entry) error {
	at := Place{Doc: d.doc, Key: e.Key(), Table: "sample.space"}
	if len(e.Path) < 3 {
		return at.Errorf(at.Table, `add "PATH" = { min, max }`, "has no parameters")
	}
	path := strings.Join(e.Path[2:], ".")
	if _, ok := scenario.Lookup(path); !ok {
		return at.Point(unknownPath(path))
	}
	if err := checkMetric(path); err != nil {
		return at.Point(err)
	}
	s := d.study.Sample
	table, isTable := e.Value.(map[string]any)
	_, isList := e.Value.([]any)
	switch {
	case isTable && table["from"] == nil:
		dim, err := space.Decode(path, at, table)
		if err != nil {
			return err
		}
		s.Dims, s.levels = append(s.Dims, dim), append(s.levels, nil)
	case !isTable && !isList:
		return at.Errorf(path, space.Form, "%s is one value, which does not vary", schema.Show(e.Value))
	default:
		levels, err := d.list(path, at, e.Value)
		if err != nil {
			return err
		}
		if len(levels) < 2 {
			return at.Errorf(path, "give two or more, or write it into the scenario", "one level does not vary")
		}
		dim := sample.Dim{Path: path, Kind: sample.Levels}
		for _, l := range levels {
			dim.Values = append(dim.Values, l.Name)
			v := l.Values[0]
			length, isLength := v.Value.(workload.Dist)
			dim.Names = dim.Names || isLength && length.Kind != workload.Fixed
		}
		f, _ := scenario.Lookup(path)
		dim.Names = dim.Names || f.Kind != scenario.Float && f.Kind != scenario.Int
		s.Dims, s.levels = append(s.Dims, dim), append(s.levels, levels)
	}
	s.places = append(s.places, at)
	return nil
}

// checkSample refuses a sample that is not whole or that another design undoes.
func (d *decoder) checkSample() error {
	s := d.study.Sample
	if s == nil {
		return nil
	}
	if len(d.study.OAT) > 0 {
		return d.doc.Errorf("oat", "give one of them a study of its own", "cannot stand beside [sample]: both vary the same baseline")
	}
	for _, key := range []string{"method", "n", "space"} {
		if key = "sample." + key; !d.doc.Has(key) {
			return d.doc.Errorf("sample", sampleForm, "%s is missing", key)
		}
	}
	if key, err := s.Check(); err != nil {
		at := "sample." + key
		if !d.doc.Has(at) {
			at = "sample"
		}
		e := d.doc.Errorf(at, "", "%v", err)
		e.Where = "sample." + key
		return e
	}
	var outer []Value
	for _, a := range d.study.Axes {
		own, _ := firstValues(a, nil, "")
		outer = append(outer, own...)
	}
	for i, at := range s.places {
		v := Value{Path: s.Dims[i].Path, At: at}
		for _, o := range outer {
			if overlap(o.Path, v.Path) {
				return at.Errorf(at.Table, "remove one of them", "%q is an axis already", v.Path)
			}
		}
		for _, earlier := range s.Dims[:i] {
			if overlap(earlier.Path, v.Path) {
				return at.Errorf(at.Table, "remove one of them", "%q and %q are not independent", earlier.Path, v.Path)
			}
		}
	}
	return nil
}

// varied are all axes of the design, the inner ones last.
func (st *Study) varied() []Axis {
	all := slices.Concat(st.Axes, st.OAT)
	if st.Sample != nil {
		all = append(all, st.Sample.Axes()...)
	}
	return all
}
