package study

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/accuracy"
)

// Accuracy is the table that gives accuracy_loss_ratio.
type Accuracy struct {
	*accuracy.Table        // nil = none
	SHA256          string // of the file
}

// Of is the accuracy loss of a scenario, by the formats of its dense weights
// and its KV cache, at its longest request (prompt and output); false without a
// table, or where the table has no row that fits.
func (a Accuracy) Of(sc *scenario.Scenario) (float64, bool) {
	if a.Table == nil {
		return 0, false
	}
	return a.Loss(string(sc.Model.DenseWeights()), string(sc.Model.KV()), sc.LongestRequest())
}

// accuracy decodes [accuracy].
func (d *decoder) accuracy(e scenario.Entry) error {
	for _, sub := range d.doc.Under(e.Key()) {
		if sub.Key() != "accuracy.table" {
			return d.unknown(sub)
		}
		file, err := d.text(sub)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(d.doc.File), file)
		}
		text, err := d.read(file)
		if err != nil {
			return d.doc.Errorf(sub.Key(), "paths are relative to the study", "cannot read %q: %v", file, err)
		}
		if d.study.Accuracy.Table, err = accuracy.Parse(file, text); err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		d.study.Accuracy.SHA256 = hex.EncodeToString(sum[:])
	}
	return nil
}

// checkObjectives refuses an objective that nothing gives a value.
func (d *decoder) checkObjectives() error {
	for _, o := range d.study.Objectives {
		if o.Metric == "accuracy_loss_ratio" && d.study.Accuracy.Table == nil {
			return d.doc.Errorf("objective", `add [accuracy] and below it table = "loss.csv"`, "accuracy_loss_ratio needs a table of losses")
		}
	}
	for _, c := range d.study.Conditions {
		for _, n := range c.Names() {
			if n.Text == "accuracy_loss_ratio" && d.study.Accuracy.Table == nil {
				return c.At.Doc.Errorf(c.At.Key, `add [accuracy] and below it table = "loss.csv"`, "accuracy_loss_ratio needs a table of losses")
			}
		}
	}
	return nil
}

// selectNamed adds the metrics that the report and the objectives name to those
// that a study chose, so that points has their intervals.
func (d *decoder) selectNamed() {
	st := d.study
	if st.Metrics == nil {
		return
	}
	var all []string
	for _, c := range metrics.Columns() {
		all = append(all, c.Name)
	}
	named := st.Named(all)
	for _, m := range st.Metrics {
		named[m] = true
	}
	st.Metrics = nil
	for _, m := range all {
		if named[m] {
			st.Metrics = append(st.Metrics, m)
		}
	}
}
