package prometheus

import (
	"slices"
	"strconv"
	"strings"

	"scoville/core/table"
	"scoville/core/unit"
)

// axis is an axis and the label that has its values.
type axis struct {
	table.Column
	label string
}

// reserved are labels that have a meaning of their own here, in Prometheus or in
// what scrapes the file.
var reserved = []string{"study", "point", "model", "hardware", "version", "stat", "state", "oat_path", "oat_level", "search", "over", "unit", "goal", "outcome", "le", "quantile", "job", "instance"}

// labelled gives axes their labels. Columns are snake_case, as labels may be;
// names of models and chips stand in the labels model and hardware.
func labelled(cols []table.Column) (out []axis) {
	for _, c := range cols {
		label := c.Name
		switch {
		case c.Path == "model.name":
			label = "model"
		case c.Path == "hardware.name":
			label = "hardware"
		case slices.Contains(reserved, label):
			label = "axis_" + label
		}
		out = append(out, axis{c, label})
	}
	return out
}

// label is a name and a value.
type label struct{ name, value string }

// text prints labels as the exposition format has them.
func text(labels []label) string {
	var b strings.Builder
	for i, l := range labels {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(l.name)
		b.WriteString(`="`)
		b.WriteString(escape(l.value))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// escape is a label value as it stands between quotes: characters that do not print
// are spelled out, and backslash, quote and line end escaped.
func escape(s string) string { return escapes.Replace(unit.Visible(s)) }

// number prints a number so that it reads back as the same.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// labels are those of a row of the points or searches table; which is the name of
// the label that tells the row, id its value.
func (x *data) labels(f *table.Frame, row int, which, id string) []label {
	model, hardware := x.study.Model, x.study.Hardware
	var axes []label
	for _, a := range x.axes {
		col := f.Index(a.Name)
		if col < 0 {
			continue // what a search is over
		}
		switch value := table.Text(f.Cell(col, row)); a.label {
		case "model":
			model = value
		case "hardware":
			hardware = value
		default:
			axes = append(axes, label{a.label, value})
		}
	}
	out := []label{{"study", x.set.Manifest.Study}, {which, id}, {"model", model}, {"hardware", hardware}, {"version", strconv.Itoa(x.set.Manifest.SimVersion)}}
	out = append(out, axes...)
	if x.oat {
		path, _ := f.String(f.Index("oat_path"), row)
		level, _ := f.String(f.Index("oat_level"), row)
		out = append(out, label{"oat_path", path}, label{"oat_level", level})
	}
	return out
}
