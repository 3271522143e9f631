package metrics

import (
	"math"
	"slices"

	"scoville/core/internal/bulk"
)

// gapSelector finds order statistics of a multiset of arithmetic progressions
// without listing their elements: quickselect in which a pivot splits each
// progression in two.
type gapSelector struct {
	arena []Gap
	ranks []int64
	found []float64
}

// last returns the largest latency of a gap.
func (g *Gap) last() float64 { return g.at(g.Steps - 1) }

func (g *Gap) at(k int32) float64 { return g.Start + g.Slope*float64(k) }

func (g *Gap) count() int64 { return int64(g.Steps) * int64(g.Weight) }

// cut returns how many latencies of g are below v, and how many at most v.
// Slope is not negative.
func (g *Gap) cut(v float64) (below, upTo int32) {
	switch {
	case g.Start > v:
		return 0, 0
	case g.Start == v:
		below = 0
	case g.last() < v:
		return g.Steps, g.Steps
	default: // Start < v <= last, so that Slope is positive
		below = min(max(int32((v-g.Start)/g.Slope), 0), g.Steps-1)
		for g.at(below) >= v {
			below--
		}
		for below++; g.at(below) < v; {
			below++
		}
	}
	if g.at(below) != v {
		return below, below
	}
	if g.Slope == 0 {
		return below, g.Steps
	}
	return below, below + 1
}

// piece returns latencies from up to but not including to.
func (g *Gap) piece(from, to int32) Gap {
	return Gap{Start: g.at(from), Slope: g.Slope, Steps: to - from, Weight: g.Weight}
}

// find appends to found the latencies of the ranks, ascending from 0, among
// arena[lo:], of which base smaller ones have been set aside. It overwrites
// that part of the arena.
func (s *gapSelector) find(lo int, base int64, ranks []int64) {
	for len(ranks) > 0 {
		p := s.pivot(s.arena[lo:])
		hi := len(s.arena)
		above := lo
		below, equal := base, int64(0)
		for i := lo; i < hi; i++ {
			g := s.arena[i]
			n, m := g.cut(p)
			if n > 0 {
				below += int64(n) * int64(g.Weight)
				s.arena = bulk.Append(s.arena, g.piece(0, n))
			}
			equal += int64(m-n) * int64(g.Weight)
			if m < g.Steps {
				s.arena[above] = g.piece(m, g.Steps)
				above++
			}
		}
		k := 0
		for k < len(ranks) && ranks[k] < below {
			k++
		}
		s.find(hi, base, ranks[:k])
		for ; k < len(ranks) && ranks[k] < below+equal; k++ {
			s.found = append(s.found, p)
		}
		base, ranks = below+equal, ranks[k:]
		s.arena = s.arena[:above]
	}
}

// pivot returns the median of the middle latencies of three gaps.
func (s *gapSelector) pivot(gaps []Gap) float64 {
	n := len(gaps)
	a, b, c := middle(&gaps[0]), middle(&gaps[n/2]), middle(&gaps[n-1])
	return max(min(a, b), min(max(a, b), c))
}

func middle(g *Gap) float64 { return g.at(g.Steps / 2) }

// ofGaps fills the statistics of inter-token latencies, each gap counted
// Steps x Weight times. Pieces keep the start they were cut at, so equal
// latencies may differ in the last bit.
func (d *distribution) ofGaps(s *gapSelector, gaps []Gap, stats []string) {
	var n int64
	sum, largest := 0.0, math.Inf(-1)
	for i := range gaps {
		g := &gaps[i]
		n += g.count()
		k := float64(g.Steps)
		sum += float64(g.Weight) * (k*g.Start + g.Slope*(k*(k-1)/2))
		largest = max(largest, g.last())
	}
	s.ranks, s.found = s.ranks[:0], s.found[:0]
	for _, name := range stats {
		if p, ok := quantileStats[name]; ok && n > 0 {
			k := int64(p * float64(n-1))
			s.ranks = append(s.ranks, k, min(k+1, n-1))
		}
	}
	slices.Sort(s.ranks)
	s.arena = bulk.AppendAll(s.arena[:0], gaps)
	s.find(0, 0, s.ranks)
	for i, name := range stats {
		switch {
		case n == 0:
			d.stats[i] = math.NaN()
		case name == "mean":
			d.stats[i] = sum / float64(n)
		case name == "max":
			d.stats[i] = largest
		default:
			h := quantileStats[name] * float64(n-1)
			k := int64(h)
			at, _ := slices.BinarySearch(s.ranks, k)
			next, _ := slices.BinarySearch(s.ranks, min(k+1, n-1))
			d.stats[i] = s.found[at] + (h-float64(k))*(s.found[next]-s.found[at])
		}
	}
}
