package fit

import (
	"math"
	"testing"
)

// pooled is a problem of three alike quantities: the data tell the first two
// exactly, and nothing of the third.
func pooled(correlation float64) *Problem {
	p := &Problem{Units: 2}
	for _, name := range []string{"a", "b", "c"} {
		p.Params = append(p.Params, Param{Name: name, Init: 10, Min: 0, Max: math.Inf(1), Log: true, Prior: Prior{10, 0.5}})
	}
	p.Pools = []Pool{{[]int{0, 1, 2}, correlation}}
	p.Eval = func(points [][]float64, units []int) ([][]float64, error) {
		out := make([][]float64, len(points))
		for k, x := range points {
			for _, u := range units {
				out[k] = append(out[k], 1e4*math.Log(x[u]/20))
			}
		}
		return out, nil
	}
	return p
}

// A member without data lands where the others are, as far as the correlation
// says, with what is left of its prior as the uncertainty: the conditional mean
// and variance of a joint normal.
func TestPool(t *testing.T) {
	for _, rho := range []float64{0, 0.5, 0.9} {
		r, err := Run(pooled(rho), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		weight := 2 * rho / (1 + rho) // of the mean deviation of two others
		want := 10 * math.Exp(weight*math.Log(2))
		sd := 0.5 * math.Sqrt(1-rho*weight)
		if got := r.Values[2]; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("correlation %g: %g, want %g", rho, got, want)
		}
		if got := math.Sqrt(r.Covariance.At(2, 2)); math.Abs(got/sd-1) > 1e-2 {
			t.Errorf("correlation %g: sd %g, want %g", rho, got, sd)
		}
	}
}

func TestBadPools(t *testing.T) {
	for _, pools := range [][]Pool{
		{{[]int{0, 1}, 1}},
		{{[]int{0, 3}, 0.5}},
		{{[]int{0, 1}, 0.5}, {[]int{1, 2}, 0.5}},
	} {
		p := pooled(0)
		if p.Pools = pools; p.check() == nil {
			t.Errorf("%v is accepted", pools)
		}
	}
	p := pooled(0.5)
	p.Params[1].Prior = Prior{}
	if p.check() == nil {
		t.Error("a member without a prior is accepted")
	}
}
