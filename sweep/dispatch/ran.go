package dispatch

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/fate"
	"scoville/sweep/row"
)

// Ran says which runs of a plan there are.
type Ran struct {
	Plan   *plan.Plan
	Runs   int            // how many
	Counts map[string]int // by status

	fate  func(point int) *fate.Fate
	items []uint64 // a bit for each run of the plan
}

func (r *Ran) add(item int, status string) {
	r.items[item/64] |= 1 << (item % 64)
	r.Runs++
	r.Counts[status]++
}

// has reports whether run item is one of them.
func (r *Ran) has(item int) bool { return r.items[item/64]>>(item%64)&1 == 1 }

// ahead is how many points are laid out at a time.
const ahead = 512

// Rows lays out the rows of all runs, by point, then replicate; the first of each
// point tells how its sampling ended. recall gives what a run gave, and is called
// from all cores. The first error ends the rows.
func (r *Ran) Rows(ctx context.Context, recall row.Simulate) iter.Seq2[results.Run, error] {
	return func(yield func(results.Run, error) bool) {
		for from := 0; from < r.Plan.Len(); from += ahead {
			rows, err := r.chunk(ctx, recall, from, min(from+ahead, r.Plan.Len()))
			if err != nil {
				yield(results.Run{}, err)
				return
			}
			for _, mine := range rows {
				for _, one := range mine {
					if !yield(one, nil) {
						return
					}
				}
			}
		}
	}
}

// chunk lays out the rows of points from up to to.
func (r *Ran) chunk(ctx context.Context, recall row.Simulate, from, to int) ([][]results.Run, error) {
	rows, errs := make([][]results.Run, to-from), make([]error, to-from)
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for i := from + w; i < to && ctx.Err() == nil; i += workers {
				rows[i-from], errs[i-from] = r.point(ctx, recall, i)
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", from+i, err)
		}
	}
	return rows, ctx.Err()
}

// point lays out the rows of a point.
func (r *Ran) point(ctx context.Context, recall row.Simulate, i int) (rows []results.Run, err error) {
	var pt *plan.Point
	for replicate := range r.Plan.Replicates(i) {
		if !r.has(r.Plan.Item(i, replicate)) {
			continue
		}
		if pt == nil {
			if pt, err = r.Plan.Point(i); err != nil {
				return nil, err
			}
		}
		one, err := row.Fill(ctx, recall, &pt.Resolved.Scenario, r.Plan.Options(pt, replicate), row.Of(r.Plan, pt, replicate))
		if err != nil {
			return nil, fmt.Errorf("replicate %d: %w", replicate, err)
		}
		if len(rows) == 0 {
			one.Fate = r.fate(i)
		}
		rows = append(rows, one)
	}
	return rows, nil
}
