package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// search finds whole records behind damage: where a length is wrong, nothing else
// says where the next one begins.
type search struct {
	largest int   // bytes of key and value of a record so far; one of much more is not looked for
	left    int64 // bytes that may still be checked
}

// maxSearch bounds what is checked in one file: a file of others can't hold a
// program up for more than about a second.
const maxSearch = 1 << 30

// next returns where the first whole record from at on begins; -1 where there is
// none before end, or none is found in time.
func (s *search) next(ctx context.Context, f io.ReaderAt, at, end int64) (int64, error) {
	const step = 1 << 20
	window := make([]byte, max(0, min(end-at, int64(step+headSize+s.limit()))))
	for ; at < end; at += step {
		n, err := f.ReadAt(window[:min(int64(len(window)), end-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		i, err := s.within(ctx, window[:n], step)
		switch {
		case err != nil:
			return 0, err
		case i >= 0:
			return at + int64(i), nil
		case s.left < 0:
			return -1, nil
		}
	}
	return -1, nil
}

// leastLimit is how large a key and value may be where no record is known.
const leastLimit = 64 << 10

// limit is the largest key and value that is looked for.
func (s *search) limit() int { return max(leastLimit, 4*s.largest) }

// within returns where the first whole record in b begins, before most; -1 where
// there is none, or none is found in time.
func (s *search) within(ctx context.Context, b []byte, most int) (int, error) {
	limit := int64(s.limit())
	for i := 0; i < most && i+headSize+keySize <= len(b); i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return -1, ctx.Err()
		}
		size := int64(binary.LittleEndian.Uint32(b[i:])) + keySize
		if size > limit || int64(i+headSize)+size > int64(len(b)) {
			continue
		}
		if s.left -= size; s.left < 0 {
			return -1, nil
		}
		if whole(b[i:], int(size)) {
			return i, nil
		}
	}
	return -1, nil
}

// whole says whether the record at the beginning of b, of size bytes of key and
// value, is as it was written.
func whole(b []byte, size int) bool {
	return crc32.Checksum(b[headSize:][:size], sum) == binary.LittleEndian.Uint32(b[4:])
}
