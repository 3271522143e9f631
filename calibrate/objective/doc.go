// Package objective pairs measured runs with predictions of the simulator: it
// resolves each row to a scenario, groups repeats of a condition, drops what
// the model should not be fitted to, and turns a set of parameter values into
// residuals. It also holds what is known of the parameters beforehand. It does
// not search.
//
// Every evaluation serves the same requests (seed and replicates fixed), so two
// evaluations differ by the parameters alone.
package objective
