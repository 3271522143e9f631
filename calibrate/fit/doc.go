// Package fit estimates named, bounded parameters by robust nonlinear least
// squares and says how well the data determine them. It knows nothing of
// simulations or latencies: a caller hands it residuals.
//
//	parameters  bounded by a logit transform, on a linear or a log scale; priors are residuals
//	start       the given one and a scrambled Halton set, screened on a part of the data
//	search      Levenberg-Marquardt run by gonum/optimize, central differences of 3 %
//	loss        linear, soft_l1, huber or cauchy by iteratively reweighted squares
//	report      status, every start's end, sandwich covariance over units, 95 % intervals,
//	            condition number and the weakest combination of parameters
//
// The residuals may come from a simulation whose scheduler decides in whole
// steps: they are piecewise smooth, so differences are large, a point is only
// ever left for a better one, and the points of the difference stencil count
// as candidates.
package fit
