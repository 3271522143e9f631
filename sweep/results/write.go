package results

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"scoville/core/table"
	"scoville/sweep/results/record"
)

// Write writes the whole dataset: runs, points and effects, the study, and last
// the manifest. The runs come by point index, then replicate, a baseline before
// its changes; those not run yet may be missing. Write goes through them once, or
// twice when points are compared with each other, and keeps the slices of a Run as long as it runs. Further tables, if any,
// are complete. An error of runs ends it, and nothing is written. Each file is
// replaced whole; Write may be called again with more runs.
func (s *Set) Write(runs iter.Seq2[Run, error], more ...Table) error {
	b := newBoard(s)
	counts := map[string]int{}
	var tables []*table.Writer
	defer func() {
		for _, w := range tables {
			w.Abort()
		}
	}()
	var err error
	create := func(name string, cols []table.Column) func(table.Row) error {
		if err != nil {
			return nil
		}
		var w *table.Writer
		if w, err = table.Create(filepath.Join(s.dir, name), cols, nil); err != nil {
			return nil
		}
		tables = append(tables, w)
		return w.Append
	}
	b.classes.Start = func() (func(table.Row) error, error) {
		w, err := table.Create(filepath.Join(s.dir, ClassesFile), b.classes.Columns(), nil)
		if err != nil {
			return nil, err
		}
		tables = append(tables, w)
		return w.Append, nil
	}
	add := create(RunsFile, s.runColumns())
	rec := record.New(s.pointColumns(), string(s.meta.StudyTOML), s.meta.Set)
	b.point = rec.Points(create(PointsFile, s.pointColumns()), b.waits)
	b.effect = rec.Effects(s.effectColumns(), create(EffectsFile, s.effectColumns()))
	if err == nil {
		err = s.gather(runs)
	}
	if err == nil {
		err = s.addRuns(runs, b, counts, add)
	}
	if err == nil {
		err = b.flush()
	}
	var judged []Judgement
	if err == nil {
		judged, err = b.sampled()
	}
	for _, j := range judged {
		rec.Floors(j.Metric, j.Outer, j.Floors)
	}
	for i := range more {
		if add := create(more[i].File, more[i].Columns); err == nil {
			err = more[i].Fill(rec.Searches(more[i].Columns, add))
		}
	}
	if err == nil {
		m := s.described(counts, b.inert.Names(), judged)
		m.Record = rec.Record()
		err = s.publish(tables, m)
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Each gives runs that are at hand.
func Each(runs []Run) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for _, r := range runs {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// addRuns checks, gathers, counts and adds each run.
func (s *Set) addRuns(runs iter.Seq2[Run, error], b *board, counts map[string]int, add func(table.Row) error) error {
	var row table.Row
	point, replicate := -1, -1
	for r, err := range runs {
		if err != nil {
			return err
		}
		err = s.checkRun(&r)
		if err == nil && (r.PointIndex < point || r.PointIndex == point && r.Replicate <= replicate) {
			err = fmt.Errorf("comes after point %d replicate %d", point, replicate)
		}
		if err == nil {
			err = b.add(&r)
		}
		if err == nil {
			row = s.runRow(row, &r)
			err = add(row)
		}
		if err != nil {
			return fmt.Errorf("point %d replicate %d: %w", r.PointIndex, r.Replicate, err)
		}
		point, replicate = r.PointIndex, r.Replicate
		counts[r.Status]++
	}
	return nil
}

// publish puts the files in place, the manifest last. All are whole on the disk
// before the first gets its name, so that a full disk changes nothing. All carry
// one digest, so that a set torn by a kill between two renames is seen by Open.
func (s *Set) publish(tables []*table.Writer, m *Manifest) error {
	for _, w := range tables {
		m.Tables = append(m.Tables, filepath.Base(w.Path()))
	}
	for _, w := range tables {
		for k, v := range s.provenance(m) {
			if err := w.SetMeta(k, v); err != nil {
				return err
			}
		}
		if err := w.SetMeta("digest", m.Digest); err != nil {
			return err
		}
		if err := w.Finish(); err != nil {
			return err
		}
	}
	study, err := table.Stage(filepath.Join(s.dir, StudyFile), s.meta.StudyTOML)
	if err != nil {
		return err
	}
	defer study.Discard()
	manifest, err := m.stage(s.dir)
	if err != nil {
		return err
	}
	defer manifest.Discard()
	for _, w := range tables {
		if err := w.Close(); err != nil {
			return err
		}
	}
	return errors.Join(study.Publish(), s.clean(m), manifest.Publish())
}
