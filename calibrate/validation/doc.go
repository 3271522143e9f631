// Package validation replays measured serving runs that others published and
// says how far the simulator is off. It has no code beside its tests: they fit
// at most five step-time parameters to a part of each run, simulate the whole
// of it, and keep the tables of core/engine/DEVIATIONS.md true. "make validate"
// rewrites the tables; an ordinary test run fails when a published figure no
// longer is what the code gives.
//
// The measurements are not part of the repository. They are looked for in
// ../shared/data beside it, and without them the tests skip.
package validation
