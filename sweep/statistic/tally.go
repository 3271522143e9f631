package statistic

import "math"

// Tally counts a flag over the ok runs.
type Tally struct{ yes, no, unknown int }

// Add takes the flag of a run; nil is unknown.
func (t *Tally) Add(b *bool) {
	switch {
	case b == nil:
		t.unknown++
	case *b:
		t.yes++
	default:
		t.no++
	}
}

// Most is what a verdict on single runs says of the point: true if more than
// half of all runs are, false if at least half are, else NULL. One false alarm
// of many must not condemn a point, nor one run that could be judged acquit it.
func (t Tally) Most() *bool {
	all := t.yes + t.no + t.unknown
	yes := 2*t.yes > all
	if !yes && (all == 0 || 2*t.no < all) {
		return nil
	}
	return &yes
}

// Every is false if any run is, NULL if none is known.
func (t Tally) Every() *bool {
	if t.yes+t.no == 0 {
		return nil
	}
	yes := t.no == 0
	return &yes
}

// Mean is a running mean that leaves NaN out; NaN if nothing is left.
type Mean struct {
	sum float64
	N   int // values so far
}

// Add takes a value.
func (m *Mean) Add(x float64) {
	if !math.IsNaN(x) {
		m.sum += x
		m.N++
	}
}

// Value is the mean so far.
func (m Mean) Value() float64 { return m.sum / float64(m.N) }

// MostFrequent returns the most frequent word, the earlier at a tie; "" of
// none.
func MostFrequent(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	best := ""
	for _, w := range words {
		if count[w] > count[best] {
			best = w
		}
	}
	return best
}
