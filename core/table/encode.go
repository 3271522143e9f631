package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// A row group has this many rows, or fewer in wide tables: its cells, about 8
// bytes each, are in memory until it is encoded.
const (
	rowGroupRows  = 50_000
	rowGroupCells = 8_000_000
)

// encoder turns rows into the bytes of a Parquet file. Equal rows, columns and
// metadata give equal bytes. The first error sticks.
type encoder struct {
	cols []Column
	meta map[string]string
	buf  []buffer
	rows int     // rows in buf
	def  []int16 // definition levels of one column
	pw   *file.Writer
	err  error
}

func newEncoder(w io.Writer, cols []Column, meta map[string]string) (*encoder, error) {
	if err := checkColumns(cols); err != nil {
		return nil, err
	}
	e := &encoder{cols: slices.Clone(cols), meta: map[string]string{}, buf: make([]buffer, len(cols))}
	for k, v := range meta {
		if err := e.setMeta(k, v); err != nil {
			return nil, err
		}
	}
	root, err := parquetSchema(cols)
	if err != nil {
		return nil, err
	}
	// Only Write is passed on: the Parquet writer would close a Closer.
	sink := struct{ io.Writer }{w}
	e.pw, err = file.NewParquetWriterWithError(sink, root, file.WithWriterProps(properties(cols)))
	if err != nil {
		return nil, err
	}
	return e, nil
}

// properties: zstd level 1 is within 2 % of level 3 in size and cheapest of
// the good ones; strings, integers and bools repeat and take dictionaries,
// measured floats do not.
func properties(cols []Column) *parquet.WriterProperties {
	opts := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(1),
	}
	for _, c := range cols {
		if c.Kind == Float64 {
			opts = append(opts, parquet.WithDictionaryFor(c.Name, false))
		}
	}
	return parquet.NewWriterProperties(opts...)
}

func parquetSchema(cols []Column) (*schema.GroupNode, error) {
	fields := make(schema.FieldList, len(cols))
	for i, c := range cols {
		rep, noID := parquet.Repetitions.Optional, int32(-1)
		switch c.Kind {
		case Float64:
			fields[i] = schema.NewFloat64Node(c.Name, rep, noID)
		case Int64:
			fields[i] = schema.NewInt64Node(c.Name, rep, noID)
		case Bool:
			fields[i] = schema.NewBooleanNode(c.Name, rep, noID)
		case String:
			n, err := schema.NewPrimitiveNodeLogical(c.Name, rep, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, noID)
			if err != nil {
				return nil, err
			}
			fields[i] = n
		}
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

func (e *encoder) setMeta(key, value string) error {
	if !snakeCase.MatchString(key) || key == columnsKey {
		return fmt.Errorf("metadata key %q: want snake_case other than %q", key, columnsKey)
	}
	if !utf8.ValidString(value) {
		return fmt.Errorf("metadata %q: value is not UTF-8", key)
	}
	e.meta[key] = value
	return nil
}

func (e *encoder) append(r Row) error {
	if e.err != nil {
		return e.err
	}
	if len(r) != len(e.cols) {
		e.err = fmt.Errorf("row has %d cells, the table %d columns", len(r), len(e.cols))
		return e.err
	}
	for i, v := range r {
		if !e.buf[i].append(e.cols[i].Kind, e.rows, v) {
			e.err = fmt.Errorf("column %q: cell is %T, want %s or nil", e.cols[i].Name, v, e.cols[i].Kind)
			return e.err
		}
	}
	if e.rows++; e.rows >= min(rowGroupRows, rowGroupCells/len(e.cols)) {
		e.err = e.flush()
	}
	return e.err
}

// flush encodes the held rows as one row group.
func (e *encoder) flush() (err error) {
	defer recoverTo(&err)
	if e.rows == 0 {
		return nil
	}
	group, err := e.pw.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i := range e.buf {
		chunk, err := group.NextColumn()
		if err != nil {
			return err
		}
		e.def = e.buf[i].levels(e.def[:0], e.rows)
		if err := e.buf[i].writeTo(chunk, e.def); err != nil {
			return fmt.Errorf("column %q: %w", e.cols[i].Name, err)
		}
		e.buf[i].reset()
	}
	e.rows = 0
	return group.Close()
}

// close writes the remaining rows and the footer.
func (e *encoder) close() (err error) {
	defer recoverTo(&err)
	if e.err != nil {
		return e.err
	}
	if err := e.flush(); err != nil {
		return err
	}
	columns, err := json.Marshal(e.cols)
	if err != nil {
		return err
	}
	e.meta[columnsKey] = string(columns)
	for _, k := range slices.Sorted(maps.Keys(e.meta)) {
		if err := e.pw.AppendKeyValueMetadata(metaPrefix+k, e.meta[k]); err != nil {
			return err
		}
	}
	return e.pw.Close()
}

// recoverTo turns a panic of the Parquet library into an error.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("parquet: %v", p)
	}
}

// buffer holds one column of the rows not yet encoded: a bit per row, whether it has
// a value, and the values that are not NULL.
type buffer struct {
	has     []uint64
	floats  []float64
	ints    []int64
	bools   []bool
	strings []parquet.ByteArray
}

// append adds the cell of a row; false if its Go type does not fit the kind.
func (b *buffer) append(k Kind, row int, v any) bool {
	has, ok := uint64(1), true
	switch x := v.(type) {
	case nil:
		has = 0
	case float64:
		if ok = k == Float64; math.IsNaN(x) || math.IsInf(x, 0) {
			has = 0
		} else {
			b.floats = append(b.floats, x)
		}
	case int64:
		ok = k == Int64
		b.ints = append(b.ints, x)
	case bool:
		ok = k == Bool
		b.bools = append(b.bools, x)
	case string:
		ok = k == String
		b.strings = append(b.strings, parquet.ByteArray(strings.ToValidUTF8(x, "\uFFFD")))
	default:
		ok = false
	}
	if row%64 == 0 {
		b.has = append(b.has, 0)
	}
	b.has[row/64] |= has << (row % 64)
	return ok
}

// levels appends the definition level of each row: 1 = value, 0 = NULL.
func (b *buffer) levels(def []int16, rows int) []int16 {
	for row := range rows {
		def = append(def, int16(b.has[row/64]>>(row%64)&1))
	}
	return def
}

func (b *buffer) reset() {
	clear(b.strings)
	b.has, b.floats, b.ints, b.bools, b.strings = b.has[:0], b.floats[:0], b.ints[:0], b.bools[:0], b.strings[:0]
}

func (b *buffer) writeTo(chunk file.ColumnChunkWriter, def []int16) (err error) {
	switch w := chunk.(type) {
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(b.floats, def, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(b.ints, def, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(b.bools, def, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(b.strings, def, nil)
	default:
		err = errors.New("parquet: unexpected column writer")
	}
	return err
}
