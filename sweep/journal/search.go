package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
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
func (s *search) next(ctx context.Context, f *os.File, at, end int64) (int64, error) {
	const step = 1 << 20
	limit := max(64<<10, 4*s.largest)
	window := make([]byte, step+headSize+limit)
	for ; at < end; at += step {
		n, err := f.ReadAt(window[:min(int64(len(window)), end-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for i := 0; i < step && i+headSize+keySize <= n; i++ {
			if i%4096 == 0 && ctx.Err() != nil {
				return 0, ctx.Err()
			}
			size := int64(binary.LittleEndian.Uint32(window[i:])) + keySize
			if size > int64(limit) || int64(i+headSize)+size > int64(n) {
				continue
			}
			if s.left -= size; s.left < 0 {
				return -1, nil
			}
			rest := window[i+headSize:][:size]
			if crc32.Checksum(rest, sum) == binary.LittleEndian.Uint32(window[i+4:]) {
				return at + int64(i), nil
			}
		}
	}
	return -1, nil
}
