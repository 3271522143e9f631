package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"scoville/report/chart"
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
		svg := p.SVG()
		if svg == nil {
			continue
		}
		if written == nil {
			errs = append(errs, os.MkdirAll(dir, 0o755))
		}
		name := p.Name + ".svg"
		written = append(written, name)
		errs = append(errs, results.WriteFile(filepath.Join(dir, name), svg))
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
		fmt.Fprintf(b, "\n![%s](%s/%s.svg)\n", escape(p.Title()), PlotsDir, p.Name)
		for k, line := range slices.Concat(p.Crossings(), p.Notes) {
			if k == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, "- %s\n", escape(line))
		}
	}
}
