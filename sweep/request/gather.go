package request

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	input "scoville/core/scenario/file"
	"scoville/core/table"
)

// Gather puts the tables of other results into those in dir, as far as they have
// the same choice of requests; most is as in Keep.
func Gather(ctx context.Context, dir string, most int, from []string) error {
	k, err := Keep(dir, most)
	if err != nil || most == 0 {
		return err
	}
	for _, other := range from {
		if text, err := input.Read(filepath.Join(other, choiceFile), input.MaxText); err != nil || string(text) != k.choice() {
			continue
		}
		if err := k.take(ctx, filepath.Join(other, Dir)); err != nil {
			return fmt.Errorf("requests: %w", err)
		}
	}
	return nil
}

// take links or copies the tables of a folder that are not there.
func (k *Keeper) take(ctx context.Context, from string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		to := filepath.Join(k.dir, e.Name())
		if _, gone := os.Lstat(to); gone == nil || !e.Type().IsRegular() || !ours.MatchString(e.Name()) {
			continue
		}
		file := filepath.Join(from, e.Name())
		if os.Link(file, to) == nil {
			continue
		}
		var text []byte
		if text, err = os.ReadFile(file); err == nil { // on another file system
			err = table.WriteFile(to, text)
		}
	}
	return err
}
