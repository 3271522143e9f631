package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"scoville/sweep/journal"
	"scoville/sweep/results"
	"scoville/sweep/results/lock"
	"scoville/sweep/store/bucket"
)

// Check says whether the URL is one of an object store that this build knows. It
// asks the store nothing. Errors are of type *again.InputError.
func Check(ctx context.Context, url string) error {
	b, err := bucket.Open(ctx, url)
	if err != nil {
		return input(err)
	}
	return input(b.Close())
}

// Copy fetches a folder in a bucket to read it: into dir, with its shards, and its
// journals if journals is set. What is replaced meanwhile is fetched again.
func Copy(ctx context.Context, url, dir string, journals bool) error {
	return fetchTo(ctx, Options{URL: url}, dir, copying{journals: journals, want: func(name string) bool {
		return journals || !strings.HasPrefix(name, shards) && !strings.HasPrefix(name, "requests/")
	}})
}

// Cost is what a copy takes from a store, beside lists of what is there.
type Cost struct {
	Objects int
	Bytes   int64
}

// Glance fetches of a folder in a bucket, and of its shards, what says how far it
// is: manifests, all that runs gave, and who writes, as a lock file. It takes no
// table, and disturbs nobody who writes.
func Glance(ctx context.Context, url, dir string) (Cost, error) {
	var cost Cost
	err := fetchTo(ctx, Options{URL: url}, dir, copying{journals: true, writers: true, cost: &cost, want: glanced})
	return cost, err
}

// glanced says whether a file says how far a sweep is.
func glanced(name string) bool {
	base := path.Base(name)
	return base == results.ManifestFile || base == finished || base == standing
}

// copying is what of a folder is fetched.
type copying struct {
	want     func(name string) bool // files
	journals bool
	writers  bool  // who writes, as a lock file
	cost     *Cost // is told what it takes; nil = nobody
}

func fetchTo(ctx context.Context, o Options, dir string, what copying) error {
	o.defaults()
	b, err := o.open(ctx, o.URL)
	if err != nil {
		return input(err)
	}
	err = errors.Join(what.fetch(ctx, &o, b, dir), b.Close())
	if errors.Is(err, errEmpty) {
		err = fmt.Errorf("%s: %w", o.URL, err)
	}
	return input(err)
}

// errEmpty says that a folder in a bucket is not there.
var errEmpty = fmt.Errorf("it holds no results: %w", bucket.ErrNotFound)

// fetch fetches until nothing is replaced meanwhile.
func (w copying) fetch(ctx context.Context, o *Options, b bucket.Bucket, dir string) error {
	for range 5 {
		c, err := list(ctx, b, "", true)
		if err != nil {
			return err
		}
		if len(c.files) == 0 && len(c.pieces) == 0 {
			return errEmpty
		}
		err = w.once(ctx, o, b, dir, &c)
		if err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return err
		}
		again, lerr := list(ctx, b, "", true)
		if lerr != nil || err == nil && maps.EqualFunc(c.files, again.files, func(a, b bucket.Object) bool { return a.Size == b.Size && a.Modified.Equal(b.Modified) }) {
			return lerr
		}
	}
	return errors.New("results are replaced faster than they can be fetched; try again later")
}

// once fetches what a list says.
func (w copying) once(ctx context.Context, o *Options, b bucket.Bucket, dir string, c *content) error {
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.files)), func(name string) bool { return !w.want(name) })
	err := each(ctx, names, func(ctx context.Context, name string) error {
		_, err := download(ctx, b, c.files[name].Key, at(name))
		return err
	})
	cost := Cost{Objects: len(names)}
	for _, name := range names {
		cost.Bytes += c.files[name].Size
	}
	for folder, keys := range c.pieces {
		if err != nil || !w.journals {
			break
		}
		file := at(folder + journal.File)
		if err = assemble(ctx, b, keys, file); err == nil {
			err = os.Chtimes(file, c.grown[folder], c.grown[folder])
		}
		if info, serr := os.Stat(file); serr == nil {
			cost.Objects += len(keys)
			cost.Bytes += info.Size()
		}
	}
	for folder, key := range c.leases {
		if err == nil && w.writers {
			err = writer(ctx, o, b, key, at(folder))
		}
	}
	if w.cost != nil {
		*w.cost = cost
	}
	return err
}

// writer leaves a lock file in dir if a lease holds.
func writer(ctx context.Context, o *Options, b bucket.Bucket, key, dir string) error {
	l, err := readLease(ctx, b, key)
	if err != nil || l.ended(o.now()) {
		return err
	}
	text, err := json.Marshal(&l.Holder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, lock.File), text, 0o644)
}
