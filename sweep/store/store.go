// Package store keeps a folder of results in a bucket of an object store. A sweep
// works in a local folder, the scratch: what the bucket has is fetched before it,
// what runs gave goes up in pieces while it runs, and the tables go up at its
// end, the manifest last. The bucket is the truth and the scratch a copy, but for
// what could not be sent yet. It knows no study.
//
// Below the prefix of a folder stand
//
//	manifest.json, runs.parquet, …   the files of the folder, under their names
//	runs.journal/GENERATION-NUMBER   a journal of some seconds: its first line and whole records
//	writer/GENERATION                who writes, or wrote last, and until when it may
//
// A writer takes the next generation by a write that fails if the object is
// there, renews it, and looks whether a higher one is there before all it writes
// for good. A writer that was thought dead and is not can do no harm: its pieces
// carry its own generation, and hold results that are the same whoever made them.
package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/journal"
	"scoville/sweep/results"
	"scoville/sweep/results/lock"
	"scoville/sweep/shard"
	"scoville/sweep/store/bucket"
)

// Is says whether the name of a folder is a URL.
func Is(name string) bool { return strings.Contains(name, "://") }

// Interval is how long a finished run waits for the bucket, and Lease how long a
// writer that is not heard of keeps others out.
const (
	Interval = 30 * time.Second
	Lease    = 4 * Interval
)

// patience is how long the store may take for what goes up at once.
const patience = 10 * time.Minute

// ErrUnsent says that the bucket did not take what the scratch holds, and ErrAway
// that the store did not answer as it should: nothing was run, and the same command
// may do later.
var (
	ErrUnsent = errors.New("results could not be sent")
	ErrAway   = bucket.ErrAway
)

// Options is how a folder in a bucket is opened.
type Options struct {
	URL     string
	Part    string       // folder in that of the results that is written to, such as shards/1-of-4; "" = itself
	Scratch string       // folder for local copies; "" = that of the user's caches
	Fresh   bool         // what runs gave is forgotten when the sweep begins
	Shards  bool         // fetch the shards too
	Warn    func(string) // told what went wrong and is tried again; nil = nobody

	// Every is how long a finished run waits for the bucket; 0 = Interval.
	Every time.Duration

	open func(context.Context, string) (bucket.Bucket, error) // tests give others
	now  func() time.Time
	last time.Duration // how long a bucket that is away is asked again at the end
}

func (o *Options) defaults() {
	if o.open == nil {
		o.open = bucket.Open
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.Every == 0 {
		o.Every = Interval
	}
	if o.last == 0 {
		o.last = 2 * Interval
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
}

// Session is a folder in a bucket that this process writes to.
type Session struct {
	o      Options
	b      bucket.Bucket
	prefix string // of the part
	root   string // of the scratch: state and lock
	dir    string // local copy of the whole folder
	lock   *lock.Lock

	lost context.CancelCauseFunc // told that another has taken over
	quit chan struct{}
	soon chan struct{} // asks for a push
	done sync.WaitGroup

	lease lease
	gen   int // of the lease

	mu     sync.Mutex // of all below, and of what is written to the bucket but the lease
	begun  bool
	behind bool // what is to be done at the beginning is not done yet
	pieces int  // numbers used by this session
	stale  []string
	state  state
}

// root is where a URL has its scratch.
func root(o *Options) (string, error) {
	base := o.Scratch
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no folder for the local copy of %s: %w; give one with --scratch", o.URL, err)
		}
		base = filepath.Join(cache, "scoville")
	}
	name := strings.TrimRight(o.URL, "/")
	if o.Part != "" {
		name += "/" + o.Part
	}
	sum := sha256.Sum256([]byte(name))
	plain, _, _ := strings.Cut(name, "?")
	words := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(plain, "-"), "-.")
	return filepath.Abs(filepath.Join(base, fmt.Sprintf("%.60s-%x", words, sum[:6])))
}

// ShardFolder is the Part of the shard that --shard says.
func ShardFolder(text string) (string, error) {
	s, err := shard.Parse(text, os.Getenv)
	if err != nil {
		return "", again.Input(err)
	}
	return filepath.ToSlash(s.Dir("")), nil
}

// input is an error at the beginning.
func input(err error) error {
	for _, kind := range []error{lock.ErrLocked, results.ErrForeign, context.Canceled, ErrAway} {
		if errors.Is(err, kind) {
			return err
		}
	}
	if err == nil {
		return nil
	}
	return again.Input(err)
}

// Open makes this process the writer of a folder in a bucket, and fetches what
// is there. The context that it returns ends when another takes over. A folder
// that another writes to is lock.ErrLocked, one of another version of the simulator
// results.ErrForeign, a store that does not answer ErrAway; other errors are of type
// *again.InputError.
func Open(ctx context.Context, o Options) (*Session, context.Context, error) {
	s, inner, err := open(ctx, o)
	return s, inner, input(err)
}

func open(ctx context.Context, o Options) (*Session, context.Context, error) {
	o.defaults()
	s := &Session{o: o, quit: make(chan struct{}), soon: make(chan struct{}, 1)}
	if o.Part != "" {
		s.prefix = o.Part + "/"
	}
	var err error
	if s.root, err = root(&o); err != nil {
		return nil, nil, err
	}
	s.dir = filepath.Join(s.root, "results")
	if s.b, err = o.open(ctx, o.URL); err != nil {
		return nil, nil, err
	}
	inner, lost := context.WithCancelCause(ctx)
	s.lost = lost
	err = s.start(inner)
	if err == nil {
		s.done.Go(func() { s.again(inner, min(s.o.Every, Interval), nil, s.renew) })
		err = s.fetch(inner)
	}
	if err == nil {
		s.done.Go(func() { s.again(inner, s.o.Every, s.soon, s.push) })
		return s, inner, nil
	}
	if cause := context.Cause(inner); cause != nil {
		err = cause
	}
	close(s.quit)
	s.done.Wait()
	lost(nil)
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*Interval)
	defer stop()
	return nil, nil, errors.Join(err, s.release(ending))
}

// start takes scratch and bucket.
func (s *Session) start(ctx context.Context) error {
	if err := os.MkdirAll(s.local(""), 0o755); err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	me := lock.Holder{PID: os.Getpid(), Host: host, Start: s.o.now().UTC().Truncate(time.Second)}
	if s.lock, err = lock.Acquire(s.root, me); err != nil {
		return err
	}
	if err := table.RemoveStale(s.root); err != nil {
		return err
	}
	if s.state, err = readState(s.root); err != nil {
		return err
	}
	return s.take(ctx, me)
}

// Dir is the local copy of the folder; with a Part, of that which it is part of.
func (s *Session) Dir() string { return s.dir }

// local names a file of the part in the scratch.
func (s *Session) local(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(s.o.Part), filepath.FromSlash(name))
}

// Begin says that the sweep has begun: from now on what runs give goes up.
func (s *Session) Begin(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		return
	}
	s.begun, s.behind = true, true
	if err := s.begin(ctx); err != nil {
		s.o.Warn(err.Error() + "; it is tried again, and runs go on")
		s.soon <- struct{}{}
	}
}

// begin forgets what is stale, and says whose the folder is, once.
func (s *Session) begin(ctx context.Context) error {
	if !s.behind {
		return nil
	}
	if s.o.Fresh && s.pieces == 0 {
		s.state.Pieces, s.state.Sent = nil, 0
		if err := s.state.write(s.root); err != nil {
			return err
		}
	}
	if err := s.forget(ctx); err != nil {
		return err
	}
	_, sent := s.state.Files[results.ManifestFile]
	m, err := results.ReadManifest(s.local(""))
	if !sent && err == nil && m.Digest == "" { // whole ones come last, after their tables
		if err := s.up(ctx, results.ManifestFile); err != nil {
			return err
		}
	}
	s.behind = false
	return nil
}

// forget removes the pieces that are stale.
func (s *Session) forget(ctx context.Context) error {
	for len(s.stale) > 0 {
		if err := s.b.Delete(ctx, s.stale[0]); err != nil {
			return err
		}
		s.stale = s.stale[1:]
	}
	return nil
}

// again does something at every interval, or soon after it is asked, until the
// session ends. What fails is tried again at once, and then more and more slowly.
func (s *Session) again(ctx context.Context, every time.Duration, soon <-chan struct{}, do func(context.Context) error) {
	first := every / 32
	pause := every
	for {
		timer := time.NewTimer(pause)
		select {
		case <-s.quit:
			return
		case <-ctx.Done():
			return
		case <-soon:
			pause = first
			continue
		case <-timer.C:
		}
		limited, stop := context.WithTimeout(ctx, patience)
		err := do(limited)
		stop()
		switch {
		case errors.Is(err, lock.ErrLocked):
			s.lost(err)
			return
		case err == nil:
			pause = every
		case ctx.Err() == nil:
			if pause == every { // and not of every try
				s.o.Warn(err.Error() + "; it is tried again, and runs go on")
				pause = first
			} else {
				pause = min(2*pause, every)
			}
		}
	}
}

// stubborn tries again for a while what a store that is away does not take.
func (s *Session) stubborn(ctx context.Context, do func(context.Context) error) error {
	end := time.Now().Add(s.o.last)
	for pause := s.o.last / 64; ; pause *= 2 {
		err := do(ctx)
		if !errors.Is(err, ErrAway) || time.Now().Add(pause).After(end) {
			return err
		}
		s.o.Warn(err.Error() + "; it is tried again")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// push sends what runs gave since the last time.
func (s *Session) push(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return nil
	}
	if err := s.mine(ctx); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.sendFiles(ctx, func(name string) bool { return name == standing }); err != nil {
		return err
	}
	return s.send(ctx)
}

// Publish sends all that the local copy has: what runs gave, tables, reports, and
// last the manifest. It removes what the sweep removed.
func (s *Session) Publish(ctx context.Context) error {
	s.Begin(ctx)
	return s.unsent(s.stubborn(ctx, func(ctx context.Context) error {
		if err := s.push(ctx); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.publish(ctx)
	}))
}

// unsent words an error of sending.
func (s *Session) unsent(err error) error {
	if err == nil || errors.Is(err, lock.ErrLocked) {
		return err
	}
	return fmt.Errorf("%w: %w; they are kept in %s, and the same command on this machine sends them", ErrUnsent, err, s.local(""))
}

// Close sends what runs gave and ends the session, whatever ended the sweep. It
// is safe to call again.
func (s *Session) Close(ctx context.Context) error {
	select {
	case <-s.quit:
		return nil
	default:
		close(s.quit)
	}
	s.done.Wait()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*max(Interval, s.o.Every))
	defer stop()
	err := s.push(ctx)
	s.lost(nil)
	if errors.Is(err, lock.ErrLocked) {
		return errors.Join(err, s.drop())
	}
	return errors.Join(s.unsent(err), s.release(ctx))
}

// release lets go of bucket and scratch.
func (s *Session) release(ctx context.Context) error {
	err := s.leave(ctx)
	if err != nil {
		s.o.Warn(err.Error())
	}
	return s.drop()
}

// drop lets go of the scratch and the connection.
func (s *Session) drop() error {
	return errors.Join(s.lock.Release(), s.b.Close())
}

// pieceKey names a piece.
func (s *Session) pieceKey(n int) string {
	return fmt.Sprintf("%s%s/%06d-%06d", s.prefix, journal.File, s.gen, n)
}
