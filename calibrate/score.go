package calibrate

import (
	"context"
	"path/filepath"

	"scoville/calibrate/measured"
	"scoville/calibrate/reading"
	"scoville/calibrate/results"
	"scoville/calibrate/score"
)

// Score applies an overlay to files without fitting. With an Output it writes
// the record and the residuals. maxError, unless 0, bounds the median error of
// the rows that the overlay holds for; a gate that does not hold is in the record.
func Score(ctx context.Context, overlay string, maxError float64, opt Options) (*results.Score, error) {
	layer, err := score.Overlay(overlay)
	if err != nil {
		return nil, &InputError{err}
	}
	in, err := read(opt)
	if err != nil {
		return nil, &InputError{err}
	}
	dir := "."
	if opt.Spec != "" {
		dir = filepath.Dir(opt.Spec)
	}
	s, residuals, err := score.Run(ctx, score.Input{Overlay: layer, Rows: in.rows, Extra: in.spec.Fixed, Dir: dir, MaxError: maxError, Jobs: opt.Jobs})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &InputError{err}
	}
	in.dropped = reading.Dropped(in.rows)
	s.DataSHA256, s.Where, s.Dropped = measured.Hash(in.files), opt.Where, in.dropped
	for _, f := range in.files {
		s.Files = append(s.Files, results.File{Name: f.Name, SHA256: f.SHA256, Form: f.Form})
	}
	if opt.Output == "" {
		return s, nil
	}
	return s, results.WriteScore(opt.Output, s, residuals)
}

// ScoreText prints a score for people; ScoreOutputs are the files that Score
// writes for an output of that name.
var (
	ScoreText    = results.ScoreText
	ScoreOutputs = results.ScorePaths
)
