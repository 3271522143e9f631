package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/workload"
)

// arrays of --save-detailed: one entry a request, times in seconds.
var arrays = []string{"input_lens", "output_lens", "ttfts", "itls", "start_times", "generated_texts", "errors"}

// detail is what the requests of a run say one by one, failed ones left out.
type detail struct {
	prompt, output        []float64 // tokens
	start                 []float64 // s on the client's clock; nil = not recorded
	ttft, tpot, itl, e2e  []float64 // ms; tpot of requests of two tokens and more
	gaps, tokens, skipped int
	suspects              []string
}

// detailOf reads the arrays of an object. Arrays of different lengths are as
// good as none.
func detailOf(o *row.Object) *detail {
	d := &detail{}
	in, out, ttfts := list(o, "input_lens"), list(o, "output_lens"), list(o, "ttfts")
	if len(in) == 0 || len(in) != len(out) || len(in) != len(ttfts) {
		if len(in)+len(ttfts) > 0 {
			d.suspects = append(d.suspects, "arrays of requests differ in length: they are not used")
		}
		return d
	}
	itls, starts, failures := list(o, "itls"), list(o, "start_times"), list(o, "errors")
	for i := range in {
		p, okP := row.AsNumber(in[i])
		n, okN := row.AsNumber(out[i])
		ttft, okT := row.AsNumber(ttfts[i])
		if !okP || !okN || !okT || p < 1 || n < 1 || p > 1e8 || n > 1e8 || ttft <= 0 || i < len(failures) && row.CellText(failures[i]) != "" {
			d.skipped++
			continue
		}
		d.prompt, d.output, d.ttft = append(d.prompt, p), append(d.output, n), append(d.ttft, 1e3*ttft)
		if i < len(starts) {
			if t, ok := row.AsNumber(starts[i]); ok {
				d.start = append(d.start, t)
			}
		}
		if i < len(itls) {
			d.gapsOf(itls[i], n, ttft)
		}
	}
	if d.tokens > 0 && float64(d.gaps) < 0.9*float64(d.tokens) {
		d.suspects = append(d.suspects, fmt.Sprintf("stream chunks: %d gaps for %d tokens, so a chunk holds several tokens; TPOT is right, ITL is not", d.gaps, d.tokens))
	}
	return d
}

// gapsOf adds the gaps of a request of n tokens.
func (d *detail) gapsOf(v any, n, ttft float64) {
	gaps, ok := v.([]any)
	if !ok {
		return
	}
	sum := 0.0
	for _, g := range gaps {
		if x, ok := row.AsNumber(g); ok && x >= 0 {
			sum += x
			d.itl = append(d.itl, 1e3*x)
		}
	}
	d.gaps += len(gaps)
	d.tokens += int(n) - 1
	d.e2e = append(d.e2e, 1e3*(ttft+sum))
	if n > 1 && sum > 0 {
		d.tpot = append(d.tpot, 1e3*sum/(n-1))
	}
}

func list(o *row.Object, key string) []any {
	l, _ := o.Values[key].([]any)
	return l
}

// cells are the metrics that the arrays give, in ms: all that the aggregates
// lack, end-to-end latency above all.
func (d *detail) cells(o *row.Object) []row.Cell {
	var out []row.Cell
	add := func(name string, x float64) {
		if have, ok := o.Float(name); ok && have > 0 || !(x > 0) {
			return
		}
		out = append(out, row.Cell{Name: name, Text: strconv.FormatFloat(x, 'g', -1, 64)})
	}
	for _, m := range []struct {
		name   string
		values []float64
	}{{"ttft", d.ttft}, {"tpot", d.tpot}, {"itl", d.itl}, {"e2el", d.e2e}} {
		if len(m.values) == 0 {
			continue
		}
		slices.Sort(m.values)
		add("mean_"+m.name+"_ms", mean(m.values))
		add("median_"+m.name+"_ms", quantile(m.values, 0.5))
		add("p99_"+m.name+"_ms", quantile(m.values, 0.99))
	}
	if x, ok := o.Float("mean_ttft_ms"); ok && len(d.ttft) > 0 && math.Abs(x/mean(d.ttft)-1) > 0.01 {
		d.suspects = append(d.suspects, fmt.Sprintf("aggregates contradict the requests: mean TTFT %.4g ms, by the requests %.4g ms", x, mean(d.ttft)))
	}
	return out
}

// records are the requests of a run whose arrivals are known: recorded, or all
// at once because neither a rate nor a cap held them back; nil otherwise.
func (d *detail) records(o *row.Object) []workload.Record {
	rate, finite := o.Float("request_rate")
	limit, capped := o.Float("max_concurrency")
	burst := (!finite || math.IsInf(rate, 1)) && strings.EqualFold(row.CellText(o.Values["request_rate"]), "inf") && (!capped || limit >= float64(len(d.prompt)))
	recorded := len(d.start) == len(d.prompt) && !capped
	if len(d.prompt) == 0 || d.skipped > 0 || !burst && !recorded {
		return nil
	}
	out := make([]workload.Record, len(d.prompt))
	for i := range out {
		out[i] = workload.Record{Prompt: int32(d.prompt[i]), Output: int32(d.output[i])}
		if recorded && !burst {
			out[i].Arrival = d.start[i] - slices.Min(d.start)
		}
	}
	slices.SortStableFunc(out, func(a, b workload.Record) int {
		switch {
		case a.Arrival < b.Arrival:
			return -1
		case a.Arrival > b.Arrival:
			return 1
		}
		return 0
	})
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

// quantile interpolates between order statistics of sorted values, as the
// client's numpy does.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
