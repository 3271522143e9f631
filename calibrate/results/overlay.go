package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"scoville/core/table"
)

// Paths returns the files that Write leaves for an overlay of that name, the
// overlay first: calibrated.toml, calibrated.fit.json,
// calibrated.residuals.parquet.
func Paths(overlay string) []string {
	stem := strings.TrimSuffix(overlay, ".toml")
	return []string{overlay, stem + ".fit.json", stem + ".residuals.parquet"}
}

// ModelPath returns the overlay of one of several models.
func ModelPath(overlay, model string) string {
	keep := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' {
			return r
		}
		return '-'
	}
	return strings.TrimSuffix(overlay, ".toml") + "." + strings.Map(keep, model) + ".toml"
}

// Write writes the overlay last, so that a whole overlay has its record beside
// it; before it those of the models, when there are several. Each file appears
// whole or not at all.
func Write(overlay string, f *Fit, residuals []Residual) error {
	f.finite()
	paths := Paths(overlay)
	if err := writeResiduals(paths[2], f, residuals); err != nil {
		return err
	}
	if err := f.writeJSON(paths[1]); err != nil {
		return err
	}
	for i := range f.Models {
		if !f.perModel() { // they all have the same parameters
			break
		}
		m := &f.Models[i]
		own := f.of(m)
		if err := table.WriteFile(ModelPath(overlay, m.Name), own.Overlay()); err != nil {
			return err
		}
	}
	general := f.shared()
	return table.WriteFile(overlay, general.Overlay())
}

// Overlay is the fit of one model as TOML: the parameters, their sources, and
// [calibration] with where they hold, how well they fit, their covariance and
// their range.
func (f *Fit) Overlay() []byte {
	var b strings.Builder
	b.WriteString("# Fitted by calibrate fit. A study builds on it with base = [\"FILE\"].\n")
	fmt.Fprintf(&b, "schema = %d\n", f.Schema)
	for _, name := range f.tables() {
		f.section(&b, name)
	}
	b.WriteString("\n[sources]\n")
	for _, m := range f.Modes {
		fmt.Fprintf(&b, "%s = %s\n", quote(m.Path), quote("assumed: "+m.Because))
	}
	for _, p := range f.Parameters {
		fmt.Fprintf(&b, "%s = %s\n", quote(p.Path), quote(f.source(&p)))
	}
	f.calibration(&b)
	return []byte(b.String())
}

// tables lists the tables of the scenario that have parameters, in their order.
func (f *Fit) tables() []string {
	var out []string
	for _, p := range f.Parameters {
		if t, _, _ := strings.Cut(p.Path, "."); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, m := range f.Modes {
		if t, _, _ := strings.Cut(m.Path, "."); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func rank(table string) int { return slices.Index([]string{"engine", "hardware"}, table) * -1 }

// section writes the parameters of one table of the scenario.
func (f *Fit) section(b *strings.Builder, table string) {
	first := true
	for _, p := range f.Parameters {
		key, ok := strings.CutPrefix(p.Path, table+".")
		if !ok {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n[%s]\n", table)
			first = false
		}
		fmt.Fprintf(b, "%s = %s\n", key, number(p.Value))
	}
	for _, m := range f.Modes {
		if key, ok := strings.CutPrefix(m.Path, table+"."); ok {
			fmt.Fprintf(b, "%s = %s\n", key, m.text())
		}
	}
}

// text is the value as TOML.
func (m *Mode) text() string {
	if s, ok := m.Value.(string); ok {
		return quote(s)
	}
	return fmt.Sprint(m.Value)
}

// source is where a parameter comes from, in the grades of hardware files.
func (f *Fit) source(p *Parameter) string {
	if p.Tied != "" {
		return "assumed: " + p.Tied + " in the fit of " + f.DataSHA256[:min(12, len(f.DataSHA256))]
	}
	if f.Status != Converged {
		return "assumed: the fit of " + f.DataSHA256[:min(12, len(f.DataSHA256))] + " " + f.doubt()
	}
	if p.Across > 0 {
		return fmt.Sprintf("calibrated: mean over %d models of data %s, another model 95 %% from %s to %s",
			p.Across, f.DataSHA256[:min(12, len(f.DataSHA256))], number(Round(p.Lo, 3)), number(Round(p.Hi, 3)))
	}
	if p.Held {
		return "assumed: held in the fit of " + f.DataSHA256[:min(12, len(f.DataSHA256))]
	}
	if p.NoEffect {
		return "assumed: without effect on the data of " + f.DataSHA256[:min(12, len(f.DataSHA256))]
	}
	if p.AsPrior {
		return "assumed: as its prior, the data of " + f.DataSHA256[:min(12, len(f.DataSHA256))] + " hardly say"
	}
	return fmt.Sprintf("calibrated: %d rows of data %s, 95 %% interval %s to %s",
		f.Rows, f.DataSHA256[:min(12, len(f.DataSHA256))], number(Round(p.Lo, 3)), number(Round(p.Hi, 3)))
}

func (f *Fit) calibration(b *strings.Builder) {
	fmt.Fprintf(b, "\n[calibration]\nstatus = %s\nsimulator_version = %d\ndata_sha256 = %s\nrows = %d\nconditions = %d\n",
		quote(f.Status), f.SimVersion, quote(f.DataSHA256), f.Rows, f.Conditions)
	f.covariance(b)
	b.WriteString("\n[calibration.applies_to]\n")
	a := &f.AppliesTo
	for _, c := range []struct {
		key    string
		values []string
	}{{"hardware", a.Hardware}, {"model", a.Model}, {"weight_dtype", a.WeightDType}, {"kv_dtype", a.KVDType}, {"engine_version", a.EngineVersion}} {
		if len(c.values) > 0 {
			fmt.Fprintf(b, "%s = %s\n", c.key, list(c.values))
		}
	}
	b.WriteString("\n[calibration.range]   # of the conditions fitted to; beyond it the parameters are an extrapolation\n")
	for _, r := range f.Validity {
		fmt.Fprintf(b, "%s = [%s, %s]\n", quote(r.Path), number(r.Lo), number(r.Hi))
	}
	f.chips(b)
	for _, split := range []string{Fitted, HeldOut} {
		if !slices.ContainsFunc(f.Errors, func(e Error) bool { return e.Split == split }) {
			continue
		}
		whose := ""
		if f.Mean {
			whose = ", each model with its own parameters (NAME.MODEL.toml), not with the means here"
		}
		fmt.Fprintf(b, "\n[calibration.errors.%s]   # |predicted / measured - 1|%s\n", strings.ReplaceAll(split, " ", "_"), whose)
		for _, e := range f.Errors {
			if e.Split == split {
				fmt.Fprintf(b, "%s = { rows = %d, median = %s, p90 = %s, bias = %s }\n",
					e.Metric, e.Rows, number(Round(e.Median, 4)), number(Round(e.P90, 4)), number(Round(e.Bias, 4)))
			}
		}
	}
}

// chips writes what the fitted chips were.
func (f *Fit) chips(b *strings.Builder) {
	for _, c := range f.Chips {
		if !slices.Contains(f.AppliesTo.Hardware, c.Name) {
			continue // of another model
		}
		fmt.Fprintf(b, "\n[calibration.hardware.%s]   # the chip as fitted; on another the parameters are an extrapolation\nkv_path = %s\n", quote(c.Name), quote(c.KVPath))
		for _, r := range c.Spans {
			value := number(r.Lo)
			if r.Lo < r.Hi {
				value = fmt.Sprintf("[%s, %s]", number(r.Lo), number(r.Hi))
			}
			fmt.Fprintf(b, "%s = %s\n", strings.TrimPrefix(r.Path, "hardware."), value)
		}
	}
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a TOML basic string; JSON's escapes are among TOML's.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // cannot happen: a string always marshals
		return `""`
	}
	return string(text)
}

// number writes a TOML float.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// Round keeps that many significant digits.
func Round(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return y
}
