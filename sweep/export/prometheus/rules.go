package prometheus

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Measured are the names of vLLM's metrics that the rules read.
type Measured struct {
	TTFT     string // histogram of times to first token, s
	TPOT     string // histogram of times per output token, s; see gaps
	Finished string // counter of finished requests
}

// vllm are the names in vLLM V1. request_time_per_output_token_seconds is what we
// call TPOT: a value per request, (last - first) / (n - 1).
func vllm() Measured {
	return Measured{TTFT: "vllm:time_to_first_token_seconds", TPOT: "vllm:request_time_per_output_token_seconds", Finished: "vllm:request_success_total"}
}

// Defaults of the thresholds, s: of jalapeno-class interactive serving.
const (
	defaultTTFT = 0.2
	defaultTPOT = 0.015
)

// gaps says whether a histogram counts gaps between tokens, one a token: vLLM's
// inter_token_latency_seconds, and time_per_output_token_seconds, which is the same
// by its former name. They are held against the predicted inter-token latency.
func gaps(name string) bool {
	return strings.HasSuffix(name, ":inter_token_latency_seconds") || strings.HasSuffix(name, ":time_per_output_token_seconds")
}

// rule is an alert.
type rule struct {
	alert, severity, wait string
	labels                []label
	expr                  []string // lines
	summary, description  string
}

// threshold is a largest value of a measured latency.
type threshold struct {
	stat string // mean or p99
	max  float64
	from string // where it comes from
}

// rules are the alert rules as YAML, and how many there are: none where no point is
// exported, which they would be about.
func (x *data) rules() ([]byte, int) {
	if len(x.points) == 0 {
		return fmt.Appendf(nil, "# No point of study %s is exported: there is no rule.\ngroups: []\n", comment(x.set.Manifest.Study)), 0
	}
	var all []rule
	ttft, tpot := x.o.Metrics.TTFT, x.o.Metrics.TPOT
	decode := "tpot"
	if gaps(tpot) {
		decode = "itl"
	}
	for _, t := range x.thresholds("ttft", x.o.TTFT, defaultTTFT) {
		all = append(all, x.above("ScovilleTTFTAboveTarget", "TTFT", ttft, t, "Above what the queue explains: compare vllm:num_requests_waiting, the load, and scoville_predicted_capacity_requests_per_second. A queue that grows means that the load is above what the machine can serve; prompts longer than the study's lift TTFT without a queue."))
	}
	for _, t := range x.thresholds(decode, x.o.TPOT, defaultTPOT) {
		all = append(all, x.above("ScovilleTPOTAboveTarget", "TPOT", tpot, t, "Decode steps got longer: more sequences in a batch (vllm:num_requests_running), longer contexts (vllm:kv_cache_usage_perc), or prompts of others in the same steps. sweep show DIR --point says what a step waits for."))
	}
	if x.o.Ratio > 0 {
		all = append(all, x.ratio())
	}
	if x.compared > 0 && x.metrics["ttft_mean_ms"] {
		all = append(all, x.off("ScovilleTTFTOffPrediction", "TTFT", ttft, "time_to_first_token"))
	}
	name := map[string]string{"tpot": "time_per_output_token", "itl": "inter_token_latency"}[decode]
	if x.compared > 0 && x.metrics[decode+"_mean_ms"] {
		all = append(all, x.off("ScovilleTPOTOffPrediction", "TPOT", tpot, name))
	}
	all = append(all, x.missing()...)

	var b bytes.Buffer
	fmt.Fprintf(&b, "# Alert rules of the predictions of study %s, for a server that scrapes vLLM\n# and scoville-%s.prom (through node_exporter's textfile collector).\n", comment(x.set.Manifest.Study), fileName(x.set.Manifest.Study))
	if len(x.o.Match) == 0 {
		b.WriteString("# No --match was given: the rules are about all vLLM series of the server together.\n")
	}
	fmt.Fprintf(&b, "groups:\n  - name: %s\n    rules:\n", quote("scoville-"+x.set.Manifest.Study))
	for i := range all {
		all[i].write(&b, x.set.Manifest.Study)
	}
	return b.Bytes(), len(all)
}

func comment(s string) string { return strings.Trim(strconv.Quote(s), `"`) }

// quote is a text as YAML reads it between double quotes, which is as Go and JSON
// write it.
func quote(s string) string { return strconv.Quote(s) }

func (r *rule) write(b *bytes.Buffer, study string) {
	fmt.Fprintf(b, "      - alert: %s\n        expr: |\n", r.alert)
	for _, line := range r.expr {
		fmt.Fprintf(b, "          %s\n", line)
	}
	fmt.Fprintf(b, "        for: %s\n        labels:\n          severity: %s\n          study: %s\n", r.wait, quote(r.severity), quote(template(study)))
	for _, l := range r.labels {
		fmt.Fprintf(b, "          %s: %s\n", l.name, quote(l.value))
	}
	fmt.Fprintf(b, "        annotations:\n          summary: %s\n          description: %s\n", quote(r.summary), quote(r.description))
}

// template is a text that Prometheus, which reads labels and annotations as
// templates, prints as it is.
func template(s string) string { return strings.ReplaceAll(s, "{{", `{{"{{"}}`) }

// thresholds of a latency: what the user says, else what [slo] does, else the usual.
func (x *data) thresholds(latency string, said, usual float64) (out []threshold) {
	if said > 0 {
		return []threshold{{"mean", said, "as given on the command line"}}
	}
	for _, s := range stats[:len(stats)-1] { // no quantile of a histogram is its largest value
		if max, ok := x.study.Max[latency+"_"+s+"_ms"]; ok {
			out = append(out, threshold{s, max / 1000, "the [slo] of the study"})
		}
	}
	if out == nil {
		out = []threshold{{"mean", usual, "the usual value of interactive serving: the study has no [slo] for it"}}
	}
	return out
}

// selector are the label matchers of the measured series; more come after those of
// the user.
func (x *data) selector() string {
	var parts []string
	for _, m := range x.o.Match {
		p := matcher.FindStringSubmatch(m)
		parts = append(parts, p[1]+p[2]+strconv.Quote(p[3]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// mean is the lines of the measured mean of a histogram over the window.
func (x *data) mean(metric string) []string {
	s := x.selector() + "[" + x.o.Window + "]"
	return []string{"sum(rate(" + metric + "_sum" + s + "))", "/ sum(rate(" + metric + "_count" + s + "))"}
}

// above is the rule of a threshold.
func (x *data) above(alert, what, metric string, t threshold, next string) rule {
	max := number(t.max)
	r := rule{alert: alert, severity: x.o.Severity, wait: x.o.For, labels: []label{{"stat", t.stat}}}
	if t.stat == "mean" {
		r.expr = append(x.mean(metric), "> "+max)
	} else {
		q := "0." + t.stat[1:]
		r.expr = []string{"histogram_quantile(" + q + ", sum by (le) (rate(" + metric + "_bucket" + x.selector() + "[" + x.o.Window + "])))", "> " + max}
		next += " The quantile is interpolated within a bucket of vLLM's histogram, and so no better than the bucket is narrow."
	}
	r.summary = what + " " + t.stat + " is {{ $value | humanizeDuration }}, above " + max + " s"
	r.description = "Measured over " + x.o.Window + "; the limit is " + t.from + ". " + next
	return r
}

// chosen are the matchers of the predicted series that were exported.
func (x *data) chosen(more ...string) string {
	parts := []string{"study=" + strconv.Quote(x.set.Manifest.Study)}
	return "{" + strings.Join(append(parts, more...), ",") + "}"
}

// ratio is the rule of a TTFT that is small beside TPOT.
func (x *data) ratio() rule {
	ttft, tpot := x.mean(x.o.Metrics.TTFT), x.mean(x.o.Metrics.TPOT)
	least := number(x.o.Ratio)
	return rule{
		alert: "ScovilleTTFTOverTPOTLow", severity: x.o.Severity, wait: x.o.For, labels: []label{{"stat", "mean"}},
		expr:        []string{"(" + ttft[0] + " " + ttft[1] + ")", "/ (" + tpot[0] + " " + tpot[1] + ")", "< " + least},
		summary:     "mean TTFT is {{ $value | humanize }} times mean TPOT, less than " + least,
		description: "Measured over " + x.o.Window + ". A first token takes a prompt's prefill at least, so a small ratio means prompts that are short or found in the prefix cache, or decode steps that are long for them: more sequences in a batch, or longer contexts.",
	}
}

// off is the rule of a measured mean that is not as predicted. Of the exported
// points it is held against the one whose load is nearest to the measured, and
// against none where that is not near: at another load another latency is right.
// Points without an offered load, closed loops and bursts, always count.
func (x *data) off(alert, what, metric, name string) rule {
	measured := x.mean(metric)
	load := []string{
		"abs(",
		"  scalar(sum(rate(" + x.o.Metrics.Finished + x.selector() + "[" + x.o.Window + "])))",
		"  / " + prefix + "offered_requests_per_second" + x.chosen() + " - 1",
		")",
	}
	r := rule{alert: alert, severity: x.o.Severity, wait: x.o.For, labels: []label{{"stat", "mean"}}}
	r.expr = []string{
		"abs(",
		"  scalar(" + measured[0] + " " + measured[1] + ")",
		"  / " + prefix + name + "_seconds" + x.chosen(`stat="mean"`) + " - 1",
		") > " + number(x.o.Deviation),
		"unless on (study, point)",
	}
	r.expr = append(append(r.expr, load...), "> "+number(x.o.Load), "unless on (study, point)")
	r.expr = append(append(append(r.expr, load...), "> scalar(min("), load...)
	r.expr = append(r.expr, "))")
	r.summary = "mean " + what + " is {{ $value | humanizePercentage }} off what point {{ $labels.point }} predicts"
	r.description = "Measured over " + x.o.Window + " at a load within " + percent(x.o.Load) + " of the predicted; " + percent(x.o.Deviation) + " are allowed. Look first whether the requests are those of the study (lengths, prefix hits), then whether the machine is (chips, number formats, engine settings); then calibrate again on what was measured: calibrate fit."
	return r
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// missing are the rules that say when the others cannot fire.
func (x *data) missing() []rule {
	names := []string{x.o.Metrics.TTFT, x.o.Metrics.TPOT, x.o.Metrics.Finished}
	var expr []string
	for i, n := range names {
		if i < 2 {
			n += "_count"
		}
		line := "absent(" + n + x.selector() + ")"
		if i > 0 {
			line = "or " + line
		}
		expr = append(expr, line)
	}
	return []rule{
		{
			alert: "ScovilleMeasurementMissing", severity: "info", wait: "30m", expr: expr,
			summary:     "a series of vLLM that the rules read is not there",
			description: "No alert on it can fire. Compare the names and labels with vLLM's /metrics: --match chooses labels; --metric-tpot vllm:inter_token_latency_seconds or vllm:time_per_output_token_seconds is for servers without " + vllm().TPOT + ".",
		},
		{
			alert: "ScovillePredictionMissing", severity: "info", wait: "30m", expr: []string{"absent(scoville_study_info" + x.chosen() + ")"},
			summary:     "the predictions of the study are not scraped",
			description: "No deviation from them can be seen. Put the .prom file where node_exporter's --collector.textfile.directory points, and let the server scrape it.",
		},
	}
}
