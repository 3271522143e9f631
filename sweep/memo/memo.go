// Package memo remembers what runs gave, so that a study that was interrupted,
// edited or asked again simulates only what is new. A run is known by the hash
// of its scenario, its seed and its replicate, of one version of the simulator:
// not by its place in a study or the study's text.
package memo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/scenario/input"
	"scoville/core/workload"
	"scoville/sweep/journal"
)

// File is the name of the memory in the folder of results.
const File = journal.File

// Simulate runs one scenario.
type Simulate = func(context.Context, *scenario.Scenario, core.Options) (core.Result, error)

// Memo is what is known of runs. It is safe for concurrent use.
type Memo struct {
	// Retry forgets runs that failed or timed out: they run again.
	Retry bool
	// Timeout is the wall time that a run may take; 0 = any. A run over it is a
	// Timeout, known only to those who give it no more.
	Timeout time.Duration
	// Lost is told once, by a worker, that what runs give cannot be kept any
	// more; nil = nobody.
	Lost func(error)

	journal  *journal.Journal
	recalled atomic.Int64
	once     sync.Once

	mu     sync.Mutex
	traces map[*workload.Record]trace // by the first record
}

// trace is the hash of the records of a trace.
type trace struct {
	records int
	hash    string
}

// Errors of a memory.
var (
	ErrForeign = journal.ErrForeign                 // the folder's runs are of another version
	ErrUnknown = errors.New("the run is not known") // of a Simulate that only recalls
)

// Open opens or makes the memory in a folder.
func Open(ctx context.Context, dir string) (*Memo, error) {
	j, err := journal.Open(ctx, filepath.Join(dir, File), kind())
	if err != nil {
		return nil, err
	}
	return &Memo{journal: j, traces: map[*workload.Record]trace{}}, nil
}

// Look opens the memory in a folder to read it, also while another process
// writes; see journal.Look.
func Look(ctx context.Context, dir string) (*Memo, error) {
	j, err := journal.Look(ctx, filepath.Join(dir, File), kind())
	if err != nil {
		return nil, err
	}
	return &Memo{journal: j, traces: map[*workload.Record]trace{}}, nil
}

// kind says which runs can be in one journal: those of one behaviour of the
// simulator, with the same metrics in the same order.
func kind() string {
	var names strings.Builder
	for _, columns := range [][]metrics.Column{metrics.Columns(), metrics.ClassColumns()} {
		for _, c := range columns {
			names.WriteString(c.Name)
			names.WriteByte('\n')
		}
	}
	hash := sha256.Sum256([]byte(names.String()))
	return fmt.Sprintf("runs of simulator version %d, metrics %x", core.Version, hash[:8])
}

// Key is the identity of a run; point is the id of its scenario, 16 hexadecimal
// digits.
func Key(point string, o core.Options) (journal.Key, error) {
	k := journal.Key{Seed: o.Seed, Replicate: uint32(o.Replicate)}
	b, err := hex.DecodeString(point)
	if err != nil || len(b) != len(k.Point) {
		return k, fmt.Errorf("memo: %q is no id of a point", point)
	}
	k.Point = [8]byte(b)
	return k, nil
}

// key is the identity of a run of a scenario.
func (m *Memo) key(sc *scenario.Scenario, o *core.Options) journal.Key {
	sum := sha256.Sum256(sc.CanonicalAs(m.trace(sc.Workload.Records)))
	return journal.Key{Point: [8]byte(sum[:8]), Seed: o.Seed, Replicate: uint32(o.Replicate)}
}

// trace hashes records once.
func (m *Memo) trace(records []workload.Record) string {
	if len(records) == 0 {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.traces[&records[0]]
	if !ok || t.records != len(records) {
		if len(m.traces) == 64 { // one would do for most studies
			clear(m.traces)
		}
		t = trace{len(records), input.Hash(records)}
		m.traces[&records[0]] = t
	}
	return t.hash
}

// Wrap is a simulator that runs only what is not known, and remembers what it
// runs: also a failure, an error that is not the context's, and a panic. Someone
// who wants to see the requests of a run makes it run.
func (m *Memo) Wrap(sim Simulate) Simulate {
	return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		if o.Plain || o.NoCapacity {
			return sim(ctx, sc, o)
		}
		k := m.key(sc, &o)
		if o.Requests == nil {
			r, ok, err := m.finished(k, &o)
			if err != nil || ok {
				m.recalled.Add(1)
				return r, err
			}
		}
		return m.run(ctx, func(ctx context.Context) (core.Result, error) { return sim(ctx, sc, o) }, k, o.Limit)
	}
}

// run simulates and keeps.
func (m *Memo) run(ctx context.Context, sim func(context.Context) (core.Result, error), k journal.Key, limit core.Limit) (core.Result, error) {
	defer func() {
		if v := recover(); v != nil {
			m.keep(k, noResult(core.Failed, fmt.Sprintf("panic: %v", v)), limit, 0)
			panic(v) // the pool makes a new simulator
		}
	}()
	timed := ctx
	if m.Timeout > 0 {
		var stop context.CancelFunc
		timed, stop = context.WithTimeout(ctx, m.Timeout)
		defer stop()
	}
	r, err := sim(timed)
	switch {
	case err == nil:
		m.keep(k, &r, limit, 0)
	case ctx.Err() != nil: // interrupted
	case errors.Is(err, context.DeadlineExceeded) && timed.Err() != nil:
		r, err = *noResult(core.Timeout, fmt.Sprintf("over %v of wall time (--run-timeout)", m.Timeout)), nil
		m.keep(k, &r, limit, m.Timeout)
	default:
		m.keep(k, noResult(core.Failed, err.Error()), limit, 0)
	}
	return r, err
}

// noResult is what is known of a run that gave nothing.
func noResult(status core.Status, reason string) *core.Result {
	nan := math.NaN()
	return &core.Result{Status: status, Reason: reason, OfferedRPS: nan, CapacityRPS: nan, LoadRatio: nan, RateRPS: nan, SimS: nan}
}

// keep remembers what a run gave; wall is the wall time that ended it, 0 = none.
func (m *Memo) keep(k journal.Key, r *core.Result, limit core.Limit, wall time.Duration) {
	if err := m.journal.Put(k, encodeWall(nil, r, limit, wall.Seconds())); err != nil {
		m.once.Do(func() {
			if m.Lost != nil {
				m.Lost(err)
			}
		})
	}
}

// finished is recall of a run that does not have to run again.
func (m *Memo) finished(k journal.Key, o *core.Options) (core.Result, bool, error) {
	r, wall, ok, err := m.recall(k, o)
	again := m.Retry && broken(&r) || wall > 0 && !(0 < m.Timeout.Seconds() && m.Timeout.Seconds() <= wall)
	return r, ok && !again, err
}

// recall returns what a run gave, without its stages and resources, and the wall
// time in s that ended it, 0 = none; false if it is not known, or known under
// other limits that matter.
func (m *Memo) recall(k journal.Key, o *core.Options) (core.Result, float64, bool, error) {
	b, ok, err := m.journal.Get(nil, k)
	if err != nil || !ok {
		return core.Result{}, 0, false, err
	}
	r, limit, wall, err := decodeWall(b)
	if err != nil {
		return core.Result{}, 0, false, err
	}
	return r, wall, holds(&r, limit, o.Limit), nil
}

// holds reports whether what a run gave within limits is what it gives within those
// that are asked.
func holds(r *core.Result, limit, asked core.Limit) bool {
	if r.Status == core.Timeout {
		return limit == asked
	}
	return (asked.Events == 0 || r.Events <= asked.Events) && (asked.SimS == 0 || !(r.SimS > asked.SimS))
}

// Recall is a simulator that runs nothing: a run that is not known is
// ErrUnknown.
func (m *Memo) Recall(_ context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
	r, _, ok, err := m.recall(m.key(sc, &o), &o)
	if err == nil && !ok {
		err = ErrUnknown
	}
	return r, err
}

// Has reports whether a run is known.
func (m *Memo) Has(k journal.Key) bool { return m.journal.Has(k) }

// Finished reports whether a run does not have to run again within the limits of
// o.
func (m *Memo) Finished(k journal.Key, o *core.Options) bool {
	if !m.Has(k) {
		return false
	}
	_, ok, err := m.finished(k, o)
	return ok && err == nil
}

// Knows is Finished of the run of a scenario.
func (m *Memo) Knows(sc *scenario.Scenario, o *core.Options) bool {
	return m.Finished(m.key(sc, o), o)
}

// Sync brings what runs gave to the disk.
func (m *Memo) Sync() error { return m.journal.Sync() }

// Damaged is how many bytes of the file are damaged, between whole runs.
func (m *Memo) Damaged() int64 { return m.journal.Damaged() }

// Len is how many runs are known.
func (m *Memo) Len() int { return m.journal.Len() }

// Records is how many runs were simulated: more than Len where some ran again.
func (m *Memo) Records() int { return m.journal.Records() }

// Kept is how many runs are known to the next process.
func (m *Memo) Kept() int { return m.journal.Written() }

// Recalled is how many runs did not have to be simulated.
func (m *Memo) Recalled() int { return int(m.recalled.Load()) }

// Cut is how many bytes a killed process left half written.
func (m *Memo) Cut() int64 { return m.journal.Cut() }

// Close brings everything to the disk. It is safe to call again.
func (m *Memo) Close() error { return m.journal.Close() }
