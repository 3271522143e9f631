package sweep

import (
	"fmt"
	"strings"

	"scoville/sweep/again"
	"scoville/sweep/results"
	"scoville/sweep/study"
)

// choose returns the point of a plan that the words name: an index, an id or
// the unique beginning of one; without words the only point, or the only
// baseline.
func choose(d *results.Dataset, p *Plan, words string) (int, error) {
	rows := designRows(d)
	if len(rows) == 0 && p.Study.Search != nil {
		return 0, again.Input(fmt.Errorf("%s holds a search, whose points are the values it tried: give a study without [search] the value of %s to look at", d.Dir, p.Study.Search.Over))
	}
	if words == "" {
		if len(rows) > 1 {
			if base := baselines(d, rows); len(base) == 1 {
				rows = base
			}
		}
		if len(rows) != 1 {
			return 0, again.Input(fmt.Errorf("%s holds %s: choose one with --point\n%s", d.Dir, plural(len(rows), "point"), choices(d, rows)))
		}
		id, _ := d.Points.String(d.Points.Index("point_id"), rows[0])
		words = id
	}
	i, err := p.Find(words)
	if err != nil {
		return 0, again.Input(fmt.Errorf("--point %s: %w\n%s", words, err, choices(d, rows)))
	}
	for _, row := range rows {
		if index, _ := d.Points.Int(d.Points.Index("point_index"), row); int(index) == i {
			id, _ := d.Points.String(d.Points.Index("point_id"), row)
			if now := p.ID(i); now != id {
				return 0, fmt.Errorf("%w: point %d was the scenario %s and is %s: the catalogue of this program differs", ErrChanged, i, id, now)
			}
			return i, nil
		}
	}
	return 0, again.Input(fmt.Errorf("--point %s: the study has the point, %s does not hold it\n%s", words, d.Dir, choices(d, rows)))
}

// designRows are the rows of points that are no probes of a search.
func designRows(d *results.Dataset) (rows []int) {
	for i := range d.Points.Len() {
		if _, probe := d.Points.String(d.Points.Index("search_id"), i); !probe {
			rows = append(rows, i)
		}
	}
	return rows
}

func baselines(d *results.Dataset, rows []int) (out []int) {
	for _, i := range rows {
		if is, _ := d.Points.Bool(d.Points.Index("baseline"), i); is {
			out = append(out, i)
		}
	}
	return out
}

// maxChoices bounds the points that an error lists.
const maxChoices = 6

// choices lists points worth choosing: baselines, the best and the worst by
// the first metric, and what the axes are.
func choices(d *results.Dataset, rows []int) string {
	var b strings.Builder
	b.WriteString("  a point is an index, an id or the beginning of one, as in points.parquet")
	line := func(word string, i int) {
		index, _ := d.Points.Int(d.Points.Index("point_index"), i)
		id, _ := d.Points.String(d.Points.Index("point_id"), i)
		fmt.Fprintf(&b, "\n  --point %d  %s  %s%s", index, id, word, coordinates(d, i))
	}
	listed := baselines(d, rows)
	word := "baseline"
	if len(listed) == 0 && len(rows) <= maxChoices {
		listed, word = rows, "point"
	}
	for _, i := range listed[:min(len(listed), maxChoices)] {
		line(word, i)
	}
	if len(d.Manifest.Metrics) > 0 {
		name := d.Manifest.Metrics[0]
		if best, worst, ok := extremes(d, rows, name); ok {
			line("best "+name, best)
			line("worst "+name, worst)
		}
	}
	for _, c := range d.Axes() {
		var values []string
		seen := map[string]bool{}
		for _, i := range rows {
			if v := study.Show(d.Points.Row(i)[d.Points.Index(c.Name)]); !seen[v] {
				seen[v] = true
				values = append(values, v)
			}
		}
		if n := len(values) - 8; n > 0 {
			values = append(values[:8], fmt.Sprintf("%d more", n))
		}
		fmt.Fprintf(&b, "\n  axis %s: %s", c.Name, strings.Join(values, "  "))
	}
	return b.String()
}

// coordinates says where a point is: its axes, and what is changed.
func coordinates(d *results.Dataset, i int) string {
	var parts []string
	row := d.Points.Row(i)
	for _, c := range d.Axes() {
		outer := false
		for _, name := range d.Manifest.Outer {
			outer = outer || name == c.Name
		}
		if v := row[d.Points.Index(c.Name)]; v != nil && outer {
			parts = append(parts, c.Name+" = "+study.Show(v))
		}
	}
	if path, ok := d.Points.String(d.Points.Index("oat_path"), i); ok {
		level, _ := d.Points.String(d.Points.Index("oat_level"), i)
		parts = append(parts, path+" "+level)
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// extremes returns the best and the worst row by a metric, of the points whose
// mean is one: ok, and not saturated.
func extremes(d *results.Dataset, rows []int, metric string) (best, worst int, ok bool) {
	col := d.Points.Index(metric + "_mean")
	if col < 0 {
		return 0, 0, false
	}
	sign := 1.0
	if d.Points.Columns[col].Better == "higher" {
		sign = -1
	}
	var low, high float64
	n := 0
	for _, i := range rows {
		v, known := d.Points.Float(col, i)
		if steady, judged := d.Points.Bool(d.Points.Index("steady"), i); !known || judged && !steady {
			continue
		}
		v *= sign
		if n == 0 || v < low {
			low, best = v, i
		}
		if n == 0 || v > high {
			high, worst = v, i
		}
		n++
	}
	return best, worst, n > 1
}
