package study

// Key is a key of a study beside those of its scenario.
type Key struct {
	Path    string
	Allowed string // values it takes
	Default string // "" = none: it is left out, or must be given with its table
	Help    string
}

// Keys are the keys of a study beside those of its scenario, in the order in which
// a study has them.
func Keys() []Key { return keys }

var keys = []Key{
	{"schema", "1", "", "version of the study language; must be given, first"},
	{"name", "a-z 0-9 _ -", "stem of the file name", "name of the study, and of its folder of results"},
	{"description", "text", "", "what the study asks"},
	{"base", "list of files", "", "overlays, relative to the study; a later one wins, the study wins over all"},
	{`axes."PATH"`, "levels", "", "levels of a scenario key: a list of numbers, texts, true and false, relative changes (\"-20%\", \"x2\"), or a range { from, to, step | n | factor [, scale = \"log\"] }. Axes, zips and cases multiply, the last fastest"},
	{`zip.NAME."PATH"`, "list", "", "levels of several keys that change in step: one axis"},
	{"cases.NAME", "[[cases.NAME]]", "", "one level of a named axis: name = \"...\" and \"PATH\" = value"},
	{`oat."PATH"`, "levels", "", "one at a time around each combination; also group.NAME = { paths, by }"},
	{"sample.method", "lhs | sobol | random | morris | saltelli", "", "rows that fill a space around each combination"},
	{"sample.n", "[1, ...)", "", "rows, of morris trajectories, of saltelli blocks; a power of two for sobol and saltelli"},
	{"sample.seed", "[0, 2^63)", "0", "seed of the design"},
	{"sample.dummy", "true | false", "false", "a parameter more that nothing depends on: what its indices are is noise"},
	{`sample.space."PATH"`, "range or list", "", "{ min, max [, scale = \"log\"] [, step] }, { dist = \"normal\", mean, sd } or a list of levels"},
	{"where", "[[where]]", "", "keep = \"condition\" or drop = \"condition\", why = \"...\": chooses from the product of the axes"},
	{"replicates.n", "[1, 1e6]", "1; 5 with until or [search]", "runs of a point; one where nothing is drawn at random"},
	{"replicates.seed", "[0, 2^63)", "0", "seed of all random streams; 0 is one like others"},
	{"replicates.crn", "true | false", "true", "common random numbers: equal replicates of all points meet the same requests. false: a seed for each point, from the study's and the point's id; effects are then differences of independent means (Welch)"},
	{"replicates.until.metric", "metric or list", "", "more replicates until the mean of each is known: looks after n, then after half as many again. A point that is not ok or saturated stops at once"},
	{"replicates.until.rel_ci", "[0.01%, 50%]", "", "half the 95 % interval over the mean that is narrow enough: \"5%\" or 0.05"},
	{"replicates.until.max", "[n, 1e6]", "100", "most replicates of a point; these count against run.max_runs"},
	{"search.over", "PATH", "", "key whose largest or smallest value that meets every [slo] is searched"},
	{"search.goal", "max | min", "", "largest or smallest"},
	{"search.from", "number", "", "lower end of the range"},
	{"search.to", "number", "", "upper end of the range"},
	{"search.tol", "[0.01%, 50%]", "\"2%\"", "how close the last pass and the first fail come; whole numbers are exact"},
	{"search.confirm", "0 or [2, 1e6]", "replicates.n", "fresh replicates that confirm the boundary; 0 = none"},
	{"search.require_steady", "true | false", "true", "an open loop passes only with a stable queue"},
	{"search.max_probes", "[3, 10000]", "100", "most values that one search tries"},
	{"objective", "[[objective]]", "", "metric = \"...\", goal = \"min\" or \"max\": one ranks the points, more make a Pareto front"},
	{"accuracy.table", "file", "", "CSV of weight_dtype, kv_dtype, context_max, loss_ratio: gives accuracy_loss_ratio"},
	{"uncertainty.draws", "[20, 10000]", "0", "samples of the calibrated parameters at each point: prediction intervals"},
	{"report.keep", "condition", "", "points that the report lists as kept"},
	{"report.baseline", "condition", "", "points that gains are against, at equal other axes"},
	{"report.published", "[[report.published]]", "", "a published figure to hold ours against"},
	{"report.plot", "[[report.plot]]", "", "a plot: x, y, series, scale, where, ..."},
	{"output.dir", "folder", "results/NAME", "where results go, unless -o says"},
	{"output.metrics", "list of patterns", "all", "metrics of points and effects; * and ? match"},
	{"output.requests", "none | sample:N | all", "none", "requests of each run that are kept, a file a run"},
	{"run.max_runs", "[1, 1e9]", "100000", "most runs of the plan; more are an error before anything runs"},
	{"run.max_events", "[1, 2^53]", "any number", "events of the simulator in a run; more end it as timeout. The capacity run before an open loop is not counted"},
	{"run.max_sim_s", "(0, 1e12]", "any time", "simulated seconds of a run; more end it as timeout"},
	{"run.max_failures", "count, or 0% to 100%", "any number", "runs that may fail or time out; one more stops the sweep, exit code 4. \"5%\" is of the runs that are planned at least"},
	{"run.race", "true | false", "false", "drop points that another surely beats in every [[objective]]: looks after 5 replicates, then after half as many again, 5 % in all to lose any of the best"},
}
