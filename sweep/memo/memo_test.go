package memo

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// known is a result with a value in every field that is remembered.
func known() *core.Result {
	r := &core.Result{
		Status: core.OK, Reason: "why", Steady: metrics.Yes,
		OfferedRPS: 4, CapacityRPS: math.Inf(1), LoadRatio: 0.5, RateRPS: 4, SimS: 12.5, Events: 300,
		Bound: "weights", DecodeBound: "state", Summary: make(metrics.Summary, len(metrics.Columns())),
		Classes: []core.Class{{Name: "short", Summary: metrics.Summary{1, -2}}, {Name: "long \n", Summary: metrics.Summary{math.Copysign(0, -1), 3e300}}},
	}
	for i := range r.Summary {
		r.Summary[i] = float64(i) / 3
	}
	return r
}

func open(t *testing.T, dir string) *Memo {
	t.Helper()
	m, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// counting is a simulator that counts its runs.
func counting(n *int, r *core.Result, err error) Simulate {
	return func(context.Context, *scenario.Scenario, core.Options) (core.Result, error) {
		*n++
		if r == nil {
			panic("boom")
		}
		return *r, err
	}
}

// A run is simulated once; what it gave comes back to the bit, also in another
// process, but for the two fields that are not kept.
func TestOnce(t *testing.T) {
	want, n, dir, ctx := known(), 0, t.TempDir(), t.Context()
	v := reflect.ValueOf(want).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if kept := name != "Stages" && name != "Resources"; kept == v.Field(i).IsZero() {
			t.Errorf("the test's own %s", name)
		}
	}
	var sc scenario.Scenario
	m := open(t, dir)
	sim := m.Wrap(counting(&n, want, nil))
	for range 3 {
		if got, err := sim(ctx, &sc, core.Options{Seed: 1, Replicate: 2}); err != nil || !reflect.DeepEqual(&got, want) {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
	m.Close()
	m = open(t, dir)
	if got, err := m.Wrap(counting(&n, known(), nil))(ctx, &sc, core.Options{Seed: 1, Replicate: 2}); err != nil || !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	if n != 1 || m.Recalled() != 1 || m.Len() != 1 {
		t.Errorf("%d runs, %d recalled of %d", n, m.Recalled(), m.Len())
	}
}

// Another seed, replicate, scenario or trace is another run.
func TestIdentity(t *testing.T) {
	n, ctx := 0, t.Context()
	sim := open(t, t.TempDir()).Wrap(counting(&n, known(), nil))
	var a, b, trace scenario.Scenario
	b.Workload.RateRPS = 1
	trace.Workload.Records = []workload.Record{{Prompt: 1, Output: 2}}
	other := trace
	other.Workload.Records = []workload.Record{{Prompt: 1, Output: 3}}
	for range 2 {
		for _, sc := range []*scenario.Scenario{&a, &b, &trace, &other} {
			for _, o := range []core.Options{{}, {Seed: 1}, {Replicate: 1}} {
				if _, err := sim(ctx, sc, o); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if n != 12 {
		t.Errorf("%d runs, want 12", n)
	}
}

// Failures and panics are remembered as such, and run again with Retry.
func TestFailures(t *testing.T) {
	n, ctx := 0, t.Context()
	var sc scenario.Scenario
	m := open(t, t.TempDir())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _ = m.Wrap(counting(&n, nil, nil))(ctx, &sc, core.Options{})
	}()
	if _, err := m.Wrap(counting(&n, known(), errors.New("broken")))(ctx, &sc, core.Options{Replicate: 1}); err == nil {
		t.Error("the error is gone")
	}
	for i, want := range []string{"panic: boom", "broken"} {
		got, err := m.Wrap(counting(&n, known(), nil))(ctx, &sc, core.Options{Replicate: i})
		if err != nil || got.Status != core.Failed || got.Reason != want || !math.IsNaN(got.SimS) {
			t.Errorf("%+v %v, want %s", got, err, want)
		}
	}
	if n != 2 {
		t.Errorf("%d runs", n)
	}
	m.Retry = true
	if got, err := m.Wrap(counting(&n, known(), nil))(ctx, &sc, core.Options{}); err != nil || got.Status != core.OK || n != 3 {
		t.Errorf("%+v %v after %d", got, err, n)
	}
}

// What the context cut short is not remembered.
func TestCutShort(t *testing.T) {
	n := 0
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var sc scenario.Scenario
	m := open(t, t.TempDir())
	_, _ = m.Wrap(counting(&n, known(), context.Canceled))(ctx, &sc, core.Options{})
	if m.Len() != 0 {
		t.Error("an interrupt is remembered as a failure")
	}
	if _, err := m.Recall(t.Context(), &sc, core.Options{}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// A limit that a known run breaks makes it run again, as does another limit than
// a known timeout broke.
func TestLimits(t *testing.T) {
	n, ctx := 0, t.Context()
	var sc scenario.Scenario
	m := open(t, t.TempDir())
	run := func(r *core.Result, l core.Limit, want int) {
		t.Helper()
		if _, err := m.Wrap(counting(&n, r, nil))(ctx, &sc, core.Options{Limit: l}); err != nil || n != want {
			t.Errorf("%v, %d runs, want %d", err, n, want)
		}
	}
	timeout := *known()
	timeout.Status = core.Timeout
	run(known(), core.Limit{}, 1)
	run(known(), core.Limit{Events: 300, SimS: 12.5}, 1)
	run(&timeout, core.Limit{Events: 299}, 2)
	run(&timeout, core.Limit{Events: 299}, 2)
	run(&timeout, core.Limit{Events: 298}, 3)
	run(known(), core.Limit{}, 4)
	run(&timeout, core.Limit{SimS: 12}, 5)
}

// A run over its wall time is a timeout, which those know who give it no more time,
// and who only recall.
func TestWallTime(t *testing.T) {
	n, ctx := 0, t.Context()
	var sc scenario.Scenario
	m := open(t, t.TempDir())
	stuck := func(ctx context.Context, _ *scenario.Scenario, _ core.Options) (core.Result, error) {
		n++
		<-ctx.Done()
		return core.Result{}, ctx.Err()
	}
	run := func(sim Simulate, most time.Duration, want core.Status, runs int) {
		t.Helper()
		m.Timeout = most
		if r, err := m.Wrap(sim)(ctx, &sc, core.Options{}); err != nil || r.Status != want || n != runs {
			t.Errorf("%v %v, %d runs; want %v, %d", r.Status, err, n, want, runs)
		}
	}
	run(stuck, 2*time.Millisecond, core.Timeout, 1)
	run(stuck, 2*time.Millisecond, core.Timeout, 1)
	run(stuck, time.Millisecond, core.Timeout, 1)
	run(stuck, 3*time.Millisecond, core.Timeout, 2)
	if r, err := m.Recall(ctx, &sc, core.Options{}); err != nil || r.Reason != "over 3ms of wall time (--run-timeout)" {
		t.Errorf("%q %v", r.Reason, err)
	}
	m.Retry = true
	if k, err := Key(fmt.Sprintf("%x", m.key(&sc, &core.Options{}).Point), core.Options{}); err != nil || m.Finished(k, &core.Options{}) || !m.Has(k) {
		t.Errorf("a timeout is finished, %v", err)
	}
	run(stuck, 3*time.Millisecond, core.Timeout, 3)
	m.Retry = false
	run(counting(&n, known(), nil), 0, core.OK, 4)
	run(stuck, time.Millisecond, core.OK, 4)
	cut, stop := context.WithCancel(ctx)
	stop()
	if _, err := m.Wrap(stuck)(cut, &sc, core.Options{Seed: 1}); !errors.Is(err, context.Canceled) || m.Len() != 1 {
		t.Errorf("an interrupt is remembered: %v", err)
	}
}

// Who wants to see the requests makes it run.
func TestRequests(t *testing.T) {
	n, ctx := 0, t.Context()
	var sc scenario.Scenario
	sim := open(t, t.TempDir()).Wrap(counting(&n, known(), nil))
	for range 2 {
		if _, err := sim(ctx, &sc, core.Options{Requests: func([]metrics.Request) {}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sim(ctx, &sc, core.Options{}); err != nil || n != 2 {
		t.Errorf("%v %d runs", err, n)
	}
}

// A run that cannot be kept is told, once.
func TestLost(t *testing.T) {
	dir, n, lost := t.TempDir(), 0, 0
	m := open(t, dir)
	m.Lost = func(error) { lost++ }
	m.journal.Close() // as if the disk were gone
	var sc scenario.Scenario
	sim := m.Wrap(counting(&n, known(), nil))
	for i := range 3 {
		if _, err := sim(t.Context(), &sc, core.Options{Replicate: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.journal.Sync(); err == nil {
		t.Error("lost without an error")
	}
	if _, err := sim(t.Context(), &sc, core.Options{Replicate: 9}); err != nil || lost != 1 {
		t.Errorf("%v, told %d times", err, lost)
	}
}

// A value that was not written by this code is an error, not a result.
func TestForeignValue(t *testing.T) {
	m := open(t, t.TempDir())
	var sc scenario.Scenario
	if err := m.journal.Put(m.key(&sc, &core.Options{}), []byte("something")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Recall(t.Context(), &sc, core.Options{}); err == nil {
		t.Error("taken")
	}
}

func TestForeignFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), []byte("runs of simulator version 0, metrics 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir); !errors.Is(err, ErrForeign) {
		t.Error(err)
	}
}

func TestNaN(t *testing.T) {
	r := known()
	r.Summary[3], r.LoadRatio = math.NaN(), math.NaN()
	got, _, err := decode(encode(nil, r, core.Limit{}))
	if err != nil || !math.IsNaN(got.Summary[3]) || !math.IsNaN(got.LoadRatio) || got.Summary[4] != r.Summary[4] {
		t.Errorf("%v %v", got, err)
	}
}

func TestKeyRefuses(t *testing.T) {
	for _, id := range []string{"", "0123", "0123456789abcdeg", "0123456789abcdef00"} {
		if _, err := Key(id, core.Options{}); err == nil {
			t.Errorf("%q is a key", id)
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// spare is what a value may take beside its own size, in bytes: of as many classes as
// there can be.
const spare = 4 << 20

// A value of others that counts more than it has, or than there can be, is refused
// before it takes memory.
func TestCountsRefused(t *testing.T) {
	r := known()
	r.Classes = nil
	head := encode(nil, r, core.Limit{})
	head = slices.Clip(head[:len(head)-1]) // to the number of classes
	for _, zeros := range []int{0, 1 << 10, 16 << 20} {
		for _, count := range []uint64{1, 1000, 1001, uint64(zeros) / 2, uint64(zeros), 8 * uint64(zeros), math.MaxUint64} {
			for at, b := range [][]byte{
				binary.AppendUvarint(head, count),                          // classes
				binary.AppendUvarint([]byte{0}, count),                     // limits
				binary.AppendUvarint([]byte{0, 1, 0}, count),               // bytes of a status
				binary.AppendUvarint(binary.AppendUvarint(head, 1), count), // bytes of a name
				binary.AppendUvarint(append(head, 1, 1, 'x'), count),       // metrics of a class
				binary.AppendUvarint(append(head, 2, 0, 0, 0), count),      // of the second one
			} {
				b = append(b, make([]byte, zeros)...)
				var err error
				if n := allocated(func() { _, _, err = decode(b) }); n > uint64(len(b))+spare {
					t.Errorf("count %d of %d, %d bytes: %d allocated", at, count, len(b), n)
				}
				if err == nil && len(b) > 1<<20 {
					t.Errorf("count %d of %d, %d bytes: taken", at, count, len(b))
				}
			}
		}
	}
}

// FuzzDecode: any bytes decode or are an error, without much memory.
func FuzzDecode(f *testing.F) {
	whole := encode(nil, known(), core.Limit{Events: 5, SimS: 3})
	f.Add(whole)
	f.Add(append(whole[:len(whole):len(whole)], whole...))
	f.Add([]byte{})
	f.Add(binary.AppendUvarint([]byte{0}, math.MaxUint64))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r core.Result
		var limit core.Limit
		var err error
		if n := allocated(func() { r, limit, err = decode(b) }); n > uint64(len(b))+spare {
			t.Fatalf("%d bytes allocated for %d", n, len(b))
		}
		if err != nil {
			return
		}
		if again, l, err := decode(encode(nil, &r, limit)); err != nil || l != limit && limit.SimS == limit.SimS || len(again.Summary) != len(r.Summary) {
			t.Fatal(err)
		}
	})
}
