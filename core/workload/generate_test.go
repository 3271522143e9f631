package workload

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// spec returns a workload with random lengths and two classes.
func spec(arrival string, cv float64) *Spec {
	return &Spec{
		Arrival: arrival, ArrivalCV: cv, RateScale: 1,
		Class: []Class{
			{Name: "a", Share: 1, Prompt: Dist{Kind: Uniform, Min: 1, Max: 1000}, Output: Dist{Kind: LogNormal, Mean: 200, CV: 0.8}},
			{Name: "b", Share: 3, Prompt: Dist{Kind: Fixed, Mean: 64}, Output: Dist{Kind: Uniform, Min: 10, Max: 20}},
		},
	}
}

func generate(s *Spec, rate float64, n int) []Request {
	g := Generator{Spec: s, Rate: rate, LengthRange: 1, Count: n, Seed: 11}
	return g.Append(nil)
}

// lengths returns the requests without their arrivals.
func lengths(reqs []Request) []Request {
	out := slices.Clone(reqs)
	for i := range out {
		out[i].Arrival = 0
	}
	return out
}

// TestDrawsKeyedByRequest changes everything about arrivals: request k keeps
// its class and its lengths.
func TestDrawsKeyedByRequest(t *testing.T) {
	want := lengths(generate(spec(Poisson, 1), 5, 300))
	limited := spec(Poisson, 1)
	limited.DurationS = 30
	for name, reqs := range map[string][]Request{
		"rate":      generate(spec(Poisson, 1), 50, 300),
		"more":      generate(spec(Poisson, 1), 5, 400),
		"constant":  generate(spec(Constant, 1), 5, 300),
		"gamma":     generate(spec(Gamma, 2), 5, 300),
		"burst":     generate(spec(Burst, 1), 0, 300),
		"closed":    generate(spec(Closed, 1), 0, 300),
		"duration":  generate(limited, 5, 0),
		"dst given": (&Generator{Spec: spec(Poisson, 1), Rate: 5, Count: 300, Seed: 11}).Append(make([]Request, 2))[2:],
	} {
		n := min(len(reqs), len(want))
		if n < 100 || !alike(lengths(reqs)[:n], want[:n]) {
			t.Errorf("%s: the first of %d requests changed", name, len(reqs))
		}
	}
	for name, g := range map[string]Generator{
		"seed":      {Spec: spec(Poisson, 1), Rate: 5, Count: 300, Seed: 0},
		"replicate": {Spec: spec(Poisson, 1), Rate: 5, Count: 300, Seed: 11, Replicate: 1},
	} {
		if alike(lengths(g.Append(nil)), want) {
			t.Errorf("%s: changed nothing", name)
		}
	}
}

// TestDrawsIndependent correlates what is drawn for one request.
func TestDrawsIndependent(t *testing.T) {
	const n = 20_000
	s := &Spec{Arrival: Poisson}
	for range 2 {
		s.Class = append(s.Class, Class{Share: 1, Prompt: Dist{Kind: Uniform, Max: 1000}, Output: Dist{Kind: Uniform, Max: 1000}})
	}
	reqs := generate(s, 1, n)
	var r [6]float64 // sums of products of variables with variance 1/12
	for k := 1; k < n; k++ {
		q := reqs[k]
		gap := 0.5 - math.Exp(reqs[k-1].Arrival-q.Arrival)
		prompt, output := float64(q.Prompt)/1000-0.5, float64(q.Output)/1000-0.5
		class := (float64(q.Class) - 0.5) / math.Sqrt(3)
		for i, v := range [6]float64{gap * prompt, gap * output, gap * class, prompt * output, prompt * class, output * class} {
			r[i] += 12 * v / n
		}
	}
	for i, v := range r {
		if math.Abs(v) > 4/math.Sqrt(n) {
			t.Errorf("pair %d of gap, prompt, output, class has correlation %.3f", i, v)
		}
	}
}

// TestRateScalesGaps: twice the rate halves every arrival time exactly.
func TestRateScalesGaps(t *testing.T) {
	for _, arrival := range []string{Poisson, Gamma, Constant} {
		slow, fast := generate(spec(arrival, 1.5), 2, 200), generate(spec(arrival, 1.5), 8, 200)
		for k := range slow {
			if slow[k].Arrival != 4*fast[k].Arrival || k > 0 && slow[k].Arrival < slow[k-1].Arrival {
				t.Fatalf("%s: request %d arrives at %v and, four times as fast, %v", arrival, k, slow[k].Arrival, fast[k].Arrival)
			}
		}
	}
}

// TestDeliveredRate measures mean and coefficient of variation of the gaps.
func TestDeliveredRate(t *testing.T) {
	for _, c := range []struct {
		arrival string
		cv      float64
		n       int
	}{
		{Constant, 0, 100}, {Poisson, 1, 50_000}, {Gamma, 0.2, 4_000}, {Gamma, 1, 4_000}, {Gamma, 2, 4_000}, {Gamma, 5, 2_000},
	} {
		reqs := generate(spec(c.arrival, c.cv), 7, c.n)
		n := float64(c.n)
		mean, last, sum2 := reqs[c.n-1].Arrival/n, 0.0, 0.0
		for _, r := range reqs {
			sum2 += math.Pow(r.Arrival-last-mean, 2)
			last = r.Arrival
		}
		if e := math.Abs(mean*7 - 1); e > 4*c.cv/math.Sqrt(n)+1e-12 {
			t.Errorf("%s cv %g: mean gap off by %.2g", c.arrival, c.cv, e)
		}
		// A gamma variable's kurtosis is 3 + 6 cv^2: the sample's cv has a
		// standard error of about cv sqrt((2 + 6 cv^2) / 4n).
		cv := math.Sqrt(sum2/n) / mean
		if e := math.Abs(cv - c.cv); e > 4*c.cv*math.Sqrt((2+6*c.cv*c.cv)/(4*n))+1e-6 {
			t.Errorf("%s cv %g: measured %.3f", c.arrival, c.cv, cv)
		}
	}
	for k, r := range generate(spec(Gamma, 1), 7, 50) {
		if want := generate(spec(Poisson, 1), 7, 50)[k]; math.Abs(r.Arrival-want.Arrival) > 1e-9 {
			t.Fatalf("gamma with cv 1 is not poisson: request %d at %v and %v", k, r.Arrival, want.Arrival)
		}
	}
}

// TestDuration cuts a stream at a horizon: the requests before it stay, and on
// average as many come as the rate says.
func TestDuration(t *testing.T) {
	const horizon, rate, replicates = 20, 10, 400
	s := spec(Poisson, 1)
	s.DurationS = horizon
	total := 0
	for r := range replicates {
		g := Generator{Spec: s, Rate: rate, Seed: 5, Replicate: r}
		cut := g.Append(nil)
		total += len(cut)
		if cap(cut) > 4*len(cut) {
			t.Fatalf("%d requests take memory for %d", len(cut), cap(cut))
		}
		if r > 3 {
			continue
		}
		g.Spec = spec(Poisson, 1)
		g.Count = len(cut) + 1
		whole := g.Append(nil)
		if !alike(cut, whole[:len(cut)]) || whole[len(cut)].Arrival <= horizon || cut[len(cut)-1].Arrival > horizon {
			t.Errorf("replicate %d: not the requests of the first %d s", r, horizon)
		}
	}
	want := float64(horizon * rate * replicates)
	if z := (float64(total) - want) / math.Sqrt(want); math.Abs(z) > 4 {
		t.Errorf("%d requests, want %.0f: %.1f standard errors off", total, want, z)
	}
	s.Requests = 3
	if n := len(generate(s, rate, 3)); n != 3 {
		t.Errorf("%d requests, the count allows 3", n)
	}
}

func TestAllAtOnce(t *testing.T) {
	for _, arrival := range []string{Burst, Closed} {
		s := spec(arrival, 1)
		s.DurationS = 10 // no horizon for them
		reqs := generate(s, 0, 40)
		if len(reqs) != 40 || reqs[39].Arrival != 0 {
			t.Errorf("%s: %d requests, last at %v", arrival, len(reqs), reqs[len(reqs)-1].Arrival)
		}
	}
}

func TestClassShares(t *testing.T) {
	const n = 40_000
	s := &Spec{Arrival: Burst}
	for _, share := range []float64{0, 1, 3, 0, 4, 0} {
		s.Class = append(s.Class, Class{Share: share, Prompt: Dist{Mean: 1}, Output: Dist{Mean: 1}})
	}
	count := make([]float64, len(s.Class))
	for _, r := range generate(s, 0, n) {
		count[r.Class]++
	}
	for i, c := range s.Class {
		p := c.Share / 8
		if math.Abs(count[i]-n*p) > 4*math.Sqrt(n*p*(1-p)) {
			t.Errorf("class %d: %.0f of %d requests, share %g", i, count[i], n, p)
		}
	}
}

// TestDist integrates each distribution over evenly spaced draws and compares
// mean and coefficient of variation, and the range, with theory.
func TestDist(t *testing.T) {
	const n = 4000
	flat := func(lo, hi float64) float64 { return math.Sqrt((math.Pow(hi-lo+1, 2)-1)/12) / ((lo + hi) / 2) }
	for _, c := range []struct {
		name       string
		d          Dist
		r          float64 // length range
		mean, cv   float64 // NaN: not asked
		low, large int32   // range of the draws; 0 = not asked
	}{
		{"fixed", Dist{Kind: Fixed, Mean: 512}, 1, 512, 0, 512, 512},
		{"fixed, no range", Dist{Kind: Fixed, Mean: 512}, 0, 512, 0, 512, 512},
		{"fixed, ranged", Dist{Kind: Fixed, Mean: 1000}, 0.8, 900, flat(800, 1000), 800, 1000},
		{"fixed, wide", Dist{Kind: Fixed, Mean: 4}, 0.1, 2.5, flat(1, 4), 1, 4},
		{"fixed, ranged, cut", Dist{Kind: Fixed, Mean: 1000, Max: 850}, 0.8, math.NaN(), math.NaN(), 800, 850},
		{"uniform", Dist{Kind: Uniform, Min: 100, Max: 300}, 1, 200, flat(100, 300), 100, 300},
		{"uniform from 0", Dist{Kind: Uniform, Max: 3}, 0.5, 2, flat(1, 3), 1, 3},
		{"uniform, fractions", Dist{Kind: Uniform, Min: 1.5, Max: 4.5}, 1, 3, flat(2, 4), 2, 4},
		{"lognormal", Dist{Kind: LogNormal, Mean: 5000, CV: 0.8}, 0.5, 5000, 0.8, 0, 0},
		{"lognormal, constant", Dist{Kind: LogNormal, Mean: 300}, 1, 300, 0, 300, 300},
		{"gamma", Dist{Kind: GammaDist, Mean: 5000, CV: 0.5}, 0.5, 5000, 0.5, 0, 0},
		{"gamma, long tail", Dist{Kind: GammaDist, Mean: 5000, CV: 1.5}, 1, 5000, 1.5, 1, 0},
		{"gamma, constant", Dist{Kind: GammaDist, Mean: 300}, 1, 300, 0, 300, 300},
		{"lognormal, cut", Dist{Kind: LogNormal, Mean: 256, CV: 2, Min: 16, Max: 512}, 1, math.NaN(), math.NaN(), 16, 512},
		{"gamma, cut at fractions", Dist{Kind: GammaDist, Mean: 30, CV: 1, Min: 10.4, Max: 40.6}, 1, math.NaN(), math.NaN(), 11, 40},
		{"lognormal, huge", Dist{Kind: LogNormal, Mean: 1e8, CV: 100}, 1, math.NaN(), math.NaN(), 0, math.MaxInt32 / 4},
		{"empirical", Dist{Kind: Empirical, Values: []float64{10, 20, 20, 50}}, 0.5, 25, 0.6, 10, 50},
		{"empirical, cut", Dist{Kind: Empirical, Values: []float64{10, 20, 20, 50}, Max: 30}, 1, 20, math.Sqrt(50) / 20, 10, 30},
	} {
		var sum, sum2 float64
		low, large := int32(math.MaxInt32), int32(0)
		for k := range n {
			v := c.d.draw((float64(k)+0.5)/n, c.r)
			low, large = min(low, v), max(large, v)
			sum += float64(v)
			sum2 += float64(v) * float64(v)
		}
		mean := sum / n
		cv := math.Sqrt(max(0, sum2/n-mean*mean)) / mean
		if math.Abs(mean/c.mean-1) > 0.002 {
			t.Errorf("%s: mean %.1f, want %.1f", c.name, mean, c.mean)
		}
		if math.Abs(cv-c.cv) > 0.01*c.cv+1e-9 {
			t.Errorf("%s: cv %.4f, want %.4f", c.name, cv, c.cv)
		}
		if low < 1 || c.low > 0 && low != c.low || c.large > 0 && large != c.large {
			t.Errorf("%s: from %d to %d, want %d to %d", c.name, low, large, c.low, c.large)
		}
	}
}

// TestAppendTrace replays records under each limit.
func TestAppendTrace(t *testing.T) {
	records := []Record{{0, 900, 5, nil}, {10, 100, 5, nil}, {14, 200, 80, nil}, {14, 300, 8, nil}, {30, 400, 9, nil}}
	for _, c := range []struct {
		name  string
		spec  Spec
		count int
		want  []Request
	}{
		{"whole", Spec{}, 0, []Request{{0, 900, 5, 0, nil}, {10, 100, 5, 0, nil}, {14, 200, 80, 0, nil}, {14, 300, 8, 0, nil}, {30, 400, 9, 0, nil}}},
		{"count", Spec{}, 2, []Request{{0, 900, 5, 0, nil}, {10, 100, 5, 0, nil}}},
		{"count above", Spec{}, 9, []Request{{0, 900, 5, 0, nil}, {10, 100, 5, 0, nil}, {14, 200, 80, 0, nil}, {14, 300, 8, 0, nil}, {30, 400, 9, 0, nil}}},
		{"scale", Spec{RateScale: 2}, 2, []Request{{0, 900, 5, 0, nil}, {5, 100, 5, 0, nil}}},
		{"prompt limit moves the start", Spec{MaxPrompt: 200}, 0, []Request{{0, 100, 5, 0, nil}, {4, 200, 80, 0, nil}}},
		{"output limit", Spec{MaxOutput: 8}, 0, []Request{{0, 900, 5, 0, nil}, {10, 100, 5, 0, nil}, {14, 300, 8, 0, nil}}},
		{"duration", Spec{DurationS: 14}, 0, []Request{{0, 900, 5, 0, nil}, {10, 100, 5, 0, nil}, {14, 200, 80, 0, nil}, {14, 300, 8, 0, nil}}},
		{"duration after scaling", Spec{DurationS: 5, RateScale: 2}, 0, []Request{{0, 900, 5, 0, nil}, {5, 100, 5, 0, nil}}},
		{"nothing left", Spec{MaxPrompt: 1}, 0, nil},
	} {
		c.spec.Arrival, c.spec.Records = Trace, records
		if c.spec.RateScale == 0 {
			c.spec.RateScale = 1
		}
		for r := range 2 { // a replicate repeats the trace
			g := Generator{Spec: &c.spec, Rate: 99, Count: c.count, Seed: 1, Replicate: r}
			if got := g.Append(nil); !alike(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name, arrival string
		cv            float64
	}{{"poisson", Poisson, 1}, {"gamma-cv0.5", Gamma, 0.5}, {"gamma-cv2", Gamma, 2}, {"burst", Burst, 1}} {
		b.Run(c.name, func(b *testing.B) {
			g := Generator{Spec: spec(c.arrival, c.cv), Rate: 5, LengthRange: 1, Count: 1000, Seed: 1}
			var dst []Request
			b.ReportAllocs()
			for b.Loop() {
				dst = g.Append(dst[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/request")
		})
	}
}

// alike compares requests field by field.
func alike(a, b []Request) bool {
	return slices.EqualFunc(a, b, func(a, b Request) bool { return reflect.DeepEqual(a, b) })
}

// Whoever asks for millions of requests can have them end early.
func TestCut(t *testing.T) {
	g := Generator{
		Spec: &Spec{Arrival: Poisson, Class: []Class{{Share: 1, Prompt: Dist{Kind: Fixed, Mean: 10}, Output: Dist{Kind: Fixed, Mean: 10}}}},
		Rate: 1, LengthRange: 1, Count: 1_000_000,
	}
	asked := 0
	g.Cut = func() bool { asked++; return asked == 2 }
	if n := len(g.Append(nil)); asked != 2 || n == 0 || n > 200_000 {
		t.Errorf("%d requests after being asked %d times", n, asked)
	}
}
