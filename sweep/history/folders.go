package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/sweep/results"
	"scoville/sweep/store"
)

// Bounds on what is looked at below a folder: it may be a whole disk.
const (
	maxDepth   = 8
	maxEntries = 200_000
	maxFolders = 20_000
)

// errEnough ends a walk.
var errEnough = errors.New("enough")

// folders lists the folders of results at or below some folders, and notes what was
// not looked at. Links are not followed, hidden folders not entered, and nothing is
// looked for below a folder of results.
func folders(ctx context.Context, roots []string) (dirs, notes []string, err error) {
	seen, entries, deep := map[string]bool{}, 0, 0
	for _, root := range roots {
		if store.Is(root) {
			return nil, nil, fmt.Errorf("%s: sweep history takes no URL; give a folder", root)
		}
		info, err := os.Stat(root)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("%s: there is no such folder; give folders that hold results, or folders above them", root)
		case err != nil:
			return nil, nil, err
		case !info.IsDir():
			return nil, nil, fmt.Errorf("%s is not a folder", root)
		}
		root = filepath.Clean(root)
		start := root
		if real, err := filepath.EvalSymlinks(root); err == nil {
			start = real // a link that the user names is meant
		}
		err = filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
			name := root + strings.TrimPrefix(path, start)
			switch entries++; {
			case ctx.Err() != nil:
				return ctx.Err()
			case entries > maxEntries || len(dirs) >= maxFolders:
				return errEnough
			case err != nil:
				notes = append(notes, fmt.Sprintf("%s: %v", name, errors.Unwrap(err)))
				return fs.SkipDir
			case !d.IsDir():
				return nil
			case path != start && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			}
			if holds(path) {
				if real, err := filepath.Abs(path); err == nil && !seen[real] {
					seen[real] = true
					dirs = append(dirs, name)
				}
				return fs.SkipDir
			}
			if strings.Count(strings.TrimPrefix(path, start), string(filepath.Separator)) >= maxDepth {
				deep++
				return fs.SkipDir
			}
			return nil
		})
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil && !errors.Is(err, errEnough) {
			return nil, nil, err
		}
		if errors.Is(err, errEnough) {
			notes = append(notes, fmt.Sprintf("%s: not all of it was looked at, it has more than %d entries or %d folders of results; give folders nearer to the results", root, maxEntries, maxFolders))
			break
		}
	}
	if deep > 0 {
		notes = append(notes, fmt.Sprintf("%d folders more than %d deep were not looked into", deep, maxDepth))
	}
	return dirs, notes, nil
}

// holds says whether a folder is one of results: by its manifest, or by a table or
// journal that lost it.
func holds(dir string) bool {
	return slices.ContainsFunc([]string{results.ManifestFile, results.PointsFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}
