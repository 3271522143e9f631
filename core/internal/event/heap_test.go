package event

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// order is the total order of events, written apart from the heap's.
func order(a, b Item) int {
	switch {
	case a.At != b.At:
		return int(min(1, max(-1, a.At-b.At)))
	default:
		return int(a.Seq) - int(b.Seq)
	}
}

// TestHeap pushes and pops at random and compares with a sorted list. Few
// distinct times make many ties, which Seq decides.
func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Heap
	for _, times := range []int64{1, 3, 100, 1 << 40} {
		h.Reset()
		if h.Len() != 0 {
			t.Fatal("events after Reset")
		}
		var want []Item
		seqs := rng.Perm(4000) // pushed in no order
		for _, seq := range seqs {
			it := Item{At: rng.Int64N(times) - times/2, Seq: uint32(seq), Value: int32(-seq)}
			h.Push(it)
			i, _ := slices.BinarySearchFunc(want, it, order)
			want = slices.Insert(want, i, it)
			for len(want) > 0 && rng.IntN(8) < 3 {
				if top, got := h.Top(), h.Pop(); got != want[0] || top != got {
					t.Fatalf("popped %v, top %v, want %v", got, top, want[0])
				}
				want = want[1:]
			}
			if h.Len() != len(want) {
				t.Fatalf("%d events, want %d", h.Len(), len(want))
			}
		}
		for _, w := range want {
			if got := h.Pop(); got != w {
				t.Fatalf("popped %v, want %v", got, w)
			}
		}
	}
}

func TestHeapExtremes(t *testing.T) {
	var h Heap
	want := []Item{{math.MinInt64, 0, 1}, {-1, math.MaxUint32, 2}, {0, 0, 3}, {0, math.MaxUint32, 4}, {math.MaxInt64, 0, 5}}
	for _, i := range []int{3, 0, 4, 2, 1} {
		h.Push(want[i])
	}
	for _, w := range want {
		if got := h.Pop(); got != w {
			t.Errorf("popped %v, want %v", got, w)
		}
	}
	h.Push(want[2])
	h.Push(want[1])
	h.Reset()
	h.Push(want[4])
	if got := h.Pop(); got != want[4] || h.Len() != 0 {
		t.Errorf("after Reset: popped %v, %d left", got, h.Len())
	}
}
