package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"scoville/sweep/results/front"
)

// raced is a study of 20 designs.
func raced(objectives ...string) string {
	design := "[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 20, step = 1 }\n[replicates]\nn = 30\n[run]\nrace = true\n"
	for _, o := range objectives {
		design += fmt.Sprintf("[[objective]]\nmetric = %q\n", o)
	}
	return design
}

// contest makes a world of designs: what chance does to all of them alike, and a
// tenth of it to each alone, as common random numbers do it.
func contest(seed, designs int, truth func(point int) []float64) (world, [][]float64) {
	all := make([][]float64, designs) // means over all replicates
	w := func(point, replicate int) ([]float64, *bool) {
		out := slices.Clone(truth(point))
		for k := range out {
			out[k] += 0.3*normal(seed, 1000+k, replicate) + 0.03*normal(seed, 2000+100*k+point, replicate)
		}
		return out, nil
	}
	for i := range all {
		all[i] = make([]float64, len(truth(i)))
		for replicate := range 30 {
			x, _ := w(i, replicate)
			for k := range x {
				all[i][k] += x[k] / 30
			}
		}
	}
	return w, all
}

// A race finds what running everything finds, with a part of the runs.
func TestRaceEqualsTheExhaustiveRun(t *testing.T) {
	for name, c := range map[string]struct {
		objectives []string
		truth      func(point int) []float64
		saved      float64 // at least, share of the runs
	}{
		"one": {[]string{"ttft_p99_ms"}, func(i int) []float64 { return []float64{1 + 0.05*float64((i*7)%20)} }, 0.6},
		"two": {[]string{"ttft_p99_ms", "tpot_mean_ms"}, func(i int) []float64 {
			along, above := float64(i%5), float64(i/5) // five places on a front, three designs above each
			return []float64{1 + 0.5*along + 0.2*above, 3 - 0.5*along + 0.2*above}
		}, 0.5},
	} {
		p := planned(t, raced(c.objectives...))
		runs, wrong := 0, 0
		const seeds = 100
		for seed := range seeds {
			w, all := contest(seed, p.Len(), c.truth)
			counts, s := play(t, p, w, inTurn)
			left := make([][]float64, p.Len())
			for i := range left {
				runs += counts[i]
				if s.Fate(i).Dropped() {
					if want := s.Fate(i).Pruned; counts[i] != want || !slices.Contains(RaceLooks(30), want) {
						t.Fatalf("%s: design %d dropped after %d, has %d runs", name, i, want, counts[i])
					}
					continue
				}
				if left[i] = all[i]; counts[i] != 30 {
					t.Fatalf("%s: design %d is left with %d runs", name, i, counts[i])
				}
			}
			if !slices.Equal(front.Of(left), front.Of(all)) {
				wrong++
			}
		}
		saved := 1 - float64(runs)/float64(seeds*p.Runs())
		t.Logf("%s: another answer in %d of %d races; %.0f %% of the runs saved", name, wrong, seeds, 100*saved)
		if wrong > 0 || saved < c.saved {
			t.Errorf("%s: another answer in %d of %d races; %.0f %% of the runs saved", name, wrong, seeds, 100*saved)
		}
	}
}

// Of designs that are all alike a race drops the best by chance alone, and seldom:
// in at most RaceError of all races. The winner is the design with the best truth,
// here the first by a hair.
func TestRaceError(t *testing.T) {
	p := planned(t, raced("ttft_p99_ms"))
	wrong := 0
	const races = 400
	for seed := range races {
		_, s := play(t, p, func(point, replicate int) ([]float64, *bool) {
			return []float64{10 + normal(seed, point, replicate)}, nil // no common chance: the hardest case
		}, inTurn)
		if s.Fate(0).Dropped() {
			wrong++
		}
	}
	if share := float64(wrong) / races; share > RaceError {
		t.Errorf("one of equal designs is dropped in %.1f %% of races, allowed are %g %%", 100*share, 100*RaceError)
	}
}

// The order in which runs end decides nothing. Designs that fail or saturate leave
// without being dropped; one that saturates in some runs stays, and drops nobody.
func TestRaceOrderAndFailures(t *testing.T) {
	p := planned(t, raced("ttft_p99_ms"))
	no, yes := false, true
	w := func(point, replicate int) ([]float64, *bool) {
		x := []float64{10 + float64(point) + 0.01*normal(3, point, replicate)}
		switch point {
		case 0: // the best, but fails
			if replicate == 4 {
				return nil, nil
			}
		case 1: // the next, but saturated
			return []float64{1}, &no
		case 2: // the next, but saturated in some runs
			if replicate%5 == 0 {
				return []float64{1}, &no
			}
		case 19:
			return []float64{math.NaN()}, &yes
		}
		return x, &yes
	}
	counts, s := play(t, p, w, inTurn)
	want := []int{5, 5, 30, 30}
	for range 15 {
		want = append(want, 5)
	}
	want = append(want, 30) // without a value it cannot be judged
	if !slices.Equal(counts, want) {
		t.Errorf("replicates %v, want %v", counts, want)
	}
	for i := range p.Len() {
		if s.Fate(i).Dropped() != (i > 3 && i < 19) {
			t.Errorf("design %d: %+v", i, s.Fate(i))
		}
	}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		if other, _ := play(t, p, w, r.IntN); !slices.Equal(other, counts) {
			t.Fatalf("in another order: %v, was %v", other, counts)
		}
	}
}

// A design where nothing is random has one run, beats others with it, and is never
// dropped: there is nothing to save.
func TestRaceWithoutChance(t *testing.T) {
	p := planned(t, "[axes]\n\"workload.arrival\" = [\"constant\", \"poisson\", \"gamma\"]\n\"engine.max_num_seqs\" = [1, 2]\n[replicates]\nn = 10\n[run]\nrace = true\n[[objective]]\nmetric = \"ttft_p99_ms\"\n")
	counts, s := play(t, p, func(point, replicate int) ([]float64, *bool) {
		return []float64{float64(1+point) + 0.001*normal(1, point, replicate)}, nil
	}, inTurn)
	if !slices.Equal(counts, []int{1, 1, 5, 5, 5, 5}) || s.Fate(1) != nil || !s.Fate(2).Dropped() {
		t.Errorf("replicates %v", counts)
	}
	if got := RaceLooks(30); !slices.Equal(got, []int{5, 8, 12, 18, 27}) {
		t.Errorf("looks %v", got)
	}
}
