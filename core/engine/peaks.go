package engine

import (
	"math"

	"scoville/core/perf"
)

// Window is the length in seconds of the windows whose utilisation is tracked.
const Window = 0.1

// tracked are the resources with a datasheet rate.
var tracked = [...]perf.Resource{perf.Compute, perf.Weights, perf.State, perf.Link}

// NumTracked is the number of tracked utilisations: compute, weight memory, KV
// memory, link, and weight and KV memory together.
const NumTracked = len(tracked) + 1

// peaks finds the largest utilisation in any window [i, i+1) x Window.
type peaks struct {
	open float64             // number of the window now open
	busy [NumTracked]float64 // s of use in it
	most [NumTracked]float64 // s of use in the busiest window
}

func (p *peaks) reset() { *p = peaks{} }

// end returns the end of the open window. Ends are products, so that no error
// adds up.
func (p *peaks) end() float64 { return (p.open + 1) * Window }

// lines returns the tracked uses of a step.
func lines(c *perf.Cost) [NumTracked]perf.Line {
	var l [NumTracked]perf.Line
	for i, r := range tracked {
		l[i] = c.Busy[r]
	}
	w, s := l[1], l[2]
	l[4] = perf.Line{Value: w.Value + s.Value, Slope: w.Slope + s.Slope}
	return l
}

// add notes m steps that begin at time now, take total seconds and use each
// resource for sums seconds. Use is even within a step, and the use per second
// moves one way over like steps, so that of the windows within the steps only
// the first and the last can be the busiest.
func (p *peaks) add(now, total float64, sums *[perf.NumResources]float64, c *perf.Cost, m int) {
	if now >= p.end() {
		p.skip(now)
	}
	if now+total < p.end() {
		for i, r := range tracked {
			p.busy[i] += sums[r]
		}
		p.busy[len(tracked)] += sums[perf.Weights] + sums[perf.State]
		return
	}
	use := lines(c)
	first := p.end() - now
	whole := math.Floor((total - first) / Window) // windows within the steps
	var rest [NumTracked]float64
	if p.quiet(&use, c.Total, first, m) {
		rest = upTo(&use, c.Total, first+max(whole, 0)*Window, m)
	} else {
		rest = p.compare(&use, c.Total, first, whole, m)
	}
	for i := range p.busy {
		p.busy[i] = use[i].Sum(float64(m)) - rest[i]
	}
	p.open += whole + 1
}

// quiet reports whether no window that ends within m steps can be the busiest:
// not the open one with its next `first` seconds at the highest use per second,
// nor a whole window of that. The highest is at an end of the steps.
func (p *peaks) quiet(use *[NumTracked]perf.Line, time perf.Line, first float64, m int) bool {
	const rounding = 1 + 1e-9
	last := float64(m - 1)
	begin, end := rounding/time.Value, rounding/time.At(last)
	for i, l := range use {
		highest := max(l.Value*begin, l.At(last)*end)
		if !(max(p.busy[i]+first*highest, Window*highest) <= p.most[i]) {
			return false
		}
	}
	return true
}

// compare notes the windows that end within m steps, of which the first ends
// after `first` seconds, and returns the use up to the end of the last one.
func (p *peaks) compare(use *[NumTracked]perf.Line, time perf.Line, first, whole float64, m int) [NumTracked]float64 {
	before := upTo(use, time, first, m)
	for i := range p.most {
		p.most[i] = max(p.most[i], p.busy[i]+before[i])
	}
	if whole <= 0 {
		return before
	}
	second := upTo(use, time, first+Window, m)
	rest, last := second, before
	if whole > 1 {
		rest = upTo(use, time, first+whole*Window, m)
		last = upTo(use, time, first+(whole-1)*Window, m)
	}
	for i := range p.most {
		p.most[i] = max(p.most[i], second[i]-before[i], rest[i]-last[i])
	}
	return rest
}

// upTo returns the use in the first t seconds of m steps.
func upTo(use *[NumTracked]perf.Line, time perf.Line, t float64, m int) (sum [NumTracked]float64) {
	k, part := position(time, t, m)
	for i, l := range use {
		sum[i] = l.Sum(k) + part*l.At(k)
	}
	return sum
}

// skip closes the open window and moves to the one that holds time now.
func (p *peaks) skip(now float64) {
	for i := range p.busy {
		p.most[i] = max(p.most[i], p.busy[i])
		p.busy[i] = 0
	}
	p.open = math.Floor(now / Window)
}

// position returns how many whole steps of m end by time t after their start,
// and the part of the next one that has passed.
func position(l perf.Line, t float64, m int) (k, part float64) {
	n := min(stepsUntil(l, t), m)
	for n > 0 && l.Sum(float64(n)) > t {
		n--
	}
	if n == m {
		return float64(n), 0
	}
	return float64(n), min(max((t-l.Sum(float64(n)))/l.At(float64(n)), 0), 1)
}

// finish closes the last window and returns the largest utilisations.
func (p *peaks) finish() (most [NumTracked]float64) {
	for i := range most {
		most[i] = max(p.most[i], p.busy[i]) / Window
	}
	return most
}
