// Package codes knows the exit codes of sweep, as help words them: which verb ends
// with which. What makes an error one of them is known where the program ends.
package codes

import "scoville/cmd/program"

var exits = []program.Exit{
	{Code: 0, Means: "done"},
	{Code: 1, Means: "internal error"},
	{Code: 1, Means: "a run again does not give the row of the tables", Verbs: "show confirm"},
	{Code: 2, Means: "bad usage, study or folder; nothing was run"},
	{Code: 3, Means: "finished, but runs failed or timed out, or no point can run; results written", Verbs: "run merge"},
	{Code: 4, Means: "stopped early: more runs failed or timed out than [run] max_failures allows, one\n" +
		"with --fail-fast, the disk is full or the folder gone; finished runs are kept, and\n" +
		"the message says how to go on", Verbs: "run"},
	{Code: 4, Means: "runs of shards are missing, or the disk is full; what was gathered is kept", Verbs: "merge"},
	{Code: 4, Means: "an object store does not answer, or does not take the results", Verbs: "run merge status submit show report confirm diff export"},
	{Code: 5, Means: "finished, but no search found a value that meets every service level", Verbs: "run merge"},
	{Code: 5, Means: "the winner does not hold up", Verbs: "confirm"},
	{Code: 6, Means: "refused: the folder holds results of another study or version, or is in use", Verbs: "run merge submit confirm"},
	{Code: 6, Means: "refused: shards hold different results of one run", Verbs: "merge"},
	{Code: 6, Means: "refused: the results are of another version", Verbs: "status show report diff export"},
	{Code: 6, Means: "refused: an input has changed since the results were written", Verbs: "show confirm"},
	{Code: 130, Means: "interrupted; finished runs are kept, and the same command goes on", Verbs: "run merge"},
	{Code: 130, Means: "interrupted; nothing was changed", Verbs: "plan show confirm diff report export history status"},
}

// Of is the end of a verb's long help; of "", that of sweep itself.
func Of(verb string) string { return program.Exits(exits, verb) }
