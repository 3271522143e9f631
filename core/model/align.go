package model

import (
	"fmt"
	"math"

	"scoville/core/unit"
)

// Tile is the shape of one tensor-core instruction: M x N x K elements.
type Tile struct{ M, N, K int }

// String prints a tile as "16x8x16".
func (t Tile) String() string { return fmt.Sprintf("%dx%dx%d", t.M, t.N, t.K) }

// TileOf returns the tile of the instructions that multiply a format:
// mma.sync of NVIDIA's PTX ISA, whose K side is 32 bytes wide. Other chips
// have others; a profile states its own.
func TileOf(d unit.DType) Tile {
	switch d {
	case unit.INT4, unit.FP4:
		return Tile{16, 8, 64}
	case unit.INT8, unit.FP8:
		return Tile{16, 8, 32}
	case unit.FP32:
		return Tile{16, 8, 8} // tf32
	}
	return Tile{16, 8, 16}
}

// SMArchOf returns the oldest compute capability with tensor cores of a
// format, by NVIDIA's PTX ISA: fp16 7.0, int4 and int8 7.5, bf16 and tf32 8.0,
// fp8 8.9, fp4 10.0.
func SMArchOf(d unit.DType) float64 {
	switch d {
	case unit.FP16:
		return 7.0
	case unit.INT4, unit.INT8:
		return 7.5
	case unit.FP8:
		return 8.9
	case unit.FP4:
		return 10.0
	}
	return 8.0
}

// KVRowBytes returns the bytes of one row of the KV cache: the keys or values
// of one KV head and token, head_dim elements, under MLA the latent of a token,
// kv_lora_rank + rope_head_dim elements.
func (m Model) KVRowBytes() float64 {
	if m.MLA() {
		return float64(m.KVLoRARank+m.RopeHeadDim) * m.KV().Bytes()
	}
	return float64(m.HeadDim) * m.KV().Bytes()
}

// Misaligned says, one sentence each, which sizes do not fill what the chip
// moves and multiplies at a time: rows of the KV cache memory lines of so many
// bytes, sides of the GEMMs the tile, each on one of tp chips. A sentence
// starts with the study key.
func (m Model) Misaligned(line, tp int, t Tile) (notes []string) {
	if row := m.KVRowBytes(); line > 0 && math.Mod(row, float64(line)) != 0 {
		key := "model.head_dim"
		if m.MLA() {
			key = "model.kv_lora_rank"
		}
		notes = append(notes, fmt.Sprintf("%s: a KV row of %g B (%s) is no multiple of a %d B line: set hardware.line_bytes = %d to have each row padded to %g B",
			key, row, m.KV(), line, line, math.Ceil(row/float64(line))*float64(line)))
	}
	for _, s := range []struct {
		key   string
		n     int
		side  string
		tile  int
		split bool // over the tp chips
	}{
		{"model.hidden", m.Hidden, "K", t.K, false},
		{"model.ffn", m.FFN, "K", t.K, true},
		{"model.expert_ffn", m.ExpertFFN, "K", t.K, true},
		{"model.head_dim", m.HeadDim, "N", t.N, false},
		{"model.vocab", m.Vocab, "N", t.N, false},
	} {
		if s.split && tp > 1 && s.n%tp == 0 {
			s.n /= tp
		}
		if s.tile > 0 && s.n%s.tile != 0 {
			notes = append(notes, fmt.Sprintf("%s: %d on a chip is no multiple of %d, the %s side of the tensor-core tile %s: its last tile is padded", s.key, s.n, s.tile, s.side, t))
		}
	}
	return notes
}
