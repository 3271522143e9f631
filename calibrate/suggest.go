package calibrate

import (
	"context"

	"scoville/calibrate/score"
	"scoville/calibrate/suggest"
)

// Suggest says which measurements would narrow what an overlay leaves open, see
// suggest.Input, of which the overlay is read from the file.
func Suggest(ctx context.Context, overlay string, in SuggestInput) (*suggest.Suggestion, error) {
	var err error
	if in.Overlay, err = score.Overlay(overlay); err != nil {
		return nil, &InputError{err}
	}
	s, err := suggest.For(ctx, in)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &InputError{err}
	}
	return s, nil
}

// SuggestText prints a suggestion for people; SuggestRows is a table of its runs.
var (
	SuggestText = suggest.Text
	SuggestRows = suggest.Rows
)

// SuggestInput is what Suggest is asked.
type SuggestInput = suggest.Input
