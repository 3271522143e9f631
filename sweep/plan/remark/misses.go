package remark

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"scoville/core/scenario"
)

// misses gathers which overlays from calibrations do not act, and why. The zero
// value is ready.
type misses struct {
	points int
	list   []missed
}

// missed is one overlay, and the condition of it that does not hold.
type missed struct {
	overlay, path string
	values        []string // that points have
	fitted        []string
	all, bare     int // points, and those of them that no overlay calibrates
}

// maxValues is how many values a note names.
const maxValues = 4

func (m *misses) add(r *scenario.Resolved) {
	m.points++
	for _, x := range r.Misses {
		i := slices.IndexFunc(m.list, func(e missed) bool { return e.overlay == x.Overlay && e.path == x.Path })
		if i < 0 {
			i = len(m.list)
			m.list = append(m.list, missed{overlay: x.Overlay, path: x.Path, fitted: x.Fitted})
		}
		e := &m.list[i]
		if !slices.Contains(e.values, x.Value) {
			e.values = append(e.values, x.Value)
		}
		if e.all++; !r.Calibrated {
			e.bare++
		}
	}
}

// notes are of overlays that leave points without a calibration, or act nowhere:
// that of one chip may be silent where that of another acts.
func (m *misses) notes() (notes []string) {
	all := map[string]int{}
	for _, e := range m.list {
		all[e.overlay] += e.all
	}
	for _, e := range m.list {
		n := e.bare
		if all[e.overlay] == m.points {
			n = e.all
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s does not act at %s: %s, it was fitted to %s", e.overlay, m.where(n), e.said(), strings.Join(few(e.fitted), " or ")))
		}
	}
	if n := len(notes) - Most; n > 0 {
		notes = append(notes[:Most:Most], fmt.Sprintf("%d more reasons why overlays do not act: see the column calibrated", n))
	}
	return notes
}

// where counts points.
func (m *misses) where(n int) string {
	switch {
	case m.points == 1:
		return "1 point"
	case n == m.points:
		return fmt.Sprintf("any of %d points", n)
	}
	return fmt.Sprintf("%d of %d points", n, m.points)
}

// said is what the points have for the condition.
func (e *missed) said() string {
	values := slices.Clone(e.values)
	for i, v := range values {
		values[i] = cmp.Or(v, `""`)
	}
	return e.path + " = " + strings.Join(few(values), ", ")
}

// few shortens a list.
func few(words []string) []string {
	if n := len(words) - maxValues; n > 0 {
		return append(slices.Clone(words[:maxValues]), fmt.Sprintf("%d more", n))
	}
	return words
}
