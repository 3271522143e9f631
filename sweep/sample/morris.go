package sample

import "scoville/core/workload"

// morris fills in row i: the start of its trajectory, then the changes of the
// first dimensions of a random order (M. D. Morris, Technometrics 33, 161-174,
// 1991). The grid of a coordinate is 0, 1/3, 2/3, 1 and a change is 2/3, of
// either sign: p = 4 levels and delta = p/(2(p-1)). For a distribution it is
// 1/8, 3/8, 5/8, 7/8 and 1/2.
func (d *Design) morris(x []float64, i int) {
	trajectory, steps := i/d.Block(), i%d.Block()
	s := d.stream("morris", trajectory)
	for j := range x {
		draw := int(4 * s.Uniform(j)) // which of the two low levels, and which way it goes
		level := draw & 1
		if down := draw>>1 == 1; down != (order(s, j, len(x)) < steps) {
			level += 2 // before a step down, or after one up
		}
		x[j] = float64(level) / 3
		if j < len(d.Dims) && d.Dims[j].Kind != Range && d.Dims[j].Kind != Levels {
			x[j] = (float64(level) + 0.5) / 4
		}
	}
}

// order is when the trajectory changes dimension j of width: 0 is first.
func order(s workload.Stream, j, width int) int {
	mine, before := s.Uniform(width+j), 0
	for k := range width {
		if u := s.Uniform(width + k); u < mine || u == mine && k < j {
			before++
		}
	}
	return before
}

// Move is the dimension that row i of a Morris design changes against the row
// before it; false at the start of a trajectory.
func (d *Design) Move(i int) (dimension int, ok bool) {
	if d.Method != Morris || i%d.Block() == 0 {
		return 0, false
	}
	trajectory, steps := i/d.Block(), i%d.Block()
	s, width := d.stream("morris", trajectory), d.Width()
	for j := range width {
		if order(s, j, width) == steps-1 {
			return j, true
		}
	}
	return 0, false
}
