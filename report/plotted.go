package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"scoville/report/chart"
	"scoville/report/plots"
	"scoville/sweep/results"
)

// PlotsDir is where the charts lie in a folder of results.
const PlotsDir = "plots"

// writePlots writes the charts and removes those of earlier results.
func (r *Report) writePlots() error {
	dir := filepath.Join(r.data.Dir, PlotsDir)
	var errs []error
	var written []string
	for _, p := range r.plots {
		if p.Chart == nil {
			continue
		}
		if written == nil {
			errs = append(errs, os.MkdirAll(dir, 0o755))
		}
		name := p.Name + ".svg"
		written = append(written, name)
		errs = append(errs, results.WriteFile(filepath.Join(dir, name), p.Chart.SVG()))
	}
	old, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	for _, e := range old {
		path := filepath.Join(dir, e.Name())
		if slices.Contains(written, e.Name()) || filepath.Ext(path) != ".svg" {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(chart.Signature)) {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// crossings says where the lines of a plot cross.
func crossings(p plots.Plot, most int) []string {
	var out []string
	for i, c := range p.Cross {
		if i == most {
			out = append(out, fmt.Sprintf("%d more crossings", len(p.Cross)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s is below %s up to %s = %s (%s = %s), above it beyond: apart at %s and %s", c.A, c.B, p.X, chart.Number(c.X), p.Y, chart.Number(c.Y), chart.Number(c.From), chart.Number(c.To)))
	}
	return out
}

// fewCrossings and maxCrossings are how many crossings of a plot a terminal
// and report.md list.
const fewCrossings, maxCrossings = 4, 24

// plotLines tell of the plots on a terminal.
func (r *Report) plotLines() []string {
	var out []string
	for i, p := range r.plots {
		if i == 0 {
			out = append(out, "")
		}
		if p.Err != nil {
			out = append(out, fmt.Sprintf("plot  %s is not drawn: %v", p.Name, p.Err))
			continue
		}
		out = append(out, fmt.Sprintf("plot  %s: %s", filepath.Join(PlotsDir, p.Name+".svg"), p.Chart.Title))
		for _, line := range crossings(p, fewCrossings) {
			out = append(out, "      "+line)
		}
	}
	return out
}

// markdownPlots shows the plots in report.md.
func (r *Report) markdownPlots(b *bytes.Buffer) {
	for i, p := range r.plots {
		if i == 0 {
			b.WriteString("\n## plots\n")
		}
		if p.Err != nil {
			fmt.Fprintf(b, "\n%s is not drawn: %s\n", escape(p.Name), escape(p.Err.Error()))
			continue
		}
		fmt.Fprintf(b, "\n![%s](%s/%s.svg)\n", escape(p.Chart.Title), PlotsDir, p.Name)
		for k, line := range slices.Concat(crossings(p, maxCrossings), p.Notes) {
			if k == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, "- %s\n", escape(line))
		}
	}
}
