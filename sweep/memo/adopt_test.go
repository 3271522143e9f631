package memo

import (
	"testing"

	"scoville/core"
)

// Of two values that one counts which holds within the limits asked, then a result,
// then the first; two results that differ are an error, whatever is asked.
func TestSecond(t *testing.T) {
	value := func(status core.Status, events int64, limit core.Limit) []byte {
		r := known()
		r.Status, r.Events = status, events
		return encode(nil, r, limit)
	}
	none := core.Limit{}
	few, more := core.Limit{Events: 100}, core.Limit{Events: 110}
	long := value(core.OK, 300, none)
	short := value(core.OK, 90, none)
	failed := value(core.Failed, 0, none)
	over, over2 := value(core.Timeout, 100, few), value(core.Timeout, 110, more)
	for i, c := range []struct {
		first, second []byte
		asked         core.Limit
		want          bool
	}{
		{long, over, few, true},
		{over, long, few, false},
		{long, over, none, false},
		{over, long, none, true},
		{over, over2, few, false},
		{over, over2, more, true},
		{over2, over, more, false},
		{over, over2, none, false},
		{over, short, few, true},
		{over, long, more, true}, // neither holds: a result says more
		{failed, short, few, true},
		{short, failed, none, false},
		{long, failed, few, true},
		{value(core.OK, 300, few), long, few, false},
	} {
		if got, err := Second(c.first, c.second, c.asked); err != nil || got != c.want {
			t.Errorf("%d: %t %v, want %t", i, got, err, c.want)
		}
	}
	for _, asked := range []core.Limit{none, few, more} {
		if _, err := Second(long, short, asked); err == nil {
			t.Error("results of 300 events and of 90 agree")
		}
	}
	if IsResult(over) || IsResult(failed) || IsResult(nil) || !IsResult(short) {
		t.Error("what is a result")
	}
	for _, pair := range [][2][]byte{{long, nil}, {nil, long}} {
		if _, err := Second(pair[0], pair[1], none); err == nil {
			t.Error("nothing is taken")
		}
	}
}
