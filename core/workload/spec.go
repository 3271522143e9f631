// Package workload makes the requests a simulation serves: drawn from classes
// with length distributions and an arrival process, or read from a trace. All
// randomness comes from named streams keyed by request number, so that designs
// under comparison meet the same requests. It knows nothing of chips, models
// or schedulers.
package workload

// Arrival processes.
const (
	Poisson  = "poisson"  // exponential gaps at rate_rps
	Gamma    = "gamma"    // gamma gaps with coefficient of variation arrival_cv
	Constant = "constant" // equal gaps
	Burst    = "burst"    // all requests at time 0
	Closed   = "closed"   // concurrency requests in flight, each followed by think_time_s
	Trace    = "trace"    // arrival times and lengths from a file
)

// Spec describes the offered requests. Every field is a study key
// "workload.<toml tag>"; classes are addressed by name:
// "workload.class.NAME.share".
type Spec struct {
	Requests   int     `toml:"requests" unit:"requests" range:"[0,100000000]" default:"1000" help:"requests to simulate; 0 = as many as duration_s or the trace gives, which is the default with arrival = trace, and with duration_s at a rate"`
	DurationS  float64 `toml:"duration_s" unit:"s" range:"[0,1e9]" default:"0" help:"stop arrivals at a rate or from a trace after this time; 0 = no limit"`
	Arrival    string  `toml:"arrival" enum:"poisson|gamma|constant|burst|closed|trace" default:"poisson" help:"arrival process"`
	RateRPS    float64 `toml:"rate_rps" unit:"req/s" range:"(0,1e9]" help:"mean arrival rate of an open loop (poisson, gamma, constant)"`
	Load       float64 `toml:"load" unit:"ratio" range:"(0,10]" help:"arrival rate of an open loop as a share of this point's measured capacity, instead of rate_rps"`
	ArrivalCV  float64 `toml:"arrival_cv" unit:"ratio" range:"(0,100]" default:"1" help:"coefficient of variation of gamma gaps; 1 = poisson, 2 = bursty"`
	Concurrent int     `toml:"concurrency" unit:"requests" range:"[0,10000000]" default:"0" help:"requests in flight of a closed loop; with arrival = closed only"`
	ThinkTimeS float64 `toml:"think_time_s" unit:"s" range:"[0,1e9]" default:"0" help:"closed loop: wait between an answer and the next request"`
	TraceFile  string  `toml:"trace" help:"trace file, relative to the study, with arrival = trace: Azure LLM inference CSV, Mooncake JSONL, or one row a request as CSV or JSONL"`
	RateScale  float64 `toml:"rate_scale" unit:"ratio" range:"(0,1e6]" default:"1" help:"trace: arrivals this many times faster"`
	MaxPrompt  int     `toml:"max_prompt_tokens" unit:"tokens" range:"[0,100000000]" default:"0" help:"trace: drop requests with longer prompts; 0 = no limit"`
	MaxOutput  int     `toml:"max_output_tokens" unit:"tokens" range:"[0,100000000]" default:"0" help:"trace: drop requests with longer outputs; 0 = no limit"`
	TraceBlock int     `toml:"trace_prefix_block_tokens" unit:"tokens" range:"[1,1000000]" default:"512" help:"trace with prefix blocks: tokens of one block, a multiple of engine.block_size"`
	Class      []Class `toml:"class"`

	// Records are the requests of TraceFile, loaded once and shared between
	// points, read-only. Not a study key.
	Records []Record `toml:"-"`
}

// Class is one kind of request. Shares are normalised over the classes.
type Class struct {
	Name     string  `toml:"name" help:"name of the class; [a-z0-9_-]+"`
	Share    float64 `toml:"share" unit:"ratio" range:"[0,1e9]" default:"1" help:"share of the requests, normalised over the classes"`
	Shared   int     `toml:"shared_prefix_tokens" unit:"tokens" range:"[0,100000000]" default:"0" help:"first prompt tokens that all requests of the class share, such as a system prompt; prefix caching reuses them"`
	Priority int     `toml:"priority" unit:"rank" range:"[0,1000000]" default:"0" help:"priority scheduler: lower ranks run first"`
	Prompt   Dist    `toml:"prompt_tokens"`
	Output   Dist    `toml:"output_tokens"`
}

// Distributions of lengths.
const (
	Fixed     = "fixed"
	Uniform   = "uniform"
	LogNormal = "lognormal"
	GammaDist = "gamma"
	Empirical = "empirical"
)

// Dist is a distribution of token counts. In a study it is a number (fixed) or
// an inline table { dist = "lognormal", mean = 256, cv = 0.8, max = 2048 }.
// Draws are rounded to whole tokens and clamped to [max(1, Min), Max].
type Dist struct {
	Kind   string    `toml:"dist" enum:"fixed|uniform|lognormal|gamma|empirical" default:"fixed" help:"distribution of lengths"`
	Mean   float64   `toml:"mean" unit:"tokens" range:"[1,100000000]" help:"value of fixed; mean of lognormal and gamma before clamping"`
	CV     float64   `toml:"cv" unit:"ratio" range:"[0,100]" default:"0" help:"coefficient of variation of lognormal and gamma"`
	Min    float64   `toml:"min" unit:"tokens" range:"[0,100000000]" default:"0" help:"smallest length (uniform: lower end); 0 = 1"`
	Max    float64   `toml:"max" unit:"tokens" range:"[0,100000000]" default:"0" help:"largest length (uniform: upper end); 0 = no limit"`
	Values []float64 `toml:"values" help:"empirical: lengths drawn with equal probability"`
}

// Record is one request of a trace: arrival in seconds from the first one,
// prompt and output in tokens.
type Record struct {
	Arrival        float64
	Prompt, Output int32
	Prefix         []int32 // numbers of the prompt's leading blocks of PrefixBlock tokens, equal numbers for equal prefixes; nil if the trace has none
}

// Request is one request to serve. Arrival is in seconds from the start;
// closed loops leave it 0 and the engine sets it.
type Request struct {
	Arrival        float64
	Prompt, Output int32
	Class          int32 // index into Spec.Class; 0 for traces

	// Prefix numbers the leading whole blocks of the prompt that other requests
	// may share, from 0; equal numbers stand for equal prefixes. Shared,
	// read-only.
	Prefix []int32
}
