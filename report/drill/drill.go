// Package drill makes the parts of a page that lead inwards: how the latencies of
// a few points are distributed, what their runs spend their time on, and from a
// point to its requests and from a request to its steps. All comes from the file
// that sweep/results/details reads.
package drill

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/report/number"
	"scoville/report/page"
	"scoville/sweep/results/details"
)

// Sections are the latencies and the times of the points; without points what was
// left out, if anything was.
func Sections(d *details.Details) []page.Section {
	if d == nil || len(d.Points)+len(d.Notes) == 0 {
		return nil
	}
	if len(d.Points) == 0 {
		return []page.Section{{ID: "latencies", Title: "How the latencies are distributed", Notes: notes(d)}}
	}
	b := open(d)
	return []page.Section{b.latencies(), b.times()}
}

// Details are the panels of the points, by index, and of their requests and steps.
func Details(d *details.Details) map[string]page.Detail {
	out := map[string]page.Detail{}
	if d == nil {
		return out
	}
	b := open(d)
	for i := range d.Points {
		p := &d.Points[i]
		out[key(p)] = b.point(p)
		for k := range p.Requests {
			r := &p.Requests[k]
			out[requestKey(p, r)] = request(p, r)
			for s := range r.Steps {
				out[stepKey(p, r, s)] = step(p, r, s)
			}
		}
	}
	return out
}

// Keys of panels.
func key(p *details.Point) string { return strconv.Itoa(p.Index) }

func requestKey(p *details.Point, r *details.Request) string {
	return fmt.Sprintf("%d/%d", p.Index, r.Number)
}

func stepKey(p *details.Point, r *details.Request, step int) string {
	return fmt.Sprintf("%d/%d/%d", p.Index, r.Number, step)
}

// last is the last segment of a path, as the columns of tables are named.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// change is what a point changes against its baseline.
func change(p *details.Point) string {
	c := p.Design[len(p.Design)-1]
	return last(c.Name) + " " + c.Value
}

// coordinates are where a point stands, without what it changes.
func coordinates(p *details.Point) string {
	list := p.Design
	if p.Change {
		list = list[:len(list)-1]
	}
	var parts []string
	for _, c := range list {
		parts = append(parts, strings.TrimSpace(last(c.Name)+" = "+c.Value+" "+unit(c.Unit)))
	}
	return strings.Join(parts, ", ")
}

// unit is a unit that is said; a ratio is none.
func unit(u string) string {
	if u == "ratio" {
		return ""
	}
	return u
}

// book is a file, with names for its points.
type book struct {
	*details.Details
	designs map[int]string // by index, of points that are neither a baseline nor a change: what tells them apart
}

// maxName is how long the names of designs may be, in characters.
const maxName = 44

// open finds names. Points are called by the coordinates in which they differ, if
// these are short, else by why they were chosen.
func open(d *details.Details) *book {
	b := &book{d, map[int]string{}}
	values := map[string]map[string]bool{}
	var plain []*details.Point
	for i := range d.Points {
		p := &d.Points[i]
		if p.Baseline || p.Change {
			continue
		}
		plain = append(plain, p)
		for _, c := range p.Design {
			if values[c.Name] == nil {
				values[c.Name] = map[string]bool{}
			}
			values[c.Name][c.Value] = true
		}
	}
	for _, p := range plain {
		var parts []string
		for _, c := range p.Design {
			if len(values[c.Name]) > 1 || len(plain) == 1 {
				parts = append(parts, last(c.Name)+" = "+c.Value)
			}
		}
		if b.designs[p.Index] = strings.Join(parts, ", "); len([]rune(b.designs[p.Index])) > maxName || len(parts) == 0 {
			b.designs = map[int]string{}
			break
		}
	}
	return b
}

// label names a point among the points of a group; whole says its other
// coordinates too.
func (b *book) label(p *details.Point, whole bool) string {
	name := ""
	switch {
	case p.Change:
		name = change(p)
	case p.Baseline:
		name = "baseline"
	case b.designs[p.Index] != "":
		return fmt.Sprintf("point %d (%s)%s", p.Index, b.designs[p.Index], found(p))
	default:
		return fmt.Sprintf("point %d (%s)", p.Index, strings.Join(p.Chosen, ", "))
	}
	if where := coordinates(p); whole && where != "" {
		name += " (" + where + ")"
	}
	return name
}

// found says what a search made of a value that it tried; "" of other points.
func found(p *details.Point) string {
	switch {
	case slices.Contains(p.Chosen, "the value found"):
		return ", found"
	case slices.Contains(p.Chosen, "the first value that fails"):
		return ", fails"
	}
	return ""
}

// group is points that are compared with each other: a baseline and its changes,
// or all that have none.
type group struct {
	where  string // coordinates that they share; "" = none, or there is one group
	points []*details.Point
}

// groups are the points by what they are compared with.
func (b *book) groups() []group {
	var out []group
	for i := range b.Points {
		p := &b.Points[i]
		where := ""
		if p.Baseline || p.Change {
			where = coordinates(p)
		}
		k := slices.IndexFunc(out, func(g group) bool { return g.where == where })
		if k < 0 {
			out = append(out, group{where: where})
			k = len(out) - 1
		}
		out[k].points = append(out[k].points, p)
	}
	for i := range out {
		slices.SortStableFunc(out[i].points, func(a, b *details.Point) int { return order(a) - order(b) })
	}
	return out
}

// saturated reports whether no latency of a point is a steady value.
func saturated(p *details.Point) bool { return p.Verdict == "saturated" }

// order puts baselines first.
func order(p *details.Point) int {
	if p.Baseline {
		return 0
	}
	return 1
}

// notes says what was not looked into.
func notes(d *details.Details) (out []string) {
	for _, n := range d.Notes {
		if n.Index >= 0 {
			out = append(out, fmt.Sprintf("point %d %s", n.Index, n.Text))
		} else {
			out = append(out, n.Text)
		}
	}
	return out
}

// ms prints milliseconds, or seconds.
func ms(n details.Number) string {
	if !n.Known() {
		return "-"
	}
	if n >= 10_000 {
		return number.Grouped(int(math.Round(float64(n))))
	}
	return number.Significant(float64(n))
}

// words are a name as people write it.
func words(name string) string {
	return spelled.Replace(strings.ReplaceAll(name, "_", " "))
}

// spelled are words of names that are written otherwise.
var spelled = strings.NewReplacer("onchip", "on-chip", "kv", "KV", "lm head", "LM head", "gemm", "GEMM")

// sentence begins with a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
