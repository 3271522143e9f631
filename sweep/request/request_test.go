package request

import (
	"slices"
	"testing"
)

// A sample is ordered, without repetition, the same for every call, and spread
// over the whole; a smaller one of the same run is a part of a larger.
func TestSample(t *testing.T) {
	small, large := Sample(1000, 50), Sample(1000, 200)
	if len(small) != 50 || !slices.IsSorted(small) || len(slices.Compact(slices.Clone(small))) != 50 {
		t.Errorf("%v", small)
	}
	if !slices.Equal(small, Sample(1000, 50)) {
		t.Error("two samples differ")
	}
	for _, i := range small {
		if !slices.Contains(large, i) {
			t.Errorf("%d is in the sample of 50 and not in that of 200", i)
		}
	}
	late := 0
	for _, i := range large {
		if i >= 500 {
			late++
		}
	}
	if late < 75 || late > 125 {
		t.Errorf("%d of 200 from the later half", late)
	}
	if got := Sample(3, 10); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
	if got := Sample(0, 10); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestBytes(t *testing.T) {
	if all, some := Bytes(10, 1000, All), Bytes(10, 1000, 100); all != 10*(besides+1000*perRequest) || some != 10*(besides+100*perRequest) {
		t.Error(all, some)
	}
}
