package fit

import (
	"math"
	"testing"
)

// certified is a nonlinear regression set of the NIST Statistical Reference
// Datasets (www.itl.nist.gov/div898/strd): data, both official starts, and
// the certified parameters, their standard deviations and the residual sum of
// squares, of which all printed digits are right. nil deviations are not
// compared.
type certified struct {
	name   string
	xy     []float64 // x, y pairs
	f      func(b []float64, x float64) float64
	starts [2][]float64
	want   []float64
	sd     []float64
	rss    float64
}

var nist = []certified{
	{
		name: "Misra1a",
		xy: []float64{
			77.6, 10.07, 114.9, 14.73, 141.1, 17.94, 190.8, 23.93, 239.9, 29.61, 289.0, 35.18, 332.8, 40.02,
			378.4, 44.82, 434.8, 50.76, 477.3, 55.05, 536.8, 61.01, 593.1, 66.40, 689.1, 75.47, 760.0, 81.78,
		},
		f:      func(b []float64, x float64) float64 { return b[0] * (1 - math.Exp(-b[1]*x)) },
		starts: [2][]float64{{500, 0.0001}, {250, 0.0005}},
		want:   []float64{2.3894212918e+02, 5.5015643181e-04},
		sd:     []float64{2.7070075241e+00, 7.2668688436e-06},
		rss:    1.2455138894e-01,
	},
	{
		name:   "DanWood",
		xy:     []float64{1.309, 2.138, 1.471, 3.421, 1.490, 3.597, 1.565, 4.340, 1.611, 4.882, 1.680, 5.660},
		f:      func(b []float64, x float64) float64 { return b[0] * math.Pow(x, b[1]) },
		starts: [2][]float64{{1, 5}, {0.7, 4}},
		want:   []float64{7.6886226176e-01, 3.8604055871e+00},
		rss:    4.3173084083e-03,
	},
	{
		name:   "BoxBOD",
		xy:     []float64{1, 109, 2, 149, 3, 149, 5, 191, 7, 213, 10, 224},
		f:      func(b []float64, x float64) float64 { return b[0] * (1 - math.Exp(-b[1]*x)) },
		starts: [2][]float64{{1, 1}, {100, 0.75}},
		want:   []float64{2.1380940889e+02, 5.4723748542e-01},
		rss:    1.1680088766e+03,
	},
	{
		name: "MGH09",
		xy: []float64{
			4, 0.1957, 2, 0.1947, 1, 0.1735, 0.5, 0.1600, 0.25, 0.0844, 0.167, 0.0627,
			0.125, 0.0456, 0.1, 0.0342, 0.0833, 0.0323, 0.0714, 0.0235, 0.0625, 0.0246,
		},
		f: func(b []float64, x float64) float64 {
			return b[0] * (x*x + x*b[1]) / (x*x + x*b[2] + b[3])
		},
		starts: [2][]float64{{25, 39, 41.5, 39}, {0.25, 0.39, 0.415, 0.39}},
		want:   []float64{1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01},
		rss:    3.0750560385e-04,
	},
	{
		name: "MGH10",
		xy: []float64{
			50, 34780, 55, 28610, 60, 23650, 65, 19630, 70, 16370, 75, 13720, 80, 11540, 85, 9744,
			90, 8261, 95, 7030, 100, 6005, 105, 5147, 110, 4427, 115, 3820, 120, 3307, 125, 2872,
		},
		f:      func(b []float64, x float64) float64 { return b[0] * math.Exp(b[1]/(x+b[2])) },
		starts: [2][]float64{{2, 400000, 25000}, {0.02, 4000, 250}},
		want:   []float64{5.6096364710e-03, 6.1813463463e+03, 3.4522363462e+02},
		rss:    8.7945855171e+01,
	},
	{
		name: "Rat42",
		xy: []float64{
			9, 8.930, 14, 10.800, 21, 18.590, 28, 22.330, 42, 39.350, 57, 56.110, 63, 61.730, 70, 64.620, 79, 67.080,
		},
		f:      func(b []float64, x float64) float64 { return b[0] / (1 + math.Exp(b[1]-b[2]*x)) },
		starts: [2][]float64{{100, 1, 0.1}, {75, 2.5, 0.07}},
		want:   []float64{7.2462237576e+01, 2.6180768402e+00, 6.7359200066e-02},
		rss:    8.0565229338e+00,
	},
	{
		name: "Rat43",
		xy: []float64{
			1, 16.08, 2, 33.83, 3, 65.80, 4, 97.20, 5, 191.55, 6, 326.20, 7, 386.87, 8, 520.53,
			9, 590.03, 10, 651.92, 11, 724.93, 12, 699.56, 13, 689.96, 14, 637.56, 15, 717.41,
		},
		f:      func(b []float64, x float64) float64 { return b[0] / math.Pow(1+math.Exp(b[1]-b[2]*x), 1/b[3]) },
		starts: [2][]float64{{100, 10, 1, 1}, {700, 5, 0.75, 1.3}},
		want:   []float64{6.9964151270e+02, 5.2771253025e+00, 7.5962938329e-01, 1.2792483859e+00},
		rss:    8.7864049080e+03,
	},
	{
		name: "Thurber",
		xy: []float64{
			-3.067, 80.574, -2.981, 84.248, -2.921, 87.264, -2.912, 87.195, -2.840, 89.076, -2.797, 89.608, -2.702, 89.868,
			-2.699, 90.101, -2.633, 92.405, -2.481, 95.854, -2.363, 100.696, -2.322, 101.060, -1.501, 401.672, -1.460, 390.724,
			-1.274, 567.534, -1.212, 635.316, -1.100, 733.054, -1.046, 759.087, -0.915, 894.206, -0.714, 990.785, -0.566, 1090.109,
			-0.545, 1080.914, -0.400, 1122.643, -0.309, 1178.351, -0.109, 1260.531, -0.103, 1273.514, 0.010, 1288.339, 0.119, 1327.543,
			0.377, 1353.863, 0.790, 1414.509, 0.963, 1425.208, 1.006, 1421.384, 1.115, 1442.962, 1.572, 1464.350, 1.841, 1468.705,
			2.047, 1447.894, 2.200, 1457.628,
		},
		f: func(b []float64, x float64) float64 {
			return (b[0] + x*(b[1]+x*(b[2]+x*b[3]))) / (1 + x*(b[4]+x*(b[5]+x*b[6])))
		},
		starts: [2][]float64{{1000, 1000, 400, 40, 0.7, 0.3, 0.03}, {1300, 1500, 500, 75, 1, 0.4, 0.05}},
		want: []float64{
			1.2881396800e+03, 1.4910792535e+03, 5.8323836877e+02, 7.5416644291e+01,
			9.6629502864e-01, 3.9797285797e-01, 4.9727297349e-02,
		},
		sd: []float64{
			4.6647963344e+00, 3.9571156086e+01, 2.8698696102e+01, 5.5675370270e+00,
			3.1333340687e-02, 1.4984928198e-02, 6.5842344623e-03,
		},
		rss: 5.6427082397e+03,
	},
	{
		name: "Eckerle4",
		xy: []float64{
			400, 0.0001575, 405, 0.0001699, 410, 0.0002350, 415, 0.0003102, 420, 0.0004917, 425, 0.0008710, 430, 0.0017418,
			435, 0.0046400, 436.5, 0.0065895, 438, 0.0097302, 439.5, 0.0149002, 441, 0.0237310, 442.5, 0.0401683, 444, 0.0712559,
			445.5, 0.1264458, 447, 0.2073413, 448.5, 0.2902366, 450, 0.3445623, 451.5, 0.3698049, 453, 0.3668534, 454.5, 0.3106727,
			456, 0.2078154, 457.5, 0.1164354, 459, 0.0616764, 460.5, 0.0337200, 462, 0.0194023, 463.5, 0.0117831, 465, 0.0074357,
			470, 0.0022732, 475, 0.0008800, 480, 0.0004579, 485, 0.0002345, 490, 0.0001586, 495, 0.0001143, 500, 0.0000710,
		},
		f: func(b []float64, x float64) float64 {
			return b[0] / b[1] * math.Exp(-0.5*math.Pow((x-b[2])/b[1], 2))
		},
		starts: [2][]float64{{1, 10, 500}, {1.5, 5, 450}},
		want:   []float64{1.5543827178e+00, 4.0888321754e+00, 4.5154121844e+02},
		rss:    1.4635887487e-03,
	},
}

// problem makes a fit of a certified set: squares, no bounds.
func (c *certified) problem(start []float64) *Problem {
	p := &Problem{Units: len(c.xy) / 2}
	for i, b := range start {
		p.Params = append(p.Params, Param{Name: string(rune('a' + i)), Init: b, Min: math.Inf(-1), Max: math.Inf(1)})
	}
	p.Eval = func(points [][]float64, units []int) ([][]float64, error) {
		out := make([][]float64, len(points))
		for k, b := range points {
			for _, u := range units {
				out[k] = append(out[k], c.f(b, c.xy[2*u])-c.xy[2*u+1])
			}
		}
		return out, nil
	}
	return p
}

// TestCertified reproduces the certified parameters to six digits from the
// second start of every set, and from the first, far one except where a
// search without a global part is known to leave (MGH10 needs more iterations,
// Eckerle4 and BoxBOD run away).
func TestCertified(t *testing.T) {
	far := map[string]bool{"MGH10": true, "Eckerle4": true, "BoxBOD": true}
	for _, c := range nist {
		for i, start := range c.starts {
			if i == 0 && far[c.name] {
				continue
			}
			r, err := Run(c.problem(start), Settings{Step: 1e-5, Tolerance: 1e-13, MaxIterations: 500})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != Converged {
				t.Errorf("%s start %d: %s", c.name, i+1, r.Status)
			}
			if d := digits(r.Cost, c.rss); d < 8 {
				t.Errorf("%s start %d: sum of squares %.10e, want %.10e", c.name, i+1, r.Cost, c.rss)
			}
			for j, e := range r.Estimates {
				if d := digits(e.Value, c.want[j]); d < 6 {
					t.Errorf("%s start %d: %s = %.10e, want %.10e (%.1f digits)", c.name, i+1, e.Name, e.Value, c.want[j], d)
				}
				if c.sd == nil {
					continue
				}
				if sd := math.Sqrt(r.Covariance.At(j, j)); digits(sd, c.sd[j]) < 4 {
					t.Errorf("%s start %d: sd of %s = %.10e, want %.10e", c.name, i+1, e.Name, sd, c.sd[j])
				}
			}
		}
	}
}

// digits counts the agreeing significant digits.
func digits(got, want float64) float64 {
	return -math.Log10(math.Abs(got-want)/math.Abs(want) + 1e-16)
}
