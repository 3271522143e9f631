// Package merge gathers what several folders know of runs into one. What they know
// of the same run must agree. It simulates nothing and knows no study: a run is
// known by its identity, so that the runs of a study that was edited since are
// there, and just not asked for.
package merge

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core"
	"scoville/sweep/again"
	"scoville/sweep/journal"
	"scoville/sweep/memo"
	"scoville/sweep/results"
	"scoville/sweep/results/place"
	"scoville/sweep/shard"
)

// ErrDisagree says that two folders hold different results of one run.
var ErrDisagree = errors.New("results of one run disagree")

// Folders are the folders that hold runs: dir itself, and its shards.
func Folders(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", dir)
	}
	if err := errors.Join(place.Check(dir), place.Check(filepath.Join(dir, shard.Folder))); err != nil {
		return nil, err
	}
	shards, err := shard.In(dir)
	if err != nil {
		return nil, err
	}
	at := []string{dir}
	for _, s := range shards {
		at = append(at, s.Dir(dir))
	}
	var out []string
	for _, folder := range at {
		if err := place.Check(folder); err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(folder, memo.File)); err == nil {
			out = append(out, folder)
		}
	}
	return out, nil
}

// Damage is a journal that is not whole: the runs it lost are missing, unless
// another folder has them.
type Damage struct {
	Dir     string
	Damaged int64 // bytes between whole runs
	Cut     int64 // bytes at the end without a whole run: half written, by a kill or now
}

// String says what is damaged, and what that means for the merge.
func (d Damage) String() string {
	file := filepath.Join(d.Dir, memo.File)
	var lines []string
	if d.Damaged > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d bytes in its midst are damaged; the runs they held count as missing", file, d.Damaged))
	}
	if d.Cut > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d bytes at its end are no whole run: a kill left them, or somebody writes; the runs they hold count as missing", file, d.Cut))
	}
	return strings.Join(lines, "\n")
}

// damaged lists the sources that are.
func damaged(all []source) (out []Damage) {
	for _, s := range all {
		if d := (Damage{s.dir, s.memo.Damaged(), s.memo.Cut()}); d.Damaged+d.Cut > 0 {
			out = append(out, d)
		}
	}
	return out
}

// source is a folder that is read.
type source struct {
	dir  string
	memo *memo.Memo
}

// Gather puts what the folders know of runs into the memory in dst, whose lock is
// held, and returns which of their journals are damaged. Folders are only read. Nothing is
// written if two disagree (ErrDisagree) or one is of another version of the
// simulator (results.ErrForeign). Of what they know of one run it takes what holds
// within limit, that of the study; then a result before a failure or a timeout.
func Gather(ctx context.Context, dst string, folders []string, limit core.Limit) ([]Damage, error) {
	all, err := open(ctx, dst, folders)
	defer func() {
		for _, s := range all {
			s.memo.Close()
		}
	}()
	if err != nil {
		return nil, again.Input(err)
	}
	from, err := choose(ctx, all, limit)
	if err != nil {
		return nil, again.Input(err)
	}
	to, err := memo.Open(ctx, dst)
	if err != nil {
		return nil, err
	}
	err = copyRuns(ctx, to, dst, all, from)
	if failed := to.Close(); err == nil { // else it says the same again
		err = failed
	}
	return damaged(all), err
}

// copyRuns adds the runs of every source but dst that were chosen.
func copyRuns(ctx context.Context, to *memo.Memo, dst string, all []source, from map[journal.Key]int32) (err error) {
	var b []byte
	for i, s := range all {
		if s.dir == dst {
			continue
		}
		for n, k := range s.memo.Keys() {
			if n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if from[k] != int32(i) {
				continue
			}
			var ok bool
			if b, ok, err = s.memo.Value(b[:0], k); err == nil && ok {
				err = to.Adopt(k, b)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens dst, if it has runs, and the folders, each once.
func open(ctx context.Context, dst string, folders []string) (all []source, err error) {
	dirs := slices.Clone(folders)
	if _, err := os.Stat(filepath.Join(dst, memo.File)); err == nil {
		dirs = append([]string{dst}, folders...)
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		full, err := filepath.Abs(dir)
		if err != nil {
			return all, err
		}
		if seen[full] {
			continue
		}
		seen[full] = true
		m, err := memo.Look(ctx, dir)
		switch {
		case errors.Is(err, memo.ErrForeign):
			return all, fmt.Errorf("%w: %s holds runs of another version of the simulator; run it again, or leave it out", results.ErrForeign, dir)
		case err != nil:
			return all, err
		}
		if at, _ := filepath.Abs(dst); at == full {
			dir = dst
		}
		all = append(all, source{dir, m})
	}
	return all, nil
}

// choose says for every run which source it is taken from by a study that runs
// within limit.
func choose(ctx context.Context, all []source, limit core.Limit) (map[journal.Key]int32, error) {
	from := map[journal.Key]int32{}
	left := map[journal.Key]int32{} // a source whose result was not taken
	var a, b []byte
	for i, s := range all {
		for n, k := range s.memo.Keys() {
			if n%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			first, known := from[k]
			if !known {
				from[k] = int32(i)
				continue
			}
			var err, err2 error
			a, _, err = all[first].memo.Value(a[:0], k)
			b, _, err2 = s.memo.Value(b[:0], k)
			if err = errors.Join(err, err2); err != nil {
				return nil, err
			}
			if bytes.Equal(a, b) {
				continue
			}
			second, err := memo.Second(a, b, limit)
			if err != nil {
				return nil, disagree(k, err, all[first], s)
			}
			if other, ok := left[k]; ok {
				if err := agree(k, all[other], s, limit); err != nil {
					return nil, err
				}
			}
			switch {
			case second && memo.IsResult(a):
				left[k] = first
			case !second && memo.IsResult(b):
				left[k] = int32(i)
			}
			if second {
				from[k] = int32(i)
			}
		}
	}
	return from, nil
}

// agree is an error if the results of a run in two sources differ.
func agree(k journal.Key, x, y source, limit core.Limit) error {
	a, _, err := x.memo.Value(nil, k)
	b, _, err2 := y.memo.Value(nil, k)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if _, err := memo.Second(a, b, limit); err != nil {
		return disagree(k, err, x, y)
	}
	return nil
}

// disagree says in what the results of a run differ.
func disagree(k journal.Key, in error, x, y source) error {
	return fmt.Errorf("%w: point %s seed %d replicate %d is %w in %s and in %s: one of them is not of this program, or damaged; remove the wrong folder and run its part again",
		ErrDisagree, hex.EncodeToString(k.Point[:]), k.Seed, k.Replicate, in, x.dir, y.dir)
}
