// Package fitted is the page of a calibration: whether it can be trusted and for
// what, measured against simulated, residuals against each condition, what each
// parameter is known by, and what to measure next. It reads the record and the
// residuals that a fit leaves beside its overlay, and fits and simulates nothing.
package fitted

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"scoville/calibrate/results"
	"scoville/core/table"
	"scoville/report/page"
)

// Path is the page of an overlay: calibrated.html of calibrated.toml.
func Path(overlay string) string { return strings.TrimSuffix(overlay, ".toml") + ".html" }

// Write writes the page of an overlay beside its record.
func Write(overlay string) error {
	p, err := Load(overlay)
	if err != nil {
		return err
	}
	text, err := p.HTML()
	if err != nil {
		return err
	}
	return table.WriteFile(Path(overlay), text)
}

// Load makes the page of an overlay from the files beside it.
func Load(overlay string) (*page.Page, error) {
	paths := results.Paths(overlay)
	text, err := os.ReadFile(paths[1])
	if err != nil {
		return nil, err
	}
	f := &results.Fit{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", paths[1], err)
	}
	frame, err := table.Read(paths[2])
	if err != nil {
		return nil, err
	}
	return Page(filepath.Base(overlay), f, rows(frame)), nil
}

// Row is a measured value beside its prediction, as the residuals hold it. Numbers
// that are not known are NaN.
type Row struct {
	File, ID, Source         string
	Line                     int
	Hardware, Model, Version string
	TP, Prompt, Output       float64
	Concurrency, Rate        float64
	Metric, Split            string
	Measured, Predicted      float64 // ms; of a run beyond saturation req/s or tok/s
	Lo, Hi                   float64 // 90 % prediction interval
}

// off is predicted / measured - 1 in percent.
func (r *Row) off() float64 { return 100 * (r.Predicted/r.Measured - 1) }

// saturated reports whether the row is a run beyond saturation.
func (r *Row) saturated() bool { return strings.HasPrefix(r.Split, results.Saturated) }

// key names the measured row in its file.
func (r *Row) key() string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// rows takes the residuals from their table.
func rows(f *table.Frame) []Row {
	out := make([]Row, f.Len())
	for i := range out {
		text := func(name string) string { s, _ := f.String(f.Index(name), i); return s }
		number := func(names ...string) float64 {
			for _, name := range names {
				if x, ok := f.Float(f.Index(name), i); ok {
					return x
				}
				if n, ok := f.Int(f.Index(name), i); ok && n != 0 {
					return float64(n)
				}
			}
			return math.NaN()
		}
		out[i] = Row{
			File: text("file"), ID: text("id"), Source: text("source"), Line: int(number("line")),
			Hardware: text("hardware"), Model: text("model"), Version: text("engine_version"),
			TP: number("tp"), Prompt: number("prompt_tokens"), Output: number("output_tokens"), Concurrency: number("concurrency"), Rate: number("rate_rps"),
			Metric: text("metric"), Split: text("split"),
			Measured: number("measured_ms", "measured_rate"), Predicted: number("predicted_ms", "predicted_rate"), Lo: number("predicted_lo_ms"), Hi: number("predicted_hi_ms"),
		}
	}
	return out
}

// maker makes one page.
type maker struct {
	*results.Fit
	overlay string
	rows    []Row
}

// Page makes the page of a fit.
func Page(overlay string, f *results.Fit, residuals []Row) *page.Page {
	m := &maker{f, overlay, residuals}
	p := &page.Page{Title: strings.TrimSuffix(overlay, ".toml"), Kind: "calibrate fit", Answer: m.answer(), Lead: m.lead(), Footer: m.footer(), Points: m.points()}
	for _, s := range []page.Section{m.measured(), m.errors(), m.conditions(), m.parameters(), m.correlations(), m.starts(), m.left(), m.next()} {
		if s.Charts != nil || s.Tables != nil || s.Lines != nil || s.Texts != nil {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// points are the measured rows for whoever points at a mark: conditions, then of
// each metric what was measured and what is predicted.
func (m *maker) points() page.Points {
	p := page.Points{Title: "row", Head: []string{"row", "name", "hardware", "model", "engine version", "tp", "prompt tokens", "output tokens", "concurrency", "rate (req/s)"}, Rows: map[string][]string{}}
	base := len(p.Head)
	at := map[string]int{}
	for _, r := range m.rows {
		for _, name := range []string{r.Metric + " measured", r.Metric + " " + r.Split} {
			if _, ok := at[name]; !ok {
				at[name] = len(p.Head)
				p.Head = append(p.Head, name)
			}
		}
	}
	for _, r := range m.rows {
		row := p.Rows[r.key()]
		if row == nil {
			row = make([]string, len(p.Head))
			copy(row[:base], []string{r.key(), r.ID, r.Hardware, r.Model, r.Version, plain(r.TP), plain(r.Prompt), plain(r.Output), plain(r.Concurrency), plain(r.Rate)})
			p.Rows[r.key()] = row
		}
		row[at[r.Metric+" measured"]] = plain(r.Measured)
		row[at[r.Metric+" "+r.Split]] = fmt.Sprintf("%s (%+.1f %%)", plain(r.Predicted), r.off())
	}
	return p
}

// plain is a number of a cell, "" where there is none.
func plain(x float64) string {
	if math.IsNaN(x) || math.Abs(x) > huge {
		return ""
	}
	if a := math.Abs(x); a >= 1000 && a < 1e9 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// huge is beyond every measured number: what a record has in place of infinity.
const huge = 1e300

// percent prints a ratio.
func percent(x float64) string {
	if math.IsNaN(x) || math.Abs(x) > huge {
		return "without limit"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

// spoken is a metric in words.
func spoken(metric string) string {
	known := map[string]string{"ttft_mean_ms": "mean TTFT", "tpot_mean_ms": "mean TPOT", "e2e_mean_ms": "mean end-to-end time", "e2e_max_ms": "largest end-to-end time", "itl_mean_ms": "mean inter-token time", "step_ms": "step time"}
	if w := known[metric]; w != "" {
		return w
	}
	return metric
}

func (m *maker) footer() []string {
	out := []string{fmt.Sprintf("made of %s and %s beside it; simulator version %d", filepath.Base(results.Paths(m.overlay)[1]), filepath.Base(results.Paths(m.overlay)[2]), m.SimVersion)}
	for _, f := range m.Files {
		out = append(out, fmt.Sprintf("measurements: %s, %s, SHA-256 %s", f.Name, f.Form, f.SHA256))
	}
	if m.Where != "" {
		out = append(out, "rows where "+m.Where)
	}
	return out
}
