package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"scoville/sweep/journal"
	"scoville/sweep/results"
)

// finished is the file that says that a shard has finished; like the manifest it
// goes up after what it speaks of.
const finished = "shard.json"

// send sends what the local journal has beyond the pieces, whole records only,
// and the tables of requests that go with them.
func (s *Session) send(ctx context.Context) error {
	f, err := os.Open(s.local(journal.File))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 8<<10)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, _, ok := bytes.Cut(head[:n], []byte("\n"))
	if !ok {
		return nil // just made
	}
	head = append(bytes.Clone(first), '\n')
	s.state.Sent = max(s.state.Sent, int64(len(head)))
	for {
		more, err := s.sendPiece(ctx, f, head)
		if err != nil || !more {
			return err
		}
	}
}

// sendPiece sends the next piece; false if there is none. What is damaged between
// whole records is left out of it, and stays in the local journal, whose reader tells
// of it.
func (s *Session) sendPiece(ctx context.Context, f *os.File, head []byte) (bool, error) {
	text, err := io.ReadAll(io.NewSectionReader(f, s.state.Sent, maxPiece))
	if err != nil {
		return false, err
	}
	window := len(text)
	whole, size, err := journal.Whole(ctx, text)
	if err != nil {
		return false, err
	}
	if size == 0 && window == maxPiece { // it looks on from where a record may reach beyond text
		s.state.Sent += maxPiece - journal.Reach
		return true, nil
	}
	if size == 0 {
		return false, nil
	}
	if err := s.sendRequests(ctx); err != nil {
		return false, err
	}
	s.pieces++ // a name is used once: a write that failed may be done all the same
	key := s.pieceKey(s.pieces)
	if err := s.b.Put(ctx, key, io.MultiReader(bytes.NewReader(head), bytes.NewReader(whole)), true); err != nil {
		return false, err
	}
	s.state.Pieces = append(s.state.Pieces, key)
	s.state.Sent += int64(size)
	return true, s.state.write(s.root)
}

// sendRequests sends new tables of requests: a run whose table is not there would
// run again.
func (s *Session) sendRequests(ctx context.Context) error {
	return s.sendFiles(ctx, requests)
}

// sendFiles sends files that the bucket has not as they are.
func (s *Session) sendFiles(ctx context.Context, which func(name string) bool) error {
	var names []string
	err := s.files(func(name string, info fs.FileInfo) error {
		if x, ok := s.state.Files[name]; which(name) && (!ok || !x.here(info)) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.up(ctx, names...)
}

// up sends files, and remembers that they agree.
func (s *Session) up(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	var mu sync.Mutex
	err := each(ctx, names, func(ctx context.Context, name string) error {
		x, err := s.upOne(ctx, name)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		s.state.Files[name] = x
		return nil
	})
	return errors.Join(err, s.state.write(s.root))
}

// upOne sends a file, and looks what the bucket has of it.
func (s *Session) upOne(ctx context.Context, name string) (same, error) {
	f, err := os.Open(s.local(name))
	if err != nil {
		return same{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return same{}, err
	}
	key := s.prefix + name
	if err := s.b.Put(ctx, key, f, false); err != nil {
		return same{}, err
	}
	x := same{Size: info.Size(), Local: info.ModTime()}
	if requests(name) {
		return x, nil
	}
	list, err := s.b.List(ctx, key)
	if err != nil {
		return same{}, err
	}
	for _, o := range list {
		if o.Key == key && o.Size == x.Size {
			x.Remote = o.Modified
			return x, nil
		}
	}
	return same{}, fmt.Errorf("%s: %s was sent, and is not there", s.name(), name)
}

// requests says whether a file is of the tables of requests.
func requests(name string) bool { return strings.HasPrefix(name, "requests/") || name == ".requests" }

// publish sends all files, those that speak of others last, and removes the
// objects of files that are gone.
func (s *Session) publish(ctx context.Context) error {
	last := []string{finished, results.ManifestFile}
	if err := s.sendFiles(ctx, func(name string) bool { return name != last[0] && name != last[1] }); err != nil {
		return err
	}
	if err := s.mine(ctx); err != nil {
		return err
	}
	for _, name := range last {
		if err := s.sendFiles(ctx, func(n string) bool { return n == name }); err != nil {
			return err
		}
	}
	here := map[string]bool{}
	if err := s.files(func(name string, _ fs.FileInfo) error { here[name] = true; return nil }); err != nil {
		return err
	}
	for name := range s.state.Files {
		if here[name] || strings.HasPrefix(name, shards) {
			continue
		}
		if err := s.b.Delete(ctx, s.prefix+name); err != nil {
			return err
		}
		delete(s.state.Files, name)
	}
	return s.state.write(s.root)
}
