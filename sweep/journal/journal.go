// Package journal keeps what finished runs gave, so that no run is simulated
// twice: an append-only file of checked records by run identity. A kill at any
// moment loses at most what was not flushed yet, and the end of a record that
// was being written is cut off when the file is opened again. What was damaged later
// is passed over, up to the next whole record. It knows no simulator: values are bytes.
//
// Layout: a line of text that says what the values are, then records of
//
//	length uint32 | CRC-32C of the rest uint32 | point 8 bytes | seed uint64 | replicate uint32 | value
//
// all little-endian; length counts the value alone.
package journal

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// File is the name of a journal in the folder of results; no pattern for
// tables matches it.
const File = "runs.journal"

// Key is the identity of a run. The journal as a whole is of one version of
// simulator and results.
type Key struct {
	Point     [8]byte // hash of the resolved scenario
	Seed      uint64  // of the study
	Replicate uint32
}

// ErrForeign says that a file is not a journal of these values.
var ErrForeign = errors.New("not a journal of this version")

const (
	headSize  = 8
	keySize   = 8 + 8 + 4
	maxValue  = 16 << 20 // bytes of one value; more is damage
	maxHead   = 4 << 10
	maxBuffer = 64 << 10 // bytes that wait to be written: some 80 runs, which a kill loses
)

// Interval is how long a finished run waits for the disk at most, s.
const Interval = 2 * time.Second

// sum is the polynomial of the checks.
var sum = crc32.MakeTable(crc32.Castagnoli)

// place is where a value stands in the file.
type place struct {
	at   int64
	size uint32
}

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	file *os.File
	path string
	cut  int64 // bytes cut off when it was opened, or left out by Look
	look bool  // read only

	damaged int64 // bytes passed over when it was opened

	mu    sync.Mutex
	index map[Key]place
	count int    // whole records, also of values that later ones replace
	tail  []byte // not written yet
	size  int64  // of the file without tail
	dirty bool   // written, but not known to be on disk
	err   error  // of a write: nothing can be added any more

	quit chan struct{}
	done sync.WaitGroup
}

// Open opens or makes the journal at path. kind is one line that says what its
// values are: a journal of another kind is ErrForeign. Damaged records are passed
// over, and cut off where no whole one follows; Cut tells how much. When ctx ends
// before all is read, its error is returned and nothing is changed.
func Open(ctx context.Context, path, kind string) (*Journal, error) {
	if strings.ContainsRune(kind, '\n') || len(kind) >= maxHead {
		return nil, fmt.Errorf("journal: kind %q is no line", kind)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{file: f, path: path, index: map[Key]place{}, quit: make(chan struct{})}
	if err := j.load(ctx, kind); err != nil {
		f.Close()
		return nil, fmt.Errorf("journal: %s: %w", path, err)
	}
	j.done.Go(j.flushNowAndThen)
	return j, nil
}

// Look opens the journal at path to read it, also while another process writes:
// it changes nothing, and sees what was flushed until now. Damaged
// records, and the half of one that is being written, are left out. A
// file that does not exist is os.ErrNotExist.
func Look(ctx context.Context, path, kind string) (*Journal, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{file: f, index: map[Key]place{}, quit: make(chan struct{}), look: true, err: errLook}
	if err := j.load(ctx, kind); err != nil {
		f.Close()
		return nil, fmt.Errorf("journal: %s: %w", path, err)
	}
	return j, nil
}

// errLook is the error of a Put.
var errLook = errors.New("journal: opened to read")

// load reads the index, and cuts off what is damaged.
func (j *Journal) load(ctx context.Context, kind string) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a file")
	}
	r := bufio.NewReaderSize(j.file, 1<<20)
	head, err := r.ReadSlice('\n')
	want := kind + "\n"
	switch {
	case string(head) == want:
	case err != nil && strings.HasPrefix(want, string(head)): // made, and killed before the first flush
		if j.look {
			return nil
		}
		return j.begin(want)
	default:
		return ErrForeign
	}
	j.size = int64(len(want))
	if err := j.scan(ctx, r, info.Size()); err != nil {
		return err
	}
	if j.cut = max(0, info.Size()-j.size); j.cut > 0 && !j.look {
		return j.file.Truncate(j.size)
	}
	return nil
}

// begin writes the first line.
func (j *Journal) begin(head string) error {
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	if _, err := j.file.WriteAt([]byte(head), 0); err != nil {
		return err
	}
	j.size = int64(len(head))
	return j.file.Sync()
}

// scan reads records until the end, passing over what is no whole record.
func (j *Journal) scan(ctx context.Context, r *bufio.Reader, end int64) error {
	var rest []byte
	look := search{left: maxSearch}
	at := j.size
	for records := 0; ; records++ {
		if records%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var whole bool
		var err error
		if rest, whole, err = record(r, rest); err != nil {
			return err
		}
		if !whole {
			if at, err = look.next(ctx, j.file, at+1, end); err != nil || at < 0 {
				return err
			}
			if _, err := j.file.Seek(at, io.SeekStart); err != nil {
				return err
			}
			r.Reset(j.file)
			continue
		}
		from := at
		at += int64(headSize + len(rest))
		look.largest = max(look.largest, len(rest))
		j.count++
		j.index[keyOf(rest)] = place{from + headSize + keySize, uint32(len(rest) - keySize)}
		j.damaged += from - j.size
		j.size = at
	}
}

// record reads a record into b: key and value. It is not whole where the file ends
// before it, or its length or its check is wrong.
func record(r io.Reader, b []byte) (rest []byte, whole bool, err error) {
	var head [headSize]byte
	ended := func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if ended(err) {
			err = nil
		}
		return b, false, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxValue {
		return b, false, nil
	}
	b = slices.Grow(b[:0], keySize+int(n))[:keySize+int(n)]
	if _, err := io.ReadFull(r, b); err != nil {
		if ended(err) {
			err = nil
		}
		return b, false, err
	}
	return b, crc32.Checksum(b, sum) == binary.LittleEndian.Uint32(head[4:]), nil
}

func keyOf(b []byte) (k Key) {
	copy(k.Point[:], b)
	k.Seed = binary.LittleEndian.Uint64(b[8:])
	k.Replicate = binary.LittleEndian.Uint32(b[16:])
	return k
}

// Damaged is how many bytes of damaged records stand between whole ones: what
// they held is lost.
func (j *Journal) Damaged() int64 { return j.damaged }

// Cut is how many bytes of damaged records were cut off by Open: what a kill
// left half written.
func (j *Journal) Cut() int64 { return j.cut }

// Len is the number of runs.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.index)
}

// Records is how many values were put, also of runs that ran again.
func (j *Journal) Records() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count
}

// Written is the number of runs that are in the file: those that wait for a
// flush are lost if none succeeds any more, and all are if it lost its name.
func (j *Journal) Written() (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, ErrRemoved) {
		return 0
	}
	for _, p := range j.index {
		if p.at < j.size {
			n++
		}
	}
	return n
}

// Has reports whether the value of a run is there.
func (j *Journal) Has(k Key) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.index[k]
	return ok
}

// Get appends the value of a run to b; false if there is none.
func (j *Journal) Get(b []byte, k Key) ([]byte, bool, error) {
	j.mu.Lock()
	p, ok := j.index[k]
	if ok && p.at >= j.size { // still in memory
		from := p.at - j.size
		b = append(b, j.tail[from:from+int64(p.size)]...)
		j.mu.Unlock()
		return b, true, nil
	}
	j.mu.Unlock()
	if !ok {
		return b, false, nil
	}
	n := len(b)
	b = append(b, make([]byte, p.size)...)
	if _, err := j.file.ReadAt(b[n:], p.at); err != nil {
		return b[:n], false, fmt.Errorf("journal: %w", err)
	}
	return b, true, nil
}

// Put adds the value of a run; the last value of a run counts. It is on disk
// within Interval, or when Sync returns.
func (j *Journal) Put(k Key, value []byte) error {
	if len(value) > maxValue {
		return fmt.Errorf("journal: a value of %d bytes", len(value))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	from := len(j.tail)
	j.tail = append(j.tail, make([]byte, headSize)...)
	j.tail = append(j.tail, k.Point[:]...)
	j.tail = binary.LittleEndian.AppendUint64(j.tail, k.Seed)
	j.tail = binary.LittleEndian.AppendUint32(j.tail, k.Replicate)
	j.tail = append(j.tail, value...)
	record := j.tail[from:]
	binary.LittleEndian.PutUint32(record, uint32(len(value)))
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(record[headSize:], sum))
	j.count++
	j.index[k] = place{j.size + int64(from+headSize+keySize), uint32(len(value))}
	if len(j.tail) < maxBuffer {
		return nil
	}
	return j.write()
}

// write writes what waits. After an error the journal takes nothing any more:
// what is in the file stays whole, since Open cuts a half record off.
func (j *Journal) write() error {
	if j.err != nil || len(j.tail) == 0 {
		return j.err
	}
	if _, err := j.file.WriteAt(j.tail, j.size); err != nil {
		j.err = fmt.Errorf("journal: %w", err)
		return j.err
	}
	j.size += int64(len(j.tail))
	j.tail, j.dirty = j.tail[:0], true
	return nil
}

// Sync brings every value to the disk.
func (j *Journal) Sync() error {
	j.mu.Lock()
	err, dirty := j.write(), j.dirty
	j.dirty = false
	j.mu.Unlock()
	if err != nil || !dirty {
		return err
	}
	if err := errors.Join(j.file.Sync(), j.there()); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.err = fmt.Errorf("journal: %w", err)
		return j.err
	}
	return nil
}

// ErrRemoved says that a journal is not in its folder any more: what it takes
// would be lost.
var ErrRemoved = errors.New("was removed or replaced by another program")

// there is an error if the file has lost its name.
func (j *Journal) there() error {
	mine, err := j.file.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(j.path); errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(mine, named) {
		return fmt.Errorf("%s %w", j.path, ErrRemoved)
	}
	return nil
}

// flushNowAndThen syncs every Interval until Close; an error is kept for the
// next Put or Sync.
func (j *Journal) flushNowAndThen() {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = j.Sync() // stays in j.err
		case <-j.quit:
			return
		}
	}
}

// Close brings every value to the disk and closes the file. It is safe to call
// again.
func (j *Journal) Close() error {
	select {
	case <-j.quit:
		return nil
	default:
		close(j.quit)
	}
	j.done.Wait()
	if j.look {
		return j.file.Close()
	}
	return errors.Join(j.Sync(), j.file.Close())
}

// Keys are the runs, in the order in which their values stand in the file.
func (j *Journal) Keys() []Key {
	j.mu.Lock()
	defer j.mu.Unlock()
	keys := slices.Collect(maps.Keys(j.index))
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(j.index[a].at, j.index[b].at) })
	return keys
}
