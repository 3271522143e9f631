package report

import (
	"fmt"

	"scoville/report/number"
	"scoville/report/section"
	"scoville/report/view"
	"scoville/sweep/results"
)

// decomposition is how the difference between a closed form and the simulated
// mean of a latency splits: closed + parts = simulated.
type decomposition struct {
	title, simulated, closed string
	parts                    []share
}

// share is one part: how the table names it, and its column.
type share struct{ name, column string }

var decompositions = []decomposition{
	{
		"TTFT: closed form max(2 N P / C, W / B), simulated, and what makes the difference, ms", "ttft_mean_ms", "ttft_closed_mean_ms",
		[]share{{"host", "ttft_host_mean_ms"}, {"queue", "ttft_queue_mean_ms"}, {"blocked", "ttft_blocked_mean_ms"}, {"prefill", "ttft_prefill_excess_mean_ms"}, {"adapter", "ttft_adapter_mean_ms"}},
	},
	{
		"TPOT: closed form W / B, simulated, and what makes the difference, ms", "tpot_mean_ms", "tpot_closed_mean_ms",
		[]share{{"host", "tpot_host_mean_ms"}, {"prompts of others", "tpot_prefill_mean_ms"}, {"batch", "tpot_batch_mean_ms"}, {"own", "tpot_own_excess_mean_ms"}, {"adapter", "tpot_adapter_mean_ms"}},
	},
}

// partNotes says what the parts are.
var partNotes = []string{
	"difference = host (front end and the host's share of steps) + queue (waiting for admission) + blocked (others' work in the same steps) + prefill (the prompt itself over its closed form) + adapter; means over requests",
	"difference = host + prompts of others (in the same steps, and steps without decodes) + batch (other sequences' share of decode steps, padding, preemption) + own (the request's own steps, derated or not, over the closed form) + adapter",
}

// maxDeviations is how many points the tables of deviations have.
const maxDeviations = 24

// deviations splits the difference between closed form and simulation.
func (r *Report) deviations() []section.Section {
	var ran []int
	for i := range r.data.Points.Len() {
		if r.data.OK(i) {
			ran = append(ran, i)
		}
	}
	listed := ran[:min(len(ran), maxDeviations)]
	axes := r.data.Varying(listed)
	var out []section.Section
	for k, d := range decompositions {
		s := section.Section{Title: d.title, Aside: true, Head: []string{"point"}, Long: len(ran) > maxDeviations || len(r.sections) > 1}
		for _, c := range axes {
			s.Head = append(s.Head, c.Heading())
		}
		s.Head = append(s.Head, "closed", "simulated", "difference")
		for _, p := range d.parts {
			s.Head = append(s.Head, p.name)
		}
		for _, i := range listed {
			if row := r.deviation(d, i); row != nil {
				s.Rows = append(s.Rows, append(append([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(axes, i)...), row...))
			}
		}
		if s.Rows == nil {
			continue
		}
		s.Notes = []string{partNotes[k]}
		if more := len(ran) - len(listed); more > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s more: the columns %s and the parts of %s", number.Plural(more, "point"), d.closed, results.RunsFile))
		}
		out = append(out, s)
	}
	return out
}

// deviation returns the cells of point i; nil where the results do not have
// the closed form.
func (r *Report) deviation(d decomposition, i int) []string {
	closed, ok := r.data.Estimate(d.closed, i)
	if !ok {
		return nil
	}
	row := []string{number.Significant(closed.Mean)}
	if r.state(i) == view.Saturated {
		return append(row, "saturated", "-", "-", "-", "-", "-", "-")
	}
	simulated, ok := r.data.Estimate(d.simulated, i)
	if !ok {
		return nil
	}
	row = append(row, number.Significant(simulated.Mean), number.Signed(simulated.Mean-closed.Mean, simulated.Mean))
	for _, p := range d.parts {
		v, ok := r.data.Estimate(p.column, i)
		if !ok {
			row = append(row, "-")
			continue
		}
		row = append(row, number.Signed(v.Mean, simulated.Mean))
	}
	return row
}
