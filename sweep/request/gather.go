package request

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"scoville/core"
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

// take links or copies the tables of a folder that are not there, or are damaged
// there. Damaged ones of the folder are left: their runs count as missing.
func (k *Keeper) take(ctx context.Context, from string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		file, to := filepath.Join(from, e.Name()), filepath.Join(k.dir, e.Name())
		if e.Type().IsRegular() && ours.MatchString(e.Name()) && !intact(to) && intact(file) {
			err = transfer(file, to)
		}
	}
	return err
}

// transfer links a file, or copies it where it is on another file system.
func transfer(file, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(file, to) == nil {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := table.StageFrom(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	return s.Publish()
}

// Bytes that a table may take, per request and besides: far more than any does.
const mostPerRequest, mostBesides = 1 << 10, 1 << 20

// intact says whether a file is the whole table of the run that its name says. It
// reads the footer, not the requests.
func intact(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	s, err := table.Scan(path, nil)
	if err != nil {
		return false
	}
	defer s.Close()
	meta, rows := s.Head().Meta, s.Len()
	return fmt.Sprintf(nameForm, meta["point_id"], meta["seed"], meta["replicate"]) == filepath.Base(path) &&
		meta["sim_version"] == strconv.Itoa(core.Version) && meta["requests_kept"] == strconv.FormatInt(rows, 10) &&
		info.Size() <= mostBesides+mostPerRequest*rows
}
