// Package plain turns the bytes of a file into text: it unpacks gzip, reads
// UTF-16 and Latin-1 as spreadsheets and shells save them, and takes colours of
// terminals out. It finds how the cells of a table are separated and the tables
// of a Markdown text. It knows nothing of measurements.
package plain

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Errors of Text.
var (
	ErrBinary = errors.New("not text in UTF-8")
	ErrLarge  = errors.New("too large when unpacked")
)

var (
	bom8    = []byte("\xef\xbb\xbf")
	bomLow  = []byte("\xff\xfe")
	bomHigh = []byte("\xfe\xff")
	packed  = []byte("\x1f\x8b")
	colours = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")
)

// A packed file of little may unpack to much: to so many bytes, and so many times
// its own size. Tables of measurements shrink five to fifteen times.
const (
	unpackFree  = 8 << 20
	unpackTimes = 30
)

// Text returns the text of a file in UTF-8, without a byte order mark, and in
// words what had to be done to read it. No more than limit bytes are unpacked,
// nor much more than a table of measurements would unpack to.
func Text(data []byte, limit int) (text []byte, notes []string, err error) {
	if bytes.HasPrefix(data, packed) {
		if data, err = unpack(data, limit); err != nil {
			return nil, nil, err
		}
		notes = append(notes, "unpacked from gzip")
	}
	switch {
	case bytes.HasPrefix(data, bom8):
		data = data[len(bom8):]
	case bytes.HasPrefix(data, bomLow):
		data, notes = wide(data[2:], binary.LittleEndian), append(notes, "read as UTF-16")
	case bytes.HasPrefix(data, bomHigh):
		data, notes = wide(data[2:], binary.BigEndian), append(notes, "read as UTF-16")
	case !utf8.Valid(data) && !control(data):
		data, notes = latin(data), append(notes, "not UTF-8: read as Latin-1")
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return nil, nil, ErrBinary
	}
	if bytes.IndexByte(data, 0x1b) >= 0 {
		data = colours.ReplaceAll(data, nil)
	}
	return data, notes, nil
}

func unpack(data []byte, limit int) ([]byte, error) {
	limit = min(limit, unpackFree+unpackTimes*len(data))
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not gzip: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("gzip is damaged: %w", err)
	}
	if len(out) > limit {
		return nil, ErrLarge
	}
	return out, nil
}

// wide decodes UTF-16; a byte left over is lost, and what is no character
// becomes the replacement character.
func wide(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// latin decodes ISO 8859-1.
func latin(data []byte) []byte {
	out := make([]rune, len(data))
	for i, b := range data {
		out[i] = rune(b)
	}
	return []byte(string(out))
}

// control reports whether bytes occur that no text has.
func control(data []byte) bool {
	for _, b := range data {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != 0x1b && b != '\f' {
			return true
		}
	}
	return false
}

// Misfit says why a row of a table does not tell which cell belongs to which
// column; "" if it does.
func Misfit(head, cells []string) string {
	if len(cells) != len(head) {
		return fmt.Sprintf("%d cells in this row, %d columns", len(cells), len(head))
	}
	for i, name := range head {
		if name != "" && slices.Contains(head[:i], name) {
			return fmt.Sprintf("two columns are called %q", name)
		}
	}
	return ""
}
