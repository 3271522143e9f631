package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// Read reads a table that a Writer wrote. A file that is damaged, cut short,
// absurdly large or not of this format is an error that names it.
func Read(path string) (*Frame, error) { return ReadSome(path, nil) }

// ReadSome reads the columns of a table for which keep is true; nil is all.
func ReadSome(path string, keep func(Column) bool) (*Frame, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	frame, err := decodeSome(f, keep)
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w", path, err)
	}
	return frame, nil
}

// decodeSome reads with the column readers of the Parquet library, in this
// goroutine: a panic on damaged bytes becomes an error here, which it could not
// in the goroutines of the Arrow reader.
func decodeSome(r parquet.ReaderAtSeeker, keep func(Column) bool) (frame *Frame, err error) {
	defer func() {
		if err != nil {
			frame = nil
		}
	}()
	defer damaged(&err)
	pr, err := newReader(r)
	if err != nil {
		return nil, err
	}
	frame, err = newFrame(pr)
	if err != nil {
		return nil, err
	}
	d := decoder{frame: frame, from: frame.choose(keep), codes: map[*series]map[string]int32{}}
	if err := frame.bounded(pr.NumRows()); err != nil {
		return nil, err
	}
	for g := range pr.NumRowGroups() {
		group := pr.RowGroup(g)
		if n := group.NumRows(); n < 0 || n > pr.NumRows()-int64(frame.rows) {
			return nil, fmt.Errorf("damaged file: row group %d has %d rows, the file %d", g, n, pr.NumRows())
		}
		if err := d.group(group); err != nil {
			return nil, fmt.Errorf("row group %d: %w", g, err)
		}
	}
	if frame.rows != int(pr.NumRows()) {
		return nil, fmt.Errorf("damaged file: %d rows, the footer says %d", frame.rows, pr.NumRows())
	}
	return frame, nil
}

// newFrame reads the footer: the described columns must be the file's.
func newFrame(pr *file.Reader) (*Frame, error) {
	f := &Frame{Meta: map[string]string{}}
	columns := ""
	kv := pr.MetaData().KeyValueMetadata()
	values := kv.Values()
	for i, k := range kv.Keys() {
		name, ours := strings.CutPrefix(k, metaPrefix)
		switch {
		case ours && name == columnsKey:
			columns = values[i]
		case ours:
			f.Meta[name] = values[i]
		}
	}
	if columns == "" {
		return nil, fmt.Errorf("not a table of this tool: no %s%s in the footer", metaPrefix, columnsKey)
	}
	var err error
	if f.Columns, err = decodeColumns(columns); err != nil {
		return nil, fmt.Errorf("%s%s in the footer: %w", metaPrefix, columnsKey, err)
	}
	sc := pr.MetaData().Schema
	if sc.NumColumns() != len(f.Columns) {
		return nil, fmt.Errorf("%d columns, the footer describes %d", sc.NumColumns(), len(f.Columns))
	}
	for i, c := range f.Columns {
		p := sc.Column(i)
		if p.Path() != c.Name || p.PhysicalType() != physical[c.Kind] || p.MaxDefinitionLevel() != 1 || p.MaxRepetitionLevel() != 0 {
			return nil, fmt.Errorf("column %d is %q (%s), the footer describes %q (%s)", i, p.Path(), p.PhysicalType(), c.Name, c.Kind)
		}
	}
	return f, nil
}

// bounded refuses rows of the chosen columns that are more than fit into memory.
func (f *Frame) bounded(rows int64) error {
	if rows < 0 || rows > maxCells/int64(max(1, len(f.Columns))) {
		return fmt.Errorf("%d rows of %d columns, the limit is %d cells", rows, len(f.Columns), maxCells)
	}
	return nil
}

// choose drops the columns that are not kept and returns where in the file the
// others are.
func (f *Frame) choose(keep func(Column) bool) (from []int) {
	var kept []Column
	for i, c := range f.Columns {
		if keep == nil || keep(c) {
			kept, from = append(kept, c), append(from, i)
		}
	}
	f.Columns, f.data = kept, make([]series, len(kept))
	return from
}

var physical = [...]parquet.Type{
	Float64: parquet.Types.Double, Int64: parquet.Types.Int64,
	Bool: parquet.Types.Boolean, String: parquet.Types.ByteArray,
}

// batchRows is the number of rows decoded at a time.
const batchRows = 8192

// decoder appends row groups to a frame. Its slices are scratch for one batch.
type decoder struct {
	frame   *Frame
	from    []int                        // column in the file of each column of frame
	codes   map[*series]map[string]int32 // of the words of each column of words
	def     [batchRows]int16
	floats  [batchRows]float64
	ints    [batchRows]int64
	bools   [batchRows]bool
	strings [batchRows]parquet.ByteArray
}

func (d *decoder) group(g *file.RowGroupReader) error {
	before := d.frame.rows
	d.frame.rows += int(g.NumRows())
	for i, c := range d.frame.Columns {
		chunk, err := g.Column(d.from[i])
		if err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		err = d.column(chunk, &d.frame.data[i], before, g.NumRows())
		if cerr := chunk.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}

// column decodes want rows of one chunk, of a column that has some before.
func (d *decoder) column(chunk file.ColumnChunkReader, s *series, before int, want int64) error {
	for want > 0 {
		n := min(want, batchRows)
		rows, values, err := d.batch(chunk, n)
		if err != nil {
			return err
		}
		if rows <= 0 || rows > n {
			return errors.Join(fmt.Errorf("damaged file: %d rows missing", want), chunk.Err())
		}
		set := 0
		for _, l := range d.def[:rows] {
			set += int(l)
		}
		if set != values {
			return fmt.Errorf("damaged file: %d values for %d rows that are not NULL", values, set)
		}
		d.spread(s, chunk.Type(), before, int(rows))
		before, want = before+int(rows), want-rows
	}
	return nil
}

// batch decodes up to n rows: their definition levels and packed values.
func (d *decoder) batch(chunk file.ColumnChunkReader, n int64) (rows int64, values int, err error) {
	switch r := chunk.(type) {
	case *file.Float64ColumnChunkReader:
		return r.ReadBatch(n, d.floats[:], d.def[:], nil)
	case *file.Int64ColumnChunkReader:
		return r.ReadBatch(n, d.ints[:], d.def[:], nil)
	case *file.BooleanColumnChunkReader:
		return r.ReadBatch(n, d.bools[:], d.def[:], nil)
	case *file.ByteArrayColumnChunkReader:
		return r.ReadBatch(n, d.strings[:], d.def[:], nil)
	}
	return 0, 0, errors.New("damaged file: unexpected column type")
}

// spread appends the batch to the series of a column of which before rows are
// decoded, NULL where the level is 0.
func (d *decoder) spread(s *series, t parquet.Type, before, rows int) {
	def := d.def[:rows]
	switch t {
	case parquet.Types.Double:
		s.floats = lay(s.floats, before, math.NaN(), def, func(v int) float64 {
			if math.IsInf(d.floats[v], 0) {
				return math.NaN()
			}
			return d.floats[v]
		})
	case parquet.Types.Int64:
		if len(s.ints) > 0 || slices.Contains(def, 1) {
			s.flag(before, def)
		}
		s.ints = lay(s.ints, before, 0, def, func(v int) int64 { return d.ints[v] })
	case parquet.Types.Boolean:
		s.bools = lay(s.bools, before, -1, def, func(v int) int8 {
			if d.bools[v] {
				return 1
			}
			return 0
		})
	case parquet.Types.ByteArray:
		codes := d.codes[s] // kept over row groups: a column may have a word of its own for each row
		if codes == nil {
			codes = map[string]int32{}
			d.codes[s] = codes
		}
		s.codes = lay(s.codes, before, -1, def, func(v int) int32 { return s.code(d.strings[v], codes) })
	}
}

// flag appends which cells of a batch of whole numbers are NULL. It precedes
// their values: where there is none yet, all rows before are NULL.
func (s *series) flag(before int, def []int16) {
	absent := len(s.ints) == 0
	if len(s.null) == 0 && !(absent && before > 0) && !slices.Contains(def, 0) {
		return
	}
	for len(s.null) < before {
		s.null = append(s.null, absent)
	}
	for _, level := range def {
		s.null = append(s.null, level == 0)
	}
}

// lay appends a batch to values, null where the level is 0 and else what get has
// for the next packed value. Before the first batch with some value there are
// none, then null for each row before.
func lay[T any](values []T, before int, null T, def []int16, get func(packed int) T) []T {
	if len(values) == 0 && !slices.Contains(def, 1) {
		return values
	}
	values = slices.Grow(values, max(0, before-len(values))+len(def))
	for len(values) < before {
		values = append(values, null)
	}
	v := 0
	for _, level := range def {
		if level == 0 {
			values = append(values, null)
			continue
		}
		values = append(values, get(v))
		v++
	}
	return values
}

// code returns the number of a word, adding it when it is new.
func (s *series) code(word []byte, codes map[string]int32) int32 {
	c, ok := codes[string(word)]
	if !ok {
		c = int32(len(s.words))
		s.words = append(s.words, string(word))
		codes[s.words[c]] = c
	}
	return c
}
