package fitted

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/calibrate/results"
	"scoville/core/table"
	"scoville/report/page"
)

// ScorePath is the page of a score whose output has a name.
func ScorePath(out string) string {
	return strings.TrimSuffix(results.ScorePaths(out)[0], ".score.json") + ".html"
}

// WriteScore writes the page of a score beside its record.
func WriteScore(out string) error {
	paths := results.ScorePaths(out)
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return err
	}
	s := &results.Score{}
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("%s: %w", paths[0], err)
	}
	frame, err := table.Read(paths[1])
	if err != nil {
		return err
	}
	html, err := ScorePage(filepath.Base(paths[0]), s, rows(frame)).HTML()
	if err != nil {
		return err
	}
	return table.WriteFile(ScorePath(out), html)
}

// ScorePage is the page of a score: how far off the overlay is on measurements that
// it was not fitted to here, by where it holds.
func ScorePage(record string, s *results.Score, residuals []Row) *page.Page {
	m := &maker{Fit: &results.Fit{Files: s.Files, Where: s.Where, Rows: s.Rows, Conditions: s.Conditions, Dropped: s.Dropped, Assumed: s.Assumed, Errors: s.Errors, Gates: s.Gates, Saturated: s.Saturated, SimVersion: s.SimVersion}, overlay: s.Overlay, rows: residuals}
	errors := m.errors()
	errors.Lines = nil
	for _, w := range s.Within {
		if w.Rows > 0 {
			errors.Lines = append(errors.Lines, fmt.Sprintf("%s, %s: the 90 %% interval of the overlay's covariance and model error holds %d of %s.", w.Metric, w.Split, w.Inside, results.Count(w.Rows, "row")))
		}
	}
	conditions := m.conditions()
	if len(conditions.Lines) > 0 && m.Patterns == nil { // a score tests none
		conditions.Lines = slices.DeleteFunc(conditions.Lines, func(line string) bool { return line == noPattern })
	}
	left := m.left()
	apart := page.Table{Title: "rows scored apart", Head: []string{"rows", "why", "which"}}
	for _, d := range s.Apart {
		apart.Rows = append(apart.Rows, []string{fmt.Sprint(len(d.Rows)), d.Reason, strings.Join(d.Rows[:min(8, len(d.Rows))], ", ")})
	}
	if apart.Rows != nil {
		left.Tables = append(left.Tables, apart)
	}
	p := &page.Page{Title: strings.TrimSuffix(record, ".score.json"), Kind: "calibrate score", Answer: m.scored(), Lead: m.scoreLead(s), Points: m.points()}
	p.Footer = append(m.footer()[1:], fmt.Sprintf("overlay %s, SHA-256 %s; made of %s and the residuals beside it; simulator version %d", s.Overlay, s.OverlaySHA256, record, s.SimVersion))
	for _, section := range []page.Section{m.measured(), errors, conditions, left} {
		if section.Charts != nil || section.Tables != nil || section.Lines != nil {
			p.Sections = append(p.Sections, section)
		}
	}
	return p
}

// scored says in one sentence how far off the overlay is where it holds.
func (m *maker) scored() string {
	name := filepath.Base(m.overlay)
	inside := m.split(results.Inside)
	switch {
	case len(m.Gates) > 0:
		return fmt.Sprintf("%s does not meet what was asked of it: %s.", name, strings.Join(m.gates(), "; "))
	case len(inside) == 0:
		return fmt.Sprintf("%s holds for none of these rows: what it predicts of them is an extrapolation.", name)
	}
	least := slices.MinFunc(inside, func(a, b results.Error) int { return a.Rows - b.Rows })
	return fmt.Sprintf("%s is off by %s, on the %s where it holds.", name, off(inside), results.Count(least.Rows, "row"))
}

func (m *maker) scoreLead(s *results.Score) []string {
	line := fmt.Sprintf("%s in %s were predicted, and none fitted", results.Count(m.Rows, "measured row"), results.Count(m.Conditions, "condition"))
	if n := m.dropped(); n > 0 {
		line += fmt.Sprintf("; %s left out: %s", results.Count(n, "row"), results.Reasons(m.Dropped))
	}
	out := []string{line}
	for _, split := range []string{results.OutsideRange, results.Elsewhere} {
		if list := m.split(split); len(list) > 0 {
			out = append(out, fmt.Sprintf("%s: off by %s", split, off(list)))
		}
	}
	return append(out, "whether these rows are new to the overlay is for who knows what it was fitted to: SHA-256 of the measurements "+s.DataSHA256)
}
