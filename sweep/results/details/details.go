// Package details knows the file in a folder of results that looks inside a few
// of its points: what sweep show says of each, what the run, a few of its requests
// and a few of their steps spend their time on, and how the latencies are
// distributed. It writes and reads the file; it simulates nothing and chooses no
// point. Numbers have nine significant digits.
package details

// File is the name of the file.
const File = "details.json"

// Schema is the version of its keys: raised when one changes its meaning.
const Schema = 1

// Details is the file.
type Details struct {
	Schema int     `json:"schema"`
	Digest string  `json:"digest"` // that of manifest.json, of the tables that it belongs to
	Points []Point `json:"points"` // in the order of the plan
	Notes  []Note  `json:"notes"`  // what is left out, and why
}

// Note says why a point is left out.
type Note struct {
	Index int    `json:"point_index"` // -1 = of no point, or of several
	Text  string `json:"text"`
}

// Point is one point, by its first replicate.
type Point struct {
	Index    int      `json:"point_index"`
	ID       string   `json:"point_id"`
	Chosen   []string `json:"chosen"` // why: "baseline", "lowest ttft_p99_ms", ...
	Baseline bool     `json:"baseline"`
	Change   bool     `json:"change"` // the last of Design is changed against the baseline
	Design   []Place  `json:"design"` // its axes, and what is changed one at a time
	Verdict  string   `json:"verdict"`
	Runs     int      `json:"runs"` // of the point in the tables; the first is looked at
	SLO      []Limit  `json:"slo"`

	Text      string      `json:"text"` // of sweep show --quick, of the first replicate
	Run       Split       `json:"run"`  // all steps of the run
	Latencies []Quantiles `json:"latencies"`
	Requests  []Request   `json:"requests"` // by order of arrival
}

// Place is one coordinate of a point, as people read it.
type Place struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unit  string `json:"unit"`
}

// Limit is a service-level objective on a metric, in the metric's unit.
type Limit struct {
	Metric string `json:"metric"`
	Max    Number `json:"max"` // null = none
	Min    Number `json:"min"`
}

// Part is seconds of a whole.
type Part struct {
	Name    string `json:"name"`
	Seconds Number `json:"seconds"`
}

// Split is steps, and what they spend their time on: exposed seconds, so that work
// hidden behind other work counts where the time goes. Stages and Resources each
// add up to Seconds.
type Split struct {
	Steps     int    `json:"steps"`
	Seconds   Number `json:"seconds"`
	Stages    []Part `json:"stages"`    // in order of execution
	Resources []Part `json:"resources"` // what is waited for
}

// Quantiles are quantiles of a latency over the requests that count.
type Quantiles struct {
	Metric string   `json:"metric"` // ttft, tpot or e2e
	Count  int      `json:"count"`  // requests that have one
	MS     []Number `json:"ms"`     // at equal steps of probability from 0 to 1, by linear interpolation
}

// Request is one request of the run.
type Request struct {
	Number      int      `json:"number"` // in order of arrival, from 0
	Chosen      []string `json:"chosen"` // why: "P50 of TTFT", ...
	Class       string   `json:"class"`  // "" = the workload has one
	Prompt      int      `json:"prompt_tokens"`
	Output      int      `json:"output_tokens"`
	Cached      int      `json:"prefix_hit_tokens"`
	Preemptions int      `json:"preemptions"`
	Replica     int      `json:"replica"`
	Arrival     Number   `json:"arrival_s"`

	TTFT Number `json:"ttft_ms"`
	TPOT Number `json:"tpot_ms"` // null of a single token
	E2E  Number `json:"e2e_ms"`

	Parts []Part `json:"parts"` // of E2E, in order; those of TTFT begin with "ttft "
	Split struct {
		Prefill Split `json:"prefill"` // all steps while it runs, until its first token
		Decode  Split `json:"decode"`  // and from then on
	} `json:"split"`
	Steps []Step `json:"steps"` // a few of them, in order
}

// Step is one step while a request runs.
type Step struct {
	Kind      string `json:"kind"` // PrefillStep or DecodeStep
	Chosen    string `json:"chosen"`
	Start     Number `json:"start_s"`
	Sequences int    `json:"sequences"`
	Prompt    int    `json:"prefill_tokens"`
	Decoded   int    `json:"decode_tokens"`
	Drafts    int    `json:"draft_tokens"`
	Context   Number `json:"context_tokens"` // attended, over all sequences
	Split     Split  `json:"split"`
}

// The kinds of steps, by where the request is.
const (
	PrefillStep = "prefill"
	DecodeStep  = "decode"
)
