package fit

import (
	"fmt"
	"math"
	"slices"
)

// Losses of a residual r in units of its sigma, scale k. All are r^2 for small
// r (Hampel et al. 1986; the names are scipy.optimize.least_squares').
const (
	Linear = "linear"  // r^2
	SoftL1 = "soft_l1" // 2 k^2 (sqrt(1 + (r/k)^2) - 1)
	Huber  = "huber"   // r^2 up to k, then 2 k |r| - k^2
	Cauchy = "cauchy"  // k^2 ln(1 + (r/k)^2)
)

// Losses lists the kinds of loss.
var Losses = [...]string{Linear, SoftL1, Huber, Cauchy}

// Loss is how much a residual counts. The zero value is Linear.
type Loss struct {
	Kind  string
	Scale float64 // residuals beyond it count less than squared
}

func (l Loss) check() error {
	if l.Kind == "" || l.Kind == Linear {
		return nil
	}
	if !slices.Contains(Losses[:], l.Kind) {
		return fmt.Errorf("no loss %q; the losses are linear, soft_l1, huber and cauchy", l.Kind)
	}
	if !(l.Scale > 0) || math.IsInf(l.Scale, 0) {
		return fmt.Errorf("loss %s needs a positive scale, not %g", l.Kind, l.Scale)
	}
	return nil
}

// of returns the loss of a residual and its weight, the derivative of the loss
// by r^2.
func (l Loss) of(r float64) (rho, weight float64) {
	k := l.Scale
	switch l.Kind {
	case SoftL1:
		s := math.Sqrt(1 + r*r/(k*k))
		return 2 * k * k * (s - 1), 1 / s
	case Huber:
		if a := math.Abs(r); a > k {
			return 2*k*a - k*k, k / a
		}
	case Cauchy:
		return k * k * math.Log1p(r*r/(k*k)), 1 / (1 + r*r/(k*k))
	}
	return r * r, 1
}

// curvature is the derivative of r x weight, half the second derivative of the
// loss: what residuals beyond the scale add to the information on a parameter.
// Where the loss is concave it counts as 0.
func (l Loss) curvature(r float64) float64 {
	u := r / l.Scale
	switch l.Kind {
	case SoftL1:
		return math.Pow(1+u*u, -1.5)
	case Huber:
		if math.Abs(u) > 1 {
			return 0
		}
	case Cauchy:
		return max(0, (1-u*u)/((1+u*u)*(1+u*u)))
	}
	return 1
}

// cost adds up the losses; +Inf when a residual is not a finite number.
func (l Loss) cost(residuals []float64) float64 {
	sum := 0.0
	for _, r := range residuals {
		rho, _ := l.of(r)
		sum += rho
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}
