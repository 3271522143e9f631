package results

import (
	"fmt"
	"iter"
	"path/filepath"

	"scoville/core/table"
)

// Write writes the whole dataset: runs, points and effects, the study, and last
// the manifest. The runs come by point index, then replicate; those not run yet
// may be missing. Slices in a Run may be reused for the next. Each file is
// replaced whole; Write may be called again with more runs.
func (s *Set) Write(runs iter.Seq[Run]) error {
	b := newBoard(s)
	counts := map[string]int{}
	var tables []*table.Writer
	defer func() {
		for _, w := range tables {
			w.Abort()
		}
	}()
	stage := func(name string, cols []table.Column, rows func(add func(table.Row) error) error) error {
		w, err := table.Create(filepath.Join(s.dir, name), cols, nil)
		if err != nil {
			return err
		}
		tables = append(tables, w)
		return rows(w.Append)
	}
	err := stage(RunsFile, s.runColumns(), func(add func(table.Row) error) error {
		return s.addRuns(runs, b, counts, add)
	})
	if err == nil {
		err = stage(PointsFile, s.pointColumns(), b.pointRows)
	}
	if err == nil {
		err = stage(EffectsFile, s.effectColumns(), b.effectRows)
	}
	if err == nil {
		err = s.publish(tables, counts)
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// addRuns checks, gathers, counts and adds each run.
func (s *Set) addRuns(runs iter.Seq[Run], b *board, counts map[string]int, add func(table.Row) error) error {
	var row table.Row
	point, replicate := -1, -1
	for r := range runs {
		err := s.checkRun(&r)
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

func (b *board) pointRows(add func(table.Row) error) error {
	var row table.Row
	for _, p := range b.points {
		row = b.pointRow(row, p)
		if err := add(row); err != nil {
			return err
		}
	}
	return nil
}

// publish puts the files in place, the manifest last. All carry one digest, so
// that a set torn by a kill between two renames is seen by Open.
func (s *Set) publish(tables []*table.Writer, counts map[string]int) error {
	m := s.manifest(counts)
	for _, w := range tables {
		for k, v := range s.provenance(m) {
			if err := w.SetMeta(k, v); err != nil {
				return err
			}
		}
		if err := w.SetMeta("digest", m.Digest); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	if err := table.WriteFile(filepath.Join(s.dir, StudyFile), s.meta.StudyTOML); err != nil {
		return err
	}
	return m.write(s.dir)
}
