// Package pilot tries a few runs of a plan, and says what the whole will take.
package pilot

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"scoville/core/metrics"
	"scoville/sweep/hunt"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
	"scoville/sweep/row"
)

// A pilot tries at most this many runs, and stops after this time.
const (
	Runs = 8
	Time = 2 * time.Second
)

// Trial is the wall time of one run, and of the capacity run before it.
type Trial struct{ Run, Capacity time.Duration }

// Try tries runs that are evenly spread over the plan, one at a time. Those
// that time cuts short are left out.
func Try(ctx context.Context, p *plan.Plan, newSimulate func() row.Simulate) ([]Trial, error) {
	n := min(Runs, p.Runs())
	items := make([]int, n)
	for i := range items {
		items[i] = (2*i + 1) * p.Runs() / (2 * n)
	}
	limited, stop := context.WithTimeout(ctx, Time)
	defer stop()
	var trials []Trial
	tries := pool.Pool[row.Simulate, Trial]{
		Workers: 1,
		State:   newSimulate,
		Work: func(ctx context.Context, sim row.Simulate, item int) (Trial, error) {
			first, err := timed(ctx, p, sim, item)
			if err != nil {
				return Trial{}, err
			}
			point, _ := p.Run(item)
			if pt, err := p.Point(point); err != nil || !row.Open(&pt.Resolved.Scenario) {
				return Trial{Run: first}, err
			}
			again, err := timed(ctx, p, sim, item) // now the capacity is known
			return Trial{again, max(0, first-again)}, err
		},
		Collect: func(_ int, t Trial, err error) error {
			if err == nil { // else the sweep will tell
				trials = append(trials, t)
			}
			return nil
		},
	}
	_ = tries.Run(limited, items) // ends early when the time is over
	return trials, ctx.Err()
}

// timed simulates run number item and returns the wall time.
func timed(ctx context.Context, p *plan.Plan, sim row.Simulate, item int) (time.Duration, error) {
	start := time.Now()
	_, err := row.One(ctx, p, sim, item)
	return time.Since(start), err
}

// Cost says in a line how long a plan takes with jobs simulations at a time,
// and how large its tables get.
func Cost(p *plan.Plan, trials []Trial, capacities, jobs int) string {
	if p.Runs() == 0 {
		return "none: there is nothing to run"
	}
	expected := hunt.Expected(p) + p.DrawRuns()
	jobs = min(jobs, expected)
	cores := plural(jobs, "core")
	size := About(float64(tableBytes(p))/1e6, "MB")
	if len(trials) == 0 {
		least := Time * time.Duration(expected) / time.Duration(jobs)
		return fmt.Sprintf("pilot: no run ends within %v -> over %s on %s, %s", Time, wall(least), cores, size)
	}
	var run, capacity, longest time.Duration
	for _, t := range trials {
		run += t.Run
		capacity += t.Capacity
		longest = max(longest, t.Run)
	}
	run /= time.Duration(len(trials))
	capacity /= time.Duration(len(trials))
	total := (run*time.Duration(expected) + capacity*time.Duration(capacities*(1+p.Study.Draws))) / time.Duration(jobs)
	line := fmt.Sprintf("pilot of %s: mean %s, max %s", plural(len(trials), "run"), milliseconds(run), milliseconds(longest))
	if capacities > 0 {
		line += fmt.Sprintf("; %s: mean %s", plural(capacities, "capacity run"), milliseconds(capacity))
	}
	share := float64(p.LeastRuns()) / float64(p.Runs()) // that there are whatever comes of them
	if least := wall(time.Duration(share * float64(total))); least != wall(total) {
		return fmt.Sprintf("%s -> %s to %s on %s, %s at most", line, least, wall(total), cores, size)
	}
	return fmt.Sprintf("%s -> about %s on %s, %s", line, wall(total), cores, size)
}

// Bytes that the tables of the shipped studies take: per metric of a run, per
// number of a selected metric of a point, and besides.
const (
	runCell, pointCell, besides = 4, 5, 100_000
)

// tableBytes estimates the size of the tables.
func tableBytes(p *plan.Plan) int {
	all := len(metrics.Columns())
	selected := len(p.Study.Metrics)
	if selected == 0 {
		selected = all
	}
	perPoint := 3 // mean and interval
	if len(p.Study.OAT) > 0 {
		perPoint = 9 // the change, and both in effects
	}
	return besides + runCell*all*hunt.Expected(p) + pointCell*perPoint*selected*p.Len()*hunt.Expected(p)/p.Runs()
}

// milliseconds prints two digits or more.
func milliseconds(d time.Duration) string {
	x := max(0.01, d.Seconds()*1e3)
	if x >= 10 {
		return fmt.Sprintf("%.0f ms", x)
	}
	return fmt.Sprintf("%.2g ms", x)
}

// wall prints a long time in the unit that suits it.
func wall(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 1:
		return "1 s"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	default:
		return fmt.Sprintf("%.0f h", s/3600)
	}
}

// About prints a rough amount.
func About(x float64, unit string) string {
	if x < 1 {
		return "under 1 " + unit
	}
	return fmt.Sprintf("about %.0f %s", x, unit)
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + thing
}
