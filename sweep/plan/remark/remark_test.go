package remark

import (
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
)

// Overlays of another version are noted once each, and notes beyond a few are
// counted.
func TestRemarks(t *testing.T) {
	r := Remarks{}
	for _, v := range []int{0, core.Version, 99, 99} {
		r.Add(&scenario.Resolved{OverlayVersion: v}, nil)
	}
	if got := r.List(nil); len(got) != 1 || !strings.Contains(got[0], "version 99") {
		t.Errorf("%q", got)
	}
	r = Remarks{notes: strings.Split("1234567", ""), count: make([]int, 7)}
	if got := r.List(nil); len(got) != Most+1 || !strings.HasPrefix(got[Most], "2 more") {
		t.Errorf("%q", got)
	}
}
