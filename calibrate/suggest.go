package calibrate

import (
	"context"

	"scoville/calibrate/score"
	"scoville/calibrate/suggest"
)

// Suggest says which measurements would narrow what an overlay leaves open, see
// suggest.Input, of which the overlay is read from the file.
func Suggest(ctx context.Context, overlay string, in SuggestInput) (string, error) {
	var err error
	if in.Overlay, err = score.Overlay(overlay); err != nil {
		return "", &InputError{err}
	}
	s, err := suggest.For(ctx, in)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &InputError{err}
	}
	return suggest.Text(s), nil
}

// SuggestInput is what Suggest is asked.
type SuggestInput = suggest.Input
