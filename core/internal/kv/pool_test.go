package kv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive holds the tokens of every decoding sequence.
type naive struct {
	blockSize, total int
	tokens           []int
}

func (v *naive) used() (n int) {
	for _, k := range v.tokens {
		n += (k + v.blockSize - 1) / v.blockSize
	}
	return n
}

// step adds a token to each sequence and returns the new blocks that takes.
func (v *naive) step() int {
	before := v.used()
	for i := range v.tokens {
		v.tokens[i]++
	}
	return v.used() - before
}

// steps counts one by one the steps, at most m, that fit.
func (v *naive) steps(m int) int {
	w := naive{v.blockSize, v.total, slices.Clone(v.tokens)}
	for n := range m {
		if w.step(); w.used() > v.total {
			return n
		}
	}
	return m
}

// TestPool lets sequences join, leave and decode at random and compares with
// the naive count before every move.
func TestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var p Pool // reused: Reset must forget
	for _, blockSize := range []int{16, 1, 3, 64, 16} {
		v := naive{blockSize: blockSize, total: 2000 / blockSize}
		p.Reset(v.total, blockSize)
		step, peak := int64(rng.IntN(100)), 0
		for range 1500 {
			peak = max(peak, v.used())
			if p.Used() != v.used() || p.Free() != v.total-v.used() || p.Total() != v.total || p.Peak() != peak {
				t.Fatalf("blocks of %d: used %d, free %d, peak %d of %d; want %d, peak %d of %d",
					blockSize, p.Used(), p.Free(), p.Peak(), p.Total(), v.used(), peak, v.total)
			}
			next := naive{blockSize, v.total, slices.Clone(v.tokens)}
			if got, want := p.Needs(step), next.step(); got != want {
				t.Fatalf("blocks of %d, step %d: needs %d, want %d of %v", blockSize, step, got, want, v.tokens)
			}
			m := rng.IntN(4 * blockSize)
			want := v.steps(m)
			if got := p.Steps(step, m, p.Free()); got != want {
				t.Fatalf("blocks of %d, step %d: %d of %d steps, want %d with %v", blockSize, step, got, m, want, v.tokens)
			}
			switch k := rng.IntN(5); {
			case k < 2:
				n := 1 + rng.IntN(5*blockSize)
				fits := p.Blocks(n) <= v.total-v.used()
				if p.Take(p.Blocks(n)) != fits {
					t.Fatalf("took %d blocks: %t, %d were free", p.Blocks(n), !fits, v.total-v.used())
				}
				if fits {
					p.Join(n, step)
					v.tokens = append(v.tokens, n)
				}
			case k == 2 && len(v.tokens) > 0:
				i := rng.IntN(len(v.tokens))
				p.Leave(v.tokens[i], step)
				p.Release(p.Blocks(v.tokens[i]))
				v.tokens = slices.Delete(v.tokens, i, i+1)
			default:
				p.Grow(step, want)
				for range want {
					v.step()
				}
				step += int64(want)
			}
		}
	}
}

func TestPoolKnown(t *testing.T) {
	var p Pool
	p.Reset(10, 16)
	for n, want := range map[int]int{0: 0, 1: 1, 16: 1, 17: 2, 160: 10} {
		if got := p.Blocks(n); got != want {
			t.Errorf("%d tokens take %d blocks, want %d", n, got, want)
		}
	}
	if p.Steps(0, 1000, p.Free()) != 1000 || p.Needs(0) != 0 {
		t.Error("a pool without decodes limits them")
	}
	// 32 tokens fill two blocks: the first step needs a third, and 8 free blocks
	// last 128 steps.
	if !p.Take(2) || p.Take(9) || p.Used() != 2 {
		t.Fatal("2 of 10 blocks, then 9")
	}
	p.Join(32, 5)
	if p.Needs(5) != 1 || p.Needs(6) != 0 || p.Needs(21) != 1 || p.Steps(5, 1000, p.Free()) != 128 {
		t.Errorf("needs %d %d %d, steps %d", p.Needs(5), p.Needs(6), p.Needs(21), p.Steps(5, 1000, p.Free()))
	}
	p.Grow(5, 128)
	if p.Free() != 0 || p.Steps(133, 1, p.Free()) != 0 || p.Peak() != 10 {
		t.Errorf("free %d, steps %d, peak %d", p.Free(), p.Steps(133, 1, p.Free()), p.Peak())
	}
}
