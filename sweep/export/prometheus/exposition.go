package prometheus

import (
	"bytes"
	"fmt"
	"strconv"

	"scoville/core/table"

	"scoville/sweep/results"
)

// prefix begins the name of every metric.
const prefix = "scoville_predicted_"

// latency is a family of metrics that are times, with a statistic each.
type latency struct{ metric, name, help string }

// The names are those of vLLM's histograms, so that the two stand side by side.
var latencies = []latency{
	{"ttft", "time_to_first_token", "time from the arrival of a request to its first output token, queueing included"},
	{"tpot", "time_per_output_token", "(last token - first token) / (output tokens - 1) of a request"},
	{"itl", "inter_token_latency", "gap between two output tokens, pooled over requests"},
	{"e2e", "e2e_request_latency", "time from the arrival of a request to its last output token"},
}

// stats are the statistics of a latency.
var stats = []string{"mean", "p50", "p90", "p95", "p99", "max"}

// end is a column of a metric in points, and what it is.
type end struct{ suffix, infix, help string }

var ends = []end{
	{"_mean", "", ""},
	{"_ci_lo", "ci_lower_", "lower end of the 95 % interval (replicates) of: "},
	{"_ci_hi", "ci_upper_", "upper end of the 95 % interval (replicates) of: "},
	{"_pred_lo", "draw_lower_", "lower end of the interval that holds 90 % of other runs (draws of the calibrated parameters) of: "},
	{"_pred_hi", "draw_upper_", "upper end of the interval that holds 90 % of other runs (draws of the calibrated parameters) of: "},
}

// rate is a metric without a statistic.
type rate struct{ metric, name, unit, help string }

var rates = []rate{
	{"throughput_rps", "requests", "per_second", "requests completed per second"},
	{"output_tok_s", "output_tokens", "per_second", "output tokens per second"},
	{"goodput_rps", "good_requests", "per_second", "requests per second that meet the service levels"},
}

// other are columns of points that are no metric of a run; of saturated points too.
var other = []struct{ column, name, help string }{
	{"offered_rps", "offered_requests_per_second", "requests offered per second; absent for closed loops and bursts"},
	{"capacity_rps", "capacity_requests_per_second", "requests per second that the machine can serve of this mix"},
	{"load_ratio", "load_ratio", "offered requests over capacity"},
}

// page is an exposition being written.
type page struct {
	b      bytes.Buffer
	head   string // of a family that has no series yet
	series int
}

func (p *page) family(name, help string) {
	p.head = fmt.Sprintf("# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

func (p *page) add(name string, labels []label, x float64) {
	p.b.WriteString(p.head)
	p.head = ""
	p.b.WriteString(name)
	p.b.WriteString(text(labels))
	p.b.WriteByte(' ')
	p.b.WriteString(number(x))
	p.b.WriteByte('\n')
	p.series++
}

// exposition is the metrics in the text format, without times of samples, as the
// textfile collector asks. What has no value has no series.
func (x *data) exposition() ([]byte, int) {
	p := &page{}
	f := x.set.Points
	all := make([][]label, len(x.points))
	state := make([]string, len(x.points))
	for i, row := range x.points {
		index, _ := f.Int(f.Index("point_index"), row)
		all[i] = x.labels(f, row, "point", strconv.FormatInt(index, 10))
		state[i] = x.state(row)
	}
	x.states(p, all, state)
	for _, l := range latencies {
		for _, e := range ends {
			name := prefix + l.name + "_" + e.infix + "seconds"
			p.family(name, "Predicted, by statistic over the requests of a run, mean over runs: "+e.help+l.help+".")
			x.values(p, all, state, func(i int, get func(column string) (float64, bool)) {
				for _, s := range stats {
					if v, ok := get(l.metric + "_" + s + "_ms" + e.suffix); ok {
						p.add(name, append(all[i][:len(all[i]):len(all[i])], label{"stat", s}), v/1000)
					}
				}
			})
		}
	}
	for _, r := range rates {
		for _, e := range ends {
			name := prefix + r.name + "_" + e.infix + r.unit
			p.family(name, "Predicted, mean over runs: "+e.help+r.help+".")
			x.values(p, all, state, func(i int, get func(string) (float64, bool)) {
				if v, ok := get(r.metric + e.suffix); ok {
					p.add(name, all[i], v)
				}
			})
		}
	}
	for _, c := range other {
		p.family(prefix+c.name, "Predicted: "+c.help+".")
		col := f.Index(c.column)
		for i, row := range x.points {
			if v, ok := f.Float(col, row); ok {
				p.add(prefix+c.name, all[i], v)
			}
		}
	}
	x.searches(p)
	x.info(p)
	return p.b.Bytes(), p.series
}

// values calls one for each point whose values are those of a steady machine, as
// far as one can tell: the mean of a queue that grows is never a latency.
func (x *data) values(p *page, all [][]label, state []string, one func(i int, get func(string) (float64, bool))) {
	f := x.set.Points
	for i, row := range x.points {
		if state[i] != steady && state[i] != unjudged {
			continue
		}
		one(i, func(column string) (float64, bool) { return f.Float(f.Index(column), row) })
	}
}

// States of a point.
const (
	steady    = "steady"
	saturated = "saturated"
	unjudged  = "unjudged" // a closed loop or burst, or too short to tell
)

// state says what a point is: steady, saturated, unjudged, infeasible, failed or
// timeout.
func (x *data) state(row int) string {
	f := x.set.Points
	if status, _ := f.String(f.Index("status"), row); status != results.OK {
		return status
	}
	switch ok, known := f.Bool(f.Index("steady"), row); {
	case !known:
		return unjudged
	case ok:
		return steady
	}
	return saturated
}

func (x *data) states(p *page, all [][]label, state []string) {
	p.family(prefix+"state", "What the point is: steady, saturated (the queue grows: no latency), unjudged (a closed loop or burst, or too short to tell), infeasible (cannot run), failed or timeout. Always 1.")
	for i := range x.points {
		p.add(prefix+"state", append(all[i][:len(all[i]):len(all[i])], label{"state", state[i]}), 1)
	}
	f := x.set.Points
	p.family(prefix+"slo_met", "Whether every service level of the study is met, 1 or 0; absent where that is not known.")
	for i, row := range x.points {
		if met, ok := f.Bool(f.Index("slo_ok"), row); ok {
			v := 0.0
			if met {
				v = 1
			}
			p.add(prefix+"slo_met", all[i], v)
		}
	}
}

// searches writes what searches found.
func (x *data) searches(p *page) {
	if x.search == nil {
		return
	}
	f := x.search
	one := func(row int) []label {
		index, _ := f.Int(f.Index("search_index"), row)
		labels := x.labels(f, row, "search", strconv.FormatInt(index, 10))
		for _, name := range []string{"over", "unit", "goal"} {
			labels = append(labels, label{name, table.Text(f.Cell(f.Index(name), row))})
		}
		return labels
	}
	p.family(prefix+"search_outcome", "How a search for the largest or smallest value of a key ended: found, none_feasible, all_feasible, non_monotone, budget or error. Always 1.")
	for row := range f.Len() {
		p.add(prefix+"search_outcome", append(one(row), label{"outcome", table.Text(f.Cell(f.Index("outcome"), row))}), 1)
	}
	for _, c := range []struct{ column, name, help string }{
		{"value", "search_value", "Value that the search found, in the unit of the label; absent unless found."},
		{"value_lo", "search_value_lower", "Lower end of the interval that holds the boundary of a search."},
		{"value_hi", "search_value_upper", "Upper end of the interval that holds the boundary of a search."},
	} {
		p.family(prefix+c.name, c.help)
		for row := range f.Len() {
			if v, ok := f.Float(f.Index(c.column), row); ok {
				p.add(prefix+c.name, one(row), v)
			}
		}
	}
}

// info says whose predictions these are.
func (x *data) info(p *page) {
	m := &x.set.Manifest
	study := []label{{"study", m.Study}, {"version", strconv.Itoa(m.SimVersion)}, {"digest", m.Digest[:min(12, len(m.Digest))]}}
	p.family("scoville_study_info", "The results that the predictions of a study come from. Always 1.")
	p.add("scoville_study_info", study, 1)
	p.family("scoville_study_written_timestamp_seconds", "When the results were written, in seconds since 1970.")
	p.add("scoville_study_written_timestamp_seconds", study, float64(m.Written.Unix()))
}
