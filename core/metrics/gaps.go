package metrics

import "math"

// gapSelector finds order statistics of a multiset of arithmetic progressions
// without listing their elements: quickselect in which a pivot splits each
// progression in two.
type gapSelector struct {
	below, above, work []Gap
}

// last returns the largest latency of a gap.
func (g *Gap) last() float64 { return g.at(g.Steps - 1) }

func (g *Gap) at(k int32) float64 { return g.Start + g.Slope*float64(k) }

func (g *Gap) count() int64 { return int64(g.Steps) * int64(g.Weight) }

// cut returns how many latencies of g are below v (or at most v).
func (g *Gap) cut(v float64, orEqual bool) int32 {
	in := func(k int32) bool { x := g.at(k); return x < v || orEqual && x == v }
	if !in(0) {
		return 0
	}
	if in(g.Steps - 1) {
		return g.Steps
	}
	k := min(max(int32((v-g.Start)/g.Slope), 0), g.Steps-1)
	for !in(k) {
		k--
	}
	for in(k + 1) {
		k++
	}
	return k + 1
}

// piece returns latencies from up to but not including to.
func (g *Gap) piece(from, to int32) Gap {
	return Gap{Start: g.at(from), Slope: g.Slope, Steps: to - from, Weight: g.Weight}
}

// rank returns the latency of rank r, from 0.
func (s *gapSelector) rank(gaps []Gap, r int64) float64 {
	s.work = append(s.work[:0], gaps...)
	for {
		p := s.pivot()
		s.below, s.above = s.below[:0], s.above[:0]
		var below, equal int64
		for i := range s.work {
			g := &s.work[i]
			lo, hi := g.cut(p, false), g.cut(p, true)
			if lo > 0 {
				below += int64(lo) * int64(g.Weight)
				s.below = append(s.below, g.piece(0, lo))
			}
			equal += int64(hi-lo) * int64(g.Weight)
			if hi < g.Steps {
				s.above = append(s.above, g.piece(hi, g.Steps))
			}
		}
		switch {
		case r < below:
			s.work, s.below = s.below, s.work
		case r < below+equal:
			return p
		default:
			r -= below + equal
			s.work, s.above = s.above, s.work
		}
	}
}

// pivot returns the median of the middle latencies of three gaps.
func (s *gapSelector) pivot() float64 {
	n := len(s.work)
	a, b, c := s.middle(0), s.middle(n/2), s.middle(n-1)
	return max(min(a, b), min(max(a, b), c))
}

func (s *gapSelector) middle(i int) float64 { return s.work[i].at(s.work[i].Steps / 2) }

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
			v := s.rank(gaps, k)
			if f := h - float64(k); f > 0 {
				v += f * (s.rank(gaps, k+1) - v)
			}
			d.stats[i] = v
		}
	}
}
