// Package request keeps what happened to the requests of runs: a table a run,
// in files of their own. It knows no plan and no metric: it looks over the
// shoulder of the simulator.
package request

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	input "scoville/core/scenario/file"
	"scoville/core/table"
	"scoville/core/workload"
)

// Dir is the folder of the tables in that of the results.
const Dir = "requests"

// All keeps every request.
const All = -1

// Columns are those of the tables, in the order of requests. The clock of first
// and last token is that of measurement.clock.
var Columns = []table.Column{
	{Name: "request", Kind: table.Int64, Definition: "number of the request in its run, from 0, in order of arrival; equal numbers of equal replicates are the same draws at all points"},
	{Name: "class", Kind: table.String, Definition: "class of the workload"},
	{Name: "replica", Kind: table.Int64, Definition: "replica that served it, from 0"},
	{Name: "arrival_s", Kind: table.Float64, Unit: "s", Definition: "arrival at the front door, from the start of the run"},
	{Name: "scheduled_s", Kind: table.Float64, Unit: "s", Definition: "first time it ran"},
	{Name: "first_token_s", Kind: table.Float64, Unit: "s", Definition: "first output token"},
	{Name: "finish_s", Kind: table.Float64, Unit: "s", Definition: "last output token"},
	{Name: "prompt_tokens", Kind: table.Int64, Unit: "tokens", Definition: "length of the prompt"},
	{Name: "output_tokens", Kind: table.Int64, Unit: "tokens", Definition: "length of the output"},
	{Name: "ttft_ms", Kind: table.Float64, Unit: "ms", Better: "lower", Definition: "first_token_s - arrival_s"},
	{Name: "tpot_ms", Kind: table.Float64, Unit: "ms", Better: "lower", Definition: "(finish_s - first_token_s) / (output_tokens - 1); NULL for one token"},
	{Name: "queue_ms", Kind: table.Float64, Unit: "ms", Better: "lower", Definition: "part of ttft_ms: waiting for the front end or for admission"},
	{Name: "blocked_ms", Kind: table.Float64, Unit: "ms", Better: "lower", Definition: "part of ttft_ms: others' work in the same steps"},
	{Name: "preemptions", Kind: table.Int64, Better: "lower", Definition: "times it lost its place in memory"},
	{Name: "prefix_hit_tokens", Kind: table.Int64, Unit: "tokens", Better: "higher", Definition: "prompt tokens found in the prefix cache when it first ran"},
	{Name: "counted", Kind: table.Bool, Definition: "the metrics of the run count it; false during warm-up (measurement.warmup_requests)"},
}

// Simulate runs one scenario.
type Simulate = func(context.Context, *scenario.Scenario, core.Options) (core.Result, error)

// Keeper writes the tables of the runs of a sweep. It is safe for concurrent
// use.
type Keeper struct {
	// Lost is told of the first table that cannot be written, by the run it is of;
	// nil = nobody.
	Lost func(error)

	dir  string
	most int // requests of a run; All = all

	mu      sync.Mutex
	err     error // the first
	written map[string]bool
	samples map[int][]int // by the number of requests of a run; a few
}

// Keep makes the keeper of the results in dir, of at most most requests a run,
// All or 0 for none.
func Keep(dir string, most int) (*Keeper, error) {
	k := &Keeper{dir: filepath.Join(dir, Dir), most: most, written: map[string]bool{}, samples: map[int][]int{}}
	if most == 0 {
		return k, nil
	}
	err := os.MkdirAll(k.dir, 0o755)
	if err == nil {
		err = errors.Join(table.RemoveStale(k.dir), k.begin())
	}
	if err != nil {
		return nil, fmt.Errorf("requests: %w", err)
	}
	return k, nil
}

// begin removes the tables of another choice of requests and another simulator:
// those that stay are what this sweep would write.
func (k *Keeper) begin() error {
	path, choice := filepath.Join(filepath.Dir(k.dir), choiceFile), k.choice()
	if text, err := input.Read(path, input.MaxText); err == nil && string(text) == choice {
		return nil
	}
	if err := k.remove(func(string) bool { return true }); err != nil {
		return err
	}
	return table.WriteFile(path, []byte(choice))
}

// choice says which requests the tables have.
func (k *Keeper) choice() string {
	return fmt.Sprintf("at most %d requests of a run, of simulator version %d\n", k.most, core.Version)
}

// choiceFile, beside their folder, says which requests the tables have.
const choiceFile = ".requests"

// remove removes our tables by name.
func (k *Keeper) remove(which func(name string) bool) error {
	entries, err := os.ReadDir(k.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if ours.MatchString(e.Name()) && which(e.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(k.dir, e.Name())))
		}
	}
	return err
}

// Watch is a simulator that keeps the requests of its ok runs, but for those
// whose table is there. A table that cannot be written does not fail the run;
// Close says so, as does Err.
func (k *Keeper) Watch(sim Simulate) Simulate {
	if k.most == 0 {
		return sim
	}
	return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		if !k.has(sc, &o) {
			o.Requests = func(list []metrics.Request) { k.keep(sc, &o, list) }
		}
		return sim(ctx, sc, o)
	}
}

// Name is that of the table of a run: the id of its point, the seed of the
// study and the replicate.
func Name(id string, seed uint64, replicate int) string {
	return fmt.Sprintf(nameForm, id, seed, replicate)
}

const nameForm = "%v-s%v-r%v.parquet"

var ours = regexp.MustCompile(`^[0-9a-f]{16}-s[0-9]+-r[0-9]+\.parquet$`)

// Err is the first error of a write.
func (k *Keeper) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// Close ends a sweep that ran whole: it removes the tables of runs that are not
// part of it.
func (k *Keeper) Close() error {
	if err := k.Err(); err != nil {
		return err
	}
	err := k.remove(func(name string) bool { return !k.written[name] })
	if err == nil && k.most == 0 {
		_ = os.Remove(filepath.Join(filepath.Dir(k.dir), choiceFile))
		_ = os.Remove(k.dir) // stays if anything else is in it
	}
	return err
}

// has reports whether the table of a run is there, and whole.
func (k *Keeper) has(sc *scenario.Scenario, o *core.Options) bool {
	name, _ := name(sc, o)
	if !intact(filepath.Join(k.dir, name)) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.written[name] = true
	return true
}

// name is that of the table of a run, and the id of its point.
func name(sc *scenario.Scenario, o *core.Options) (file, id string) {
	sum := sha256.Sum256(sc.Canonical())
	id = hex.EncodeToString(sum[:8])
	return Name(id, o.Seed, o.Replicate), id
}

// keep writes the table of a run.
func (k *Keeper) keep(sc *scenario.Scenario, o *core.Options, list []metrics.Request) {
	name, id := name(sc, o)
	chosen, kept := k.choose(len(list)), len(list)
	if chosen != nil {
		kept = len(chosen)
	}
	err := k.Err()
	if err == nil {
		err = write(filepath.Join(k.dir, name), chosen, sc, list, map[string]string{
			"point_id": id, "seed": strconv.FormatUint(o.Seed, 10), "replicate": strconv.Itoa(o.Replicate),
			"sim_version": strconv.Itoa(core.Version), "requests_run": strconv.Itoa(len(list)), "requests_kept": strconv.Itoa(kept),
		})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil && k.err == nil && k.Lost != nil {
		k.Lost(err)
	}
	k.err = cmp.Or(k.err, err)
	k.written[name] = true
}

// write writes the chosen requests, nil = all.
func write(path string, chosen []int, sc *scenario.Scenario, list []metrics.Request, meta map[string]string) error {
	w, err := table.Create(path, Columns, meta)
	if err != nil {
		return err
	}
	defer w.Abort()
	row, n := make(table.Row, 0, len(Columns)), len(list)
	if chosen != nil {
		n = len(chosen)
	}
	for j := range n {
		i := j
		if chosen != nil {
			i = chosen[j]
		}
		row = cells(row[:0], i, &list[i], sc)
		if err := w.Append(row); err != nil {
			return err
		}
	}
	return w.Close()
}

// cells are those of request number i.
func cells(row table.Row, i int, r *metrics.Request, sc *scenario.Scenario) table.Row {
	var class, tpot any
	if c := int(r.Class); c < len(sc.Workload.Class) && sc.Workload.Arrival != workload.Trace {
		class = sc.Workload.Class[c].Name
	}
	if x, ok := r.TPOT(); ok {
		tpot = x * 1e3
	}
	return append(row, int64(i), class, int64(r.Replica), r.Arrival, r.Scheduled, r.First, r.Finish, int64(r.Prompt), int64(r.Output),
		r.TTFT()*1e3, tpot, r.Queue*1e3, r.Blocked*1e3, int64(r.Preemptions), int64(r.PrefixHit), i >= sc.Measurement.Warmup)
}

// choose returns the requests to keep of a run of n, in order; nil = all.
func (k *Keeper) choose(n int) []int {
	if k.most == All || k.most >= n {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list, ok := k.samples[n]
	if !ok {
		if len(k.samples) == 16 { // runs of a duration differ in number
			clear(k.samples)
		}
		list = Sample(n, k.most)
		k.samples[n] = list
	}
	return list
}

// Sample returns most of n numbers in order, the same ones every time, and all
// of them if there are no more. They are chosen by a hash, so that nothing
// periodic in the requests is favoured.
func Sample(n, most int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	if most >= n {
		return list
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(mix(a), mix(b)), a-b) })
	list = slices.Clip(list[:most])
	slices.Sort(list)
	return slices.Clone(list)
}

// mix is the finaliser of splitmix64, a bijection whose outputs look random.
func mix(i int) uint64 {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Counter looks at the number of requests of runs.
type Counter struct {
	mu   sync.Mutex
	sum  float64
	runs int
}

// Watch is a simulator that counts.
func (c *Counter) Watch(sim Simulate) Simulate {
	return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		o.Requests = func(list []metrics.Request) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sum += float64(len(list))
			c.runs++
		}
		return sim(ctx, sc, o)
	}
}

// Mean is the mean number of requests of a run; NaN if none ran.
func (c *Counter) Mean() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == 0 {
		return math.NaN()
	}
	return c.sum / float64(c.runs)
}

// Bytes that a table takes, as measured with random lengths: per request, and
// besides.
const perRequest, besides = 50, 6_000

// Bytes estimates the size of the tables of runs with requests each.
func Bytes(runs int, requests float64, most int) float64 {
	if most != All {
		requests = min(requests, float64(most))
	}
	return float64(runs) * (besides + perRequest*requests)
}
