package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"scoville/sweep"
	"scoville/sweep/store"
)

// remote is a folder of results in an object store that a command writes to.
type remote struct {
	url     string
	part    string // folder of a shard; "" = the whole
	scratch string // folder for local copies
	fresh   bool
	shards  bool          // the command reads the shards
	wait    time.Duration // for another process that writes
	every   time.Duration // what runs gave is sent; 0 = store.Interval
}

// check refuses times that are none.
func (r remote) check() error {
	if r.every < time.Second || r.every > 10*time.Minute {
		return usageError{fmt.Errorf("--send-every %v: give 1s to 10m", r.every)}
	}
	return checkWait(r.wait)
}

// write does something in the local copy of the folder: what it gives goes to the
// store while it works, and all of it at the end if it says so. begin is to be
// called when the first run is about to begin.
func (r remote) write(ctx context.Context, stderr io.Writer, work func(ctx context.Context, dir string, begin func()) (whole bool, err error)) error {
	var s *store.Session
	var inner context.Context
	if err := waiting(ctx, stderr, r.wait, func() (err error) {
		s, inner, err = store.Open(ctx, store.Options{
			URL: r.url, Part: r.part, Scratch: r.scratch, Fresh: r.fresh, Shards: r.shards, Every: r.every,
			Warn: func(text string) { fmt.Fprintln(stderr, text) },
		})
		return err
	}); err != nil {
		return err
	}
	whole, err := work(inner, s.Dir(), func() { s.Begin(inner) })
	var sent error
	if whole {
		sent = s.Publish(inner)
	}
	if ctx.Err() != nil {
		fmt.Fprintf(stderr, "what finished runs gave goes to %s; a second interrupt leaves it in %s\n", r.url, s.Dir())
	}
	if closed := s.Close(ctx); sent == nil {
		sent = closed
	}
	switch {
	case sent == nil:
		if whole {
			fmt.Fprintf(stderr, "sent to %s\n", r.url)
		}
		return err
	case err == nil:
		return sent
	}
	fmt.Fprintf(stderr, "sweep: %v\n", sent) // the message of err says nothing of it
	return errors.Join(err, sent)
}

// read gives a folder to read the results that name is: itself, or if it is a URL
// a copy until the command ends.
func read(ctx context.Context, name string, journals bool) (dir string, done func(), err error) {
	if !store.Is(name) {
		return name, func() {}, nil
	}
	if dir, err = os.MkdirTemp("", "sweep-"); err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if err := store.Copy(ctx, name, dir, journals); err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

// runRemote runs a study whose results go to a URL; name is what a shard is told
// to be part of.
func runRemote(ctx context.Context, stderr io.Writer, o *sweep.Options, r remote, work func(ctx context.Context, name string) (bool, error)) error {
	tell := o.Begun
	r.url, r.fresh, o.Name = o.Dir, o.Fresh, o.Dir
	if o.Shard != "" {
		var err error
		if r.part, err = store.ShardFolder(o.Shard); err != nil {
			return err
		}
	}
	return r.write(ctx, stderr, func(ctx context.Context, dir string, begin func()) (bool, error) {
		o.Dir = dir
		o.Begun = func(s sweep.Standing) {
			begin()
			if tell != nil {
				tell(s)
			}
		}
		return work(ctx, r.url)
	})
}

// merging is a merge whose folders may be URLs.
type merging struct {
	args    []string
	scratch string
	wait    time.Duration
	work    func(context.Context) (written bool, err error)
}

// mergeRemote fetches what is to be merged, and sends the tables if they go to a
// URL.
func mergeRemote(ctx context.Context, stderr io.Writer, o *sweep.Options, m merging) error {
	into := o.Dir
	if into == "" && len(m.args) == 1 {
		into = m.args[0]
	}
	for i, name := range m.args {
		if name == into {
			continue // fetched to be written to
		}
		dir, done, err := read(ctx, name, true)
		if err != nil {
			return err
		}
		defer done()
		m.args[i] = dir
	}
	if !store.Is(into) {
		return waiting(ctx, stderr, m.wait, func() error {
			_, err := m.work(ctx)
			return err
		})
	}
	r := remote{url: into, scratch: m.scratch, shards: true, wait: m.wait}
	return r.write(ctx, stderr, func(ctx context.Context, dir string, begin func()) (bool, error) {
		begin()
		o.Dir, o.Name = dir, into
		for i, name := range m.args {
			if name == into {
				m.args[i] = dir
			}
		}
		return m.work(ctx)
	})
}
