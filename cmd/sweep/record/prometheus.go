package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

const prometheusHelp = `
Prometheus writes two files into -o DIR (default: here) from the results in DIR:

  scoville-STUDY.prom        what is predicted, as metrics in the text format of
                             node_exporter's textfile collector
  scoville-STUDY.rules.yml   alert rules that hold a running vLLM against it

Metrics are in base units (seconds) and named after vLLM's: for example
scoville_predicted_time_to_first_token_seconds{study, point, model, hardware,
version, AXES…, stat="mean|p50|p90|p95|p99|max"}, with ..._ci_lower_seconds and
..._ci_upper_seconds for the 95 % interval and ..._draw_lower_ and ..._draw_upper_
for that over the draws of [uncertainty]; also time_per_output_token,
inter_token_latency, e2e_request_latency, requests, output_tokens and good_requests
per second, offered and capacity, load_ratio, slo_met, state, and what searches
found. A saturated point has a state, its load and its capacity, and no latency. An
infeasible one has a state. What has no value has no series.

Rules:
  ScovilleTTFTAboveTarget    measured TTFT above [slo], or else mean above 200 ms
  ScovilleTPOTAboveTarget    measured TPOT above [slo], or else mean above 15 ms
  Scoville…OffPrediction     measured mean more than 10 % off what a point predicts,
                             of the point whose load is nearest to the measured,
                             if it is within 10 %
  ScovilleTTFTOverTPOTLow    measured TTFT over TPOT below --ttft-over-tpot, if given
  Scoville…Missing           series that the rules read are not there

--match chooses vLLM's series by their labels (a server, a model); give it, or all
that the monitoring knows are taken together. Export the point that is deployed
(--point), or all loads of it (--where).

--metric-tpot: vLLM's request_time_per_output_token_seconds is TPOT as we define
it, one value a request. Servers without it have inter_token_latency_seconds or
time_per_output_token_seconds, which count gaps between tokens; these are held
against the predicted inter-token latency.`

func prometheusCommand(d Doors) *cobra.Command {
	o := sweep.DefaultPrometheus()
	var ttft, tpot time.Duration
	c := &cobra.Command{
		Use:   "prometheus DIR",
		Short: "Write predictions as metrics and alert rules of Prometheus",
		Long:  strings.TrimSpace(prometheusHelp) + "\n" + codes.Of("export"),
		Example: `  sweep export prometheus results/h100 --point 4 --match model_name=meta-llama/Llama-3.1-70B -o monitoring
  sweep export prometheus results/h100 --where 'steady' --match 'instance=~gpu1.*' --deviation 0.15
  promtool check rules monitoring/scoville-h100.rules.yml`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			for _, t := range []struct {
				flag string
				d    time.Duration
			}{{"ttft", ttft}, {"tpot", tpot}} {
				if c.Flags().Changed(t.flag) && t.d <= 0 {
					return d.Usage(fmt.Errorf("--%s %v: a time above 0, such as 200ms", t.flag, t.d))
				}
			}
			if o.Limit < 1 {
				return d.Usage(fmt.Errorf("--limit %d: at least one point", o.Limit))
			}
			dir, done, err := d.Read(c.Context(), args[0], false)
			if err != nil {
				return err
			}
			defer done()
			o.Dir, o.TTFT, o.TPOT = dir, ttft.Seconds(), tpot.Seconds()
			w, err := sweep.Prometheus(o)
			if err != nil {
				return err
			}
			fmt.Fprintf(d.Out, "metrics  %s: %d series of %d points\nrules    %s: %d alerts\n", w.Metrics, w.Series, w.Points, w.Rules, w.Alerts)
			for _, n := range w.Notes {
				fmt.Fprintf(d.Err, "note     %s\n", n)
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVarP(&o.Out, "output", "o", ".", "folder to write to, made if it is not there")
	f.StringArrayVar(&o.Points, "point", nil, "index, id or unique beginning of an id of a point; may be given again")
	f.StringVar(&o.Where, "where", "", "condition on the points, such as 'steady && rate_rps <= 8'")
	f.BoolVar(&o.Front, "front", false, "points on the front alone, of a study with [[objective]]")
	f.IntVar(&o.Limit, "limit", o.Limit, "points and searches at most; more are refused")
	f.StringArrayVar(&o.Match, "match", nil, "vLLM's series: label=value, label=~regexp, != or !~; may be given again")
	f.DurationVar(&ttft, "ttft", 0, "largest mean TTFT (default: [slo], without it 200ms)")
	f.DurationVar(&tpot, "tpot", 0, "largest mean TPOT (default: [slo], without it 15ms)")
	f.Float64Var(&o.Ratio, "ttft-over-tpot", 0, "least mean TTFT over mean TPOT; 0 = no such rule")
	f.Float64Var(&o.Deviation, "deviation", o.Deviation, "ratio by which a measured mean may be off the predicted")
	f.Float64Var(&o.Load, "load", o.Load, "ratio by which the measured load may be off the predicted for a point to count")
	f.StringVar(&o.For, "for", o.For, "how long a condition must hold")
	f.StringVar(&o.Window, "window", o.Window, "time over which measured rates and means are taken")
	f.StringVar(&o.Severity, "severity", o.Severity, "label severity of the alerts")
	f.StringVar(&o.Metrics.TTFT, "metric-ttft", o.Metrics.TTFT, "histogram of measured TTFT")
	f.StringVar(&o.Metrics.TPOT, "metric-tpot", o.Metrics.TPOT, "histogram of measured TPOT")
	f.StringVar(&o.Metrics.Finished, "metric-finished", o.Metrics.Finished, "counter of finished requests")
	return c
}
