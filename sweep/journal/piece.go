package journal

import (
	"context"
	"encoding/binary"
)

// Reach is how many bytes a record may have to be found behind damage, at least.
const Reach = headSize + leastLimit

// Whole returns the whole records of b without what is damaged between them, and the
// size of b up to the end of the last whole one. b is a part of a journal, from the
// end of its first line or of a record on; it is changed where damage is left out.
func Whole(ctx context.Context, b []byte) (records []byte, size int, err error) {
	look := search{left: maxSearch}
	records = b[:0]
	for at := 0; ; {
		n := sizeAt(b[at:])
		if n == 0 {
			var i int
			if i, err = look.within(ctx, b[min(at+1, len(b)):], len(b)); err != nil || i < 0 {
				return records, size, err
			}
			at += 1 + i
			n = sizeAt(b[at:])
		}
		look.largest = max(look.largest, n-headSize)
		records = append(records, b[at:at+n]...)
		at += n
		size = at
	}
}

// sizeAt is the size of the whole record that b begins with; 0 = none.
func sizeAt(b []byte) int {
	if len(b) < headSize+keySize {
		return 0
	}
	n := binary.LittleEndian.Uint32(b)
	if n > maxValue || len(b)-headSize-keySize < int(n) || !whole(b, keySize+int(n)) {
		return 0
	}
	return headSize + keySize + int(n)
}
