package memo

import (
	"math"
	"reflect"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/sweep/journal"
)

// known is a result with a value in every field that is remembered.
func known() *core.Result {
	r := &core.Result{
		Status: core.OK, Reason: "why", Steady: metrics.Yes,
		OfferedRPS: 4, CapacityRPS: math.Inf(1), LoadRatio: 0.5, RateRPS: 4, SimS: 12.5, Events: -3,
		Bound: "weights", DecodeBound: "state", Summary: make(metrics.Summary, len(metrics.Columns())),
		Classes: []core.Class{{Name: "short", Summary: metrics.Summary{1, -2}}, {Name: "long \n", Summary: metrics.Summary{math.Copysign(0, -1), 3e300}}},
	}
	for i := range r.Summary {
		r.Summary[i] = float64(i) / 3
	}
	return r
}

// Every field of a result comes back to the bit, but for the two that are not
// kept.
func TestRoundTrip(t *testing.T) {
	want := known()
	v := reflect.ValueOf(want).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if kept := name != "Stages" && name != "Resources"; kept == v.Field(i).IsZero() {
			t.Errorf("the test's own %s", name)
		}
	}
	m, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	k, err := Key("0123456789abcdef", core.Options{Seed: 1, Replicate: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Keep(k, want); err != nil {
		t.Fatal(err)
	}
	got, ok, err := m.Recall(k)
	if err != nil || !ok || !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v %v %v, want %+v", got, ok, err, want)
	}
}

// What is not a number stays so.
func TestNaN(t *testing.T) {
	r := known()
	r.Summary[3], r.LoadRatio = math.NaN(), math.NaN()
	got, err := decode(encode(nil, r))
	if err != nil || !math.IsNaN(got.Summary[3]) || !math.IsNaN(got.LoadRatio) || got.Summary[4] != r.Summary[4] {
		t.Errorf("%v %v", got, err)
	}
}

func TestNil(t *testing.T) {
	var m *Memo
	if err := m.Keep(journal.Key{}, known()); err != nil {
		t.Error(err)
	}
	if _, ok, err := m.Recall(journal.Key{}); ok || err != nil || m.Len() != 0 || m.Has(journal.Key{}) || m.Close() != nil {
		t.Error("nil remembers")
	}
}

func TestKeyRefuses(t *testing.T) {
	for _, id := range []string{"", "0123", "0123456789abcdeg", "0123456789abcdef00"} {
		if _, err := Key(id, core.Options{}); err == nil {
			t.Errorf("%q is a key", id)
		}
	}
}

// FuzzDecode: any bytes decode or are an error, without much memory.
func FuzzDecode(f *testing.F) {
	f.Add(encode(nil, known()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(b)
		if err != nil {
			return
		}
		if again, err := decode(encode(nil, &r)); err != nil || len(again.Summary) != len(r.Summary) {
			t.Fatal(err)
		}
	})
}
