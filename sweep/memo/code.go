package memo

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// errForeign says that a value ends early, or counts more than there can be.
var errForeign = errors.New("memo: a value that is not one of ours")

// widths are how many metrics a run and a class have.
var widths = sync.OnceValues(func() (int, int) { return len(metrics.Columns()), len(metrics.ClassColumns()) })

// encode appends what a run gave within limits. Equal results give equal bytes: there is no
// time in them.
func encode(b []byte, r *core.Result, limit core.Limit) []byte { return encodeWall(b, r, limit, 0) }

// encodeWall is encode of a run that a limit of wall time ended, s; 0 = none did.
func encodeWall(b []byte, r *core.Result, limit core.Limit, wall float64) []byte {
	b = binary.AppendVarint(b, limit.Events)
	limits := []float64{limit.SimS}
	if wall > 0 {
		limits = append(limits, wall)
	}
	b = numbers(b, limits)
	b = text(b, string(r.Status))
	b = text(b, r.Reason)
	b = append(b, byte(r.Steady))
	b = numbers(b, []float64{r.OfferedRPS, r.CapacityRPS, r.LoadRatio, r.RateRPS, r.SimS})
	b = binary.AppendVarint(b, r.Events)
	b = text(text(b, r.Bound), r.DecodeBound)
	b = numbers(b, r.Summary)
	b = binary.AppendUvarint(b, uint64(len(r.Classes)))
	for _, c := range r.Classes {
		b = numbers(text(b, c.Name), c.Summary)
	}
	return b
}

func text(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// numbers appends how many, a bit for each that is a number, and those that are.
func numbers(b []byte, x []float64) []byte {
	b = binary.AppendUvarint(b, uint64(len(x)))
	bits := len(b)
	b = append(b, make([]byte, (len(x)+7)/8)...)
	for i, v := range x {
		if !math.IsNaN(v) {
			b[bits+i/8] |= 1 << (i % 8)
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// reader takes a value apart. After the first error it gives zeros. What a journal
// of others counts takes no memory before it is known to be there.
type reader struct {
	b   []byte
	err error
}

func decode(b []byte) (core.Result, core.Limit, error) {
	r, limit, _, err := decodeWall(b)
	return r, limit, err
}

// decodeWall is what encodeWall wrote.
func decodeWall(b []byte) (out core.Result, limit core.Limit, wall float64, err error) {
	r := reader{b: b}
	ofRun, ofClass := widths()
	limit.Events = r.int()
	switch x := r.numbers(2); len(x) {
	case 2:
		limit.SimS, wall = x[0], x[1]
	case 1:
		limit.SimS = x[0]
	default:
		r.fail()
	}
	out.Status, out.Reason = core.Status(r.text()), r.text()
	out.Steady = metrics.Tri(r.byte())
	if x := r.numbers(5); len(x) == 5 {
		out.OfferedRPS, out.CapacityRPS, out.LoadRatio, out.RateRPS, out.SimS = x[0], x[1], x[2], x[3], x[4]
	} else {
		r.fail()
	}
	out.Events = r.int()
	out.Bound, out.DecodeBound = r.text(), r.text()
	out.Summary = r.numbers(ofRun)
	for range r.count(scenario.MaxClasses) {
		c := core.Class{Name: r.text(), Summary: r.numbers(ofClass)}
		if r.err != nil {
			break
		}
		out.Classes = append(out.Classes, c)
	}
	if len(r.b) > 0 {
		r.fail()
	}
	if r.err != nil {
		return core.Result{}, core.Limit{}, 0, r.err
	}
	return out, limit, wall, nil
}

func (r *reader) fail() { r.b, r.err = nil, errForeign }

// count reads how many things follow: no more than most.
func (r *reader) count(most int) int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > uint64(most) {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

// take returns the next n bytes.
func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.fail()
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) int() int64 {
	x, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return x
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) text() string { return string(r.take(r.count(len(r.b)))) }

// numbers reads at most so many numbers.
func (r *reader) numbers(most int) []float64 {
	n := r.count(most)
	bits := r.take((n + 7) / 8)
	if r.err != nil {
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		switch {
		case r.err != nil:
			return nil
		case bits[i/8]>>(i%8)&1 == 0:
			out[i] = math.NaN()
		default:
			if b := r.take(8); len(b) == 8 {
				out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			}
		}
	}
	return out
}
