package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Whole returns the whole records of b without those that are damaged, and the
// size of b up to the end of the last whole one. b is a part of a journal, from the
// end of its first line or of a record on; it is changed where damage is left out.
func Whole(b []byte) (whole []byte, size int) {
	whole = b[:0]
	for at := 0; len(b)-at >= headSize; {
		n := binary.LittleEndian.Uint32(b[at:])
		if n > maxValue || len(b)-at < headSize+keySize+int(n) {
			break
		}
		record := b[at : at+headSize+keySize+int(n)]
		at += len(record)
		if crc32.Checksum(record[headSize:], sum) == binary.LittleEndian.Uint32(record[4:]) {
			whole, size = append(whole, record...), at
		}
	}
	return whole, size
}
