package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"scoville/sweep/results/lock"
	"scoville/sweep/store/bucket"
)

// writers is where leases stand below the prefix of a folder.
const writers = "writer/"

// lease is who writes to a folder, and until when it may without being heard of.
type lease struct {
	lock.Holder
	Token   string    `json:"token"`   // of the scratch that it writes from
	Seen    time.Time `json:"seen"`    // last renewal, by its own clock
	Expires time.Time `json:"expires"` // likewise
	Left    bool      `json:"left"`    // it has ended
}

// maxLease bounds the size of a lease that is read.
const maxLease = 64 << 10

// limited is a buffer that takes so much and no more.
type limited struct {
	text []byte
	most int
}

func (l *limited) Write(b []byte) (int, error) {
	if len(l.text)+len(b) > l.most {
		return 0, fmt.Errorf("more than %d bytes", l.most)
	}
	l.text = append(l.text, b...)
	return len(b), nil
}

// last finds the highest generation of the folder, and all below.
func (s *Session) last(ctx context.Context) (gen int, keys []string, err error) {
	list, err := s.b.List(ctx, s.prefix+writers)
	if err != nil {
		return 0, nil, err
	}
	for _, o := range list {
		n, err := strconv.Atoi(path.Base(o.Key))
		if err != nil || n < 1 {
			continue // not ours
		}
		keys = append(keys, o.Key)
		gen = max(gen, n)
	}
	return gen, keys, nil
}

func (s *Session) leaseKey(gen int) string { return fmt.Sprintf("%s%s%06d", s.prefix, writers, gen) }

// take makes this process the writer. It lets none wait: a folder that another
// writes to is lock.ErrLocked.
func (s *Session) take(ctx context.Context, me lock.Holder) error {
	if s.state.Token == "" {
		s.state.Token = rand.Text()
	}
	for range 8 {
		gen, old, err := s.last(ctx)
		if err != nil {
			return err
		}
		if gen > 0 {
			err := s.free(ctx, gen)
			if errors.Is(err, bucket.ErrNotFound) {
				continue // just taken over by another
			}
			if err != nil {
				return err
			}
		}
		s.lease = lease{Holder: me, Token: s.state.Token}
		err = s.writeLease(ctx, gen+1, true)
		if errors.Is(err, bucket.ErrExists) {
			continue // another was faster
		}
		if err != nil {
			return err
		}
		s.gen = gen + 1
		for _, key := range slices.DeleteFunc(old, func(key string) bool { return key == s.leaseKey(s.gen) }) {
			if err := s.b.Delete(ctx, key); err != nil {
				return err
			}
		}
		return s.state.write(s.root)
	}
	return fmt.Errorf("%w: others begin to write to %s all the time", lock.ErrLocked, s.name())
}

// name is how messages call the folder.
func (s *Session) name() string {
	if s.o.Part == "" {
		return s.o.URL
	}
	return s.o.URL + " " + s.o.Part
}

// free says whether the writer of a generation has ended.
func (s *Session) free(ctx context.Context, gen int) error {
	other, err := readLease(ctx, s.b, s.leaseKey(gen))
	if err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	switch {
	case other.ended(s.o.now()):
		return nil
	case other.Token == s.state.Token: // of this scratch, whose lock is held now
		return nil
	}
	return fmt.Errorf("%w: process %d on %s writes to %s since %s, last heard of at %s; if it is gone, the folder can be taken over from %s",
		lock.ErrLocked, other.PID, other.Host, s.name(), clock(other.Start), clock(other.Seen), clock(other.Expires))
}

// readLease reads a lease.
func readLease(ctx context.Context, b bucket.Bucket, key string) (lease, error) {
	var l lease
	text := limited{most: maxLease}
	if err := b.Get(ctx, key, &text); err != nil {
		return l, err
	}
	if err := json.Unmarshal(text.text, &l); err != nil {
		return l, fmt.Errorf("%s is not of this program: %w", key, err)
	}
	return l, nil
}

// ended says whether others may write.
func (l *lease) ended(now time.Time) bool { return l.Left || !now.Before(l.Expires) }

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (s *Session) writeLease(ctx context.Context, gen int, once bool) error {
	ctx, stop := context.WithTimeout(ctx, Interval)
	defer stop()
	s.lease.Seen = s.o.now().UTC()
	s.lease.Expires = s.lease.Seen.Add(Lease)
	text, err := json.Marshal(&s.lease)
	if err != nil {
		return err
	}
	return s.b.Put(ctx, s.leaseKey(gen), bytes.NewReader(text), once)
}

// renew tells that this process is alive; lock.ErrLocked if another has taken
// over.
func (s *Session) renew(ctx context.Context) error {
	if err := s.mine(ctx); err != nil {
		return err
	}
	return s.writeLease(ctx, s.gen, false)
}

// mine makes sure that no other has taken over.
func (s *Session) mine(ctx context.Context) error {
	gen, _, err := s.last(ctx)
	switch {
	case err != nil:
		return err
	case gen > s.gen:
		return fmt.Errorf("%w: another process has taken %s over, since this one was not heard of for too long; what runs gave is kept in %s", lock.ErrLocked, s.name(), s.local(""))
	}
	return nil
}

// leave ends the lease. The object stays: generations only grow.
func (s *Session) leave(ctx context.Context) error {
	if s.gen == 0 {
		return nil
	}
	if err := s.mine(ctx); err != nil {
		return err
	}
	s.lease.Left = true
	return s.writeLease(ctx, s.gen, false)
}
