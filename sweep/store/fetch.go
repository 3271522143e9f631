package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"scoville/sweep/journal"
	"scoville/sweep/results"
	"scoville/sweep/store/bucket"
)

// shards is the folder of the shards in that of the results.
const shards = "shards/"

// maxPiece bounds the bytes of a piece; a record fits into it.
const maxPiece = 20 << 20

// content is what a bucket has of a folder, by name below its prefix.
type content struct {
	files  map[string]bucket.Object
	pieces map[string][]string // by folder, "" or "shards/1-of-4/": keys in order
	leases map[string]string   // by folder: key of the last

	grown map[string]time.Time // by folder: when the last piece was written
}

// list looks at what there is below a prefix.
func list(ctx context.Context, b bucket.Bucket, prefix string, withShards bool) (content, error) {
	c := content{map[string]bucket.Object{}, map[string][]string{}, map[string]string{}, map[string]time.Time{}}
	all, err := b.List(ctx, prefix)
	if err != nil {
		return c, err
	}
	for _, o := range all {
		name := strings.TrimPrefix(o.Key, prefix)
		if name == "" || strings.HasSuffix(name, "/") {
			continue // some tools make objects for folders
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") || path.Clean(name) != name {
			return c, fmt.Errorf("the object %q cannot be a file", o.Key)
		}
		if strings.HasPrefix(name, shards) && !withShards {
			continue
		}
		folder, rest := "", name
		if strings.HasPrefix(name, shards) {
			if shard, in, ok := strings.Cut(name[len(shards):], "/"); ok {
				folder, rest = shards+shard+"/", in
			}
		}
		last := path.Base(rest)
		switch {
		case private(rest):
		case strings.HasPrefix(rest, writers):
			if leaseName.MatchString(last) {
				c.leases[folder] = max(c.leases[folder], o.Key) // of as many digits
			}
		case strings.HasPrefix(rest, journal.File+"/"):
			if !pieceName.MatchString(last) {
				continue
			}
			c.pieces[folder] = append(c.pieces[folder], o.Key)
			if o.Modified.After(c.grown[folder]) {
				c.grown[folder] = o.Modified
			}
		case rest == journal.File:
		default:
			c.files[name] = o
		}
	}
	for _, keys := range c.pieces {
		slices.Sort(keys)
	}
	return c, nil
}

// standing is the file that says what a sweep knew when it began, for those who look
// at it on its way.
const standing = ".standing"

// The names of leases and pieces in their folders; other objects there are not ours.
var leaseName, pieceName = regexp.MustCompile(`^[0-9]+$`), regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// private says whether a file stays where it is: locks, and what is being
// written, by gocloud too, or was when a writer was killed.
func private(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && base != ".requests" && base != standing || strings.HasSuffix(base, ".tmp")
}

// fetch brings the local copy to what the bucket has. Runs that could not be sent
// go up first, unless what they go on from is gone.
func (s *Session) fetch(ctx context.Context) error {
	there, err := list(ctx, s.b, s.prefix, s.o.Shards)
	if err != nil {
		return err
	}
	if err := s.fetchWhose(ctx); err != nil {
		return err
	}
	if err := s.fetchRuns(ctx, there.pieces[""]); err != nil {
		return err
	}
	for folder, keys := range there.pieces {
		if folder == "" {
			continue
		}
		if err := assemble(ctx, s.b, keys, s.local(folder+journal.File)); err != nil {
			return err
		}
	}
	if err := s.removeOld(there.files); err != nil {
		return err
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(there.files)) {
		info, err := os.Stat(s.local(name))
		if x := s.state.Files[name]; err != nil || !x.here(info) || !x.there(there.files[name]) {
			names = append(names, name)
		}
	}
	var mu sync.Mutex
	err = each(ctx, names, func(ctx context.Context, name string) error {
		info, err := download(ctx, s.b, there.files[name].Key, s.local(name))
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		s.state.Files[name] = same{info.Size(), info.ModTime(), there.files[name].Modified}
		return nil
	})
	return errors.Join(err, s.state.write(s.root))
}

// fetchWhose fetches, for a part, the manifest of the whole folder: what it holds may
// be of another study.
func (s *Session) fetchWhose(ctx context.Context) error {
	if s.o.Part == "" {
		return nil
	}
	file := filepath.Join(s.dir, results.ManifestFile)
	_, err := download(ctx, s.b, results.ManifestFile, file)
	if errors.Is(err, bucket.ErrNotFound) {
		if err = os.Remove(file); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// removeOld removes local files that the bucket has not: tables of requests that
// were not sent yet stay, as do the runs that they are of.
func (s *Session) removeOld(there map[string]bucket.Object) error {
	return s.files(func(name string, _ fs.FileInfo) error {
		_, sent := s.state.Files[name]
		if _, ok := there[name]; ok || !sent && requests(name) {
			return nil
		}
		delete(s.state.Files, name)
		return os.Remove(s.local(name))
	})
}

// files goes through the local files of the part that belong into the bucket.
func (s *Session) files(do func(name string, info fs.FileInfo) error) error {
	base := s.local("")
	return filepath.WalkDir(base, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && name+"/" == shards:
			return filepath.SkipDir
		case !d.Type().IsRegular(), private(name), name == journal.File:
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return do(name, info)
	})
}

// fetchRuns brings the local journal to what the pieces hold.
func (s *Session) fetchRuns(ctx context.Context, keys []string) error {
	if s.o.Fresh { // the sweep begins a new one
		s.stale = keys
		return nil
	}
	file := s.local(journal.File)
	for _, key := range s.state.Pieces {
		if !slices.Contains(keys, key) { // another has begun anew
			s.state.Pieces, s.state.Sent = nil, 0
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			break
		}
	}
	if info, err := os.Stat(file); err != nil || info.Size() < s.state.Sent {
		s.state.Pieces, s.state.Sent = nil, 0
	}
	if err := s.send(ctx); err != nil {
		return err
	}
	if err := s.cut(file); err != nil {
		return err
	}
	var missing []string
	for _, key := range keys {
		if !slices.Contains(s.state.Pieces, key) {
			missing = append(missing, key)
		}
	}
	if err := appendPieces(ctx, s.b, missing, file); err != nil {
		return err
	}
	s.state.Pieces = append(s.state.Pieces, missing...)
	if info, err := os.Stat(file); err == nil {
		s.state.Sent = info.Size()
	}
	return s.state.write(s.root)
}

// cut cuts off what a kill left half written at the end of the local journal: every
// whole record was sent just now.
func (s *Session) cut(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() > s.state.Sent:
		s.o.Warn(fmt.Sprintf("%s: %d bytes that were half written are cut off", journal.File, info.Size()-s.state.Sent))
		return os.Truncate(file, s.state.Sent)
	}
	return nil
}

// assemble makes a journal of its pieces.
func assemble(ctx context.Context, b bucket.Bucket, keys []string, file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return appendPieces(ctx, b, keys, file)
}

// appendPieces adds the runs of pieces to a journal, which is made if it is not
// there. Pieces of another version of the simulator are journal.ErrForeign.
func appendPieces(ctx context.Context, b bucket.Bucket, keys []string, file string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	head, err := bufio.NewReader(f).ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(head) == 0 {
		err = nil
	}
	for some := range slices.Chunk(keys, atOnce) { // fetched together, added in order
		texts := map[string][]byte{}
		var mu sync.Mutex
		if err == nil {
			err = each(ctx, some, func(ctx context.Context, key string) error {
				text := limited{most: maxPiece + 8<<10}
				err := b.Get(ctx, key, &text)
				mu.Lock()
				defer mu.Unlock()
				texts[key] = text.text
				return err
			})
		}
		for _, key := range some {
			if err == nil {
				head, err = appendPiece(ctx, f, head, piece{key, texts[key]})
			}
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// atOnce is how many objects are on their way at a time.
const atOnce = 8

// piece is an object with runs.
type piece struct {
	key  string
	text []byte
}

// appendPiece adds the runs of a piece.
func appendPiece(ctx context.Context, f *os.File, head []byte, p piece) ([]byte, error) {
	first, rest, ok := bytes.Cut(p.text, []byte("\n"))
	if !ok {
		return head, fmt.Errorf("%s is no piece of a journal", p.key)
	}
	first = append(bytes.Clone(first), '\n')
	if len(head) == 0 {
		if _, err := f.Write(first); err != nil {
			return head, err
		}
		head = first
	}
	if !bytes.Equal(head, first) {
		return head, fmt.Errorf("%w: %s holds %q, others %q; run with --fresh to simulate them anew, or give another URL with -o",
			results.ErrForeign, p.key, bytes.TrimSpace(first), bytes.TrimSpace(head))
	}
	whole, _, err := journal.Whole(ctx, bytes.Clone(rest))
	if err != nil {
		return head, err
	}
	if len(whole) < len(rest) {
		return head, fmt.Errorf("%s is damaged; remove it, and the runs that it holds are simulated again", p.key)
	}
	_, err = f.Write(rest)
	return head, err
}

// download makes a local copy of an object; a file of that name is the old one or
// the whole new one.
func download(ctx context.Context, b bucket.Bucket, key, file string) (os.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".fetch-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	err = b.Get(ctx, key, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return nil, err
	}
	return os.Stat(file)
}

// each does something with many names, some at a time; the first error ends it.
func each(ctx context.Context, names []string, do func(context.Context, string) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan string)
	var group sync.WaitGroup
	for range min(atOnce, len(names)) {
		group.Go(func() {
			for name := range work {
				if ctx.Err() == nil {
					if err := do(ctx, name); err != nil {
						stop(err)
					}
				}
			}
		})
	}
	for _, name := range names {
		work <- name
	}
	close(work)
	group.Wait()
	return context.Cause(ctx)
}
