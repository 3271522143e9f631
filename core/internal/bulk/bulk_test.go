package bulk

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// wide is a large element with a pointer.
type wide struct {
	n  int
	of []int
	_  [100]byte
}

func TestSlices(t *testing.T) {
	for _, n := range []int{0, 1, 7, piece[int](), piece[int]() + 1, 3*piece[int]() + 5} {
		var s []int
		var w []wide
		for i := range n {
			s, w = Append(s, i), Append(w, wide{n: i, of: []int{i}})
		}
		if len(s) != n || len(w) != n {
			t.Fatalf("%d of %d elements", len(s), n)
		}
		for i := range n {
			if s[i] != i || w[i].n != i || w[i].of[0] != i {
				t.Fatalf("element %d of %d: %d, %+v", i, n, s[i], w[i])
			}
		}
		if got := AppendAll([]int{-1}, s); !slices.Equal(got, append([]int{-1}, s...)) {
			t.Errorf("%d elements appended: %d", n, len(got))
		}
		if got := Grow(s, 10); cap(got) < n+10 || !slices.Equal(got, s) {
			t.Errorf("%d elements grown: %d of %d", n, len(got), cap(got))
		}
		z := Zeroed(s, n/2)
		if len(z) != n/2 || slices.ContainsFunc(z, func(v int) bool { return v != 0 }) || n > 1 && &z[0] != &s[0] {
			t.Errorf("%d elements not zero in the same memory", n/2)
		}
		if n > 0 && s[n-1] != n-1 && n/2 < n-1 {
			t.Error("cleared more than was asked for")
		}
		if z = Zeroed(s, 2*n+1); len(z) != 2*n+1 || slices.ContainsFunc(z, func(v int) bool { return v != 0 }) {
			t.Error("new elements are not zero")
		}
	}
}

// Room grows by factors, so that appending one by one costs a constant each.
func TestGrowsByFactors(t *testing.T) {
	var s []byte
	moves, last := 0, 0
	for range 1 << 20 {
		if s = Append(s, 0); cap(s) != last {
			moves, last = moves+1, cap(s)
		}
	}
	if moves > 100 {
		t.Errorf("moved %d times", moves)
	}
}

// Others run on the only processor while a large slice is moved or cleared: the
// pieces are calls, which the runtime can stop at.
func TestStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	big, room := make([]byte, 1<<28), make([]byte, 0, 1<<28)
	for name, work := range map[string]func(){
		"moved":   func() { AppendAll(room, big) },
		"cleared": func() { Zeroed(big, len(big)) },
	} {
		var turns atomic.Int64
		var stop atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !stop.Load() {
				turns.Add(1)
				runtime.Gosched()
			}
		}()
		ran := false
		for i := 0; !ran && i < 50; i++ {
			runtime.Gosched() // a turn that was due before is not counted
			before := turns.Load()
			work()
			ran = turns.Load() > before
		}
		if !ran {
			t.Errorf("nobody else ran while %d MB were %s", len(big)>>20, name)
		}
		stop.Store(true)
		<-done
	}
}
