package tidy

import (
	"fmt"
	"math"

	"scoville/calibrate/measured/row"
)

// openRequests is the length of an open-loop run that does not say it.
const openRequests = 1000

// Shares of a cap on concurrency: with a mean number in flight above the one
// the cap was the load, below the other it never acted.
const (
	capActs   = 0.9
	capSleeps = 0.5
)

// lost is the share of failed requests above which the others say nothing of
// the load that was meant.
const lost = 0.05

// load sets the arrival process: a cap without a rate is a closed loop, a rate
// without a cap an open one, neither is a burst of all requests.
func (o *reader) load() error {
	n := o.requests()
	conc, _ := o.Value(row.ConcurrencyPath).(int)
	rate, open := o.Value(row.RatePath).(float64)
	arrival := o.Value(row.ArrivalPath)
	if open && conc > 0 && arrival != "closed" {
		if open, conc = o.capped(rate, conc, n); open == (conc > 0) {
			return nil
		}
	}
	if b := o.Facts["batch"]; arrival == nil && !open && conc == 0 && b >= 1 && b == math.Trunc(b) && b < 1e6 {
		return o.batch(int(b))
	}
	switch {
	case arrival != nil:
	case open:
		o.Set(row.ArrivalPath, "poisson", -1)
		if b := o.Facts["burstiness"]; b > 0 && b != 1 {
			o.Set(row.ArrivalPath, "gamma", -1)
			o.Set("workload.arrival_cv", math.Round(1e4/math.Sqrt(b))/1e4, -1)
		}
	case conc > 0:
	case n > 0 && (o.Facts["rate_inf"] > 0 || o.Facts["duration_s"] > 0):
		o.Set(row.ArrivalPath, "burst", -1)
		if o.Facts["rate_inf"] == 0 {
			o.Note("neither a rate nor a cap is said: all requests at once, the client's default")
		}
		o.burst(n)
	default:
		return o.Errorf("", "add a column concurrency or request_rate", "the load is not said: neither requests in flight nor a rate")
	}
	if n > 0 && conc > n {
		o.Unset(row.ConcurrencyPath)
		o.Set(row.ConcurrencyPath, n, -1)
		conc = n
	}
	if o.Value(row.RequestsPath) != nil {
		return nil
	}
	if arrival = o.Value(row.ArrivalPath); arrival != nil && arrival != "closed" && arrival != "trace" && o.Value("workload.duration_s") == nil {
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d", openRequests))
		o.Set(row.RequestsPath, openRequests, -1)
	}
	if conc > 0 && !open && o.Value("measurement.prompts_per_concurrency") == nil {
		o.Set("measurement.prompts_per_concurrency", row.PromptsPerConcurrency, -1)
		o.Notes = append(o.Notes, fmt.Sprintf("number of requests not said: %d per unit of concurrency", row.PromptsPerConcurrency))
	}
	return nil
}

// batch makes a static batch of a run whose only load is the size of one.
func (o *reader) batch(n int) error {
	o.Kind = row.Batch
	o.Unset(row.RequestsPath)
	o.Set(row.ArrivalPath, "burst", -1)
	o.Set(row.RequestsPath, n, -1)
	o.Note("a batch size without concurrency or rate: static batches, all prompts at once")
	return nil
}

// requests returns the number of requests of the run, 0 if it is not said, and
// drops runs with many failures.
func (o *reader) requests() int {
	done := o.Facts["completed"]
	n, said := o.Value(row.RequestsPath).(int)
	if !said && done >= 1 && done == math.Trunc(done) && done < 1e8 {
		n = int(done + o.Facts["failed"])
		o.Set(row.RequestsPath, n, -1)
	}
	failed := o.Facts["failed"]
	if _, ok := o.Facts["completed"]; ok && said {
		failed = math.Max(failed, float64(n)-done)
	}
	switch {
	case n == 0 || failed <= 0:
	case failed > lost*float64(n):
		o.Drop("failed requests: %.0f of %d", failed, n)
	default:
		o.Suspect("failed requests: %.0f of %d", failed, n)
	}
	return n
}

// capped decides what a rate under a cap on requests in flight was: by whether
// the cap could act, else by the mean number in flight (Little's law).
func (o *reader) capped(rate float64, conc, n int) (bool, int) {
	inFlight := o.Facts["throughput_rps"] * o.e2e() / 1e3
	switch {
	case n > 0 && conc >= n, inFlight > 0 && inFlight <= capSleeps*float64(conc):
		o.Unset(row.ConcurrencyPath)
		o.Note("a rate under a cap that never acts is an open loop")
		return true, 0
	case inFlight >= capActs*float64(conc):
		o.Unset(row.RatePath)
		o.Note("a rate under a cap that always acts is a closed loop at the cap")
		return false, conc
	}
	o.Drop("a rate under a cap on concurrency is neither an open nor a closed loop: %g per second, at most %d in flight", rate, conc)
	return true, conc
}

// e2e returns the mean end-to-end latency in ms, from its parts where it is not
// given; 0 if unknown.
func (o *reader) e2e() float64 {
	if x, ok := o.Target("e2e_mean_ms"); ok {
		return x
	}
	ttft, ok := o.Target("ttft_mean_ms")
	gap, ok2 := o.Target("itl_mean_ms")
	if !ok2 {
		gap, ok2 = o.Target("tpot_mean_ms")
	}
	out, ok3 := o.Value(row.OutputPath).(float64)
	if !ok || !ok2 || !ok3 {
		return 0
	}
	return ttft + gap*(out-1)
}

// defaultSeqs is the engine's batch where the row does not say it.
const defaultSeqs = 256

// burst drops a burst that is larger than the running batch: its first tokens
// wait for others to end.
func (o *reader) burst(n int) {
	if seqs := o.seqs(); n > seqs {
		o.Saturate("%d requests at once are more than the batch of %d, so TTFT is the wait for it", n, seqs)
	}
}

// seqs is the engine's batch.
func (o *reader) seqs() int {
	if n, ok := o.Value("engine.max_num_seqs").(int); ok {
		return n
	}
	return defaultSeqs
}

// Saturation of an open loop: requests complete at less than achieved of what
// the run's length allows, or the mean TTFT is more than queued of the time in
// which they arrive. A run that fits the batch as a whole and whose first tokens
// come at once may be short of half its rate by the time of its last requests.
const (
	achieved = 0.85
	queued   = 0.2
)

// longBurst is the mean TTFT in ms from which a burst is suspected to run in
// waves: when it is also most of the whole latency.
const longBurst = 10e3

// rates keeps the throughput and drops open loops beyond capacity: those whose
// requests completed well below the rate, the last one's own time granted.
func (o *reader) rates() {
	for _, name := range []string{"throughput_rps", "output_tok_s"} {
		if x := o.Facts[name]; x > 0 {
			o.Rates = append(o.Rates, row.Target{Metric: name, Value: x})
		}
	}
	rate, open := o.Value(row.RatePath).(float64)
	n, ok := o.Value(row.RequestsPath).(int)
	ttft, haveTTFT := o.Target("ttft_mean_ms")
	if o.Value(row.ArrivalPath) == "burst" && o.Kind != row.Batch && ttft > longBurst && ttft > o.e2e()/2 {
		o.Saturate("of %.3g s the first token takes %.3g s: requests of the burst wait for others to end", o.e2e()/1e3, ttft/1e3)
	}
	if !open || !ok {
		return
	}
	arriving := float64(n) / rate
	could := float64(n) / (arriving + o.longest(n)/1e3)
	switch got := o.Facts["throughput_rps"]; {
	case haveTTFT && ttft/1e3 > queued*arriving && ttft > 1000:
		o.Saturate("requests arrive in %.3g s, and the first token takes %.3g s on average", arriving, ttft/1e3)
	case got > 0 && got < achieved*could && o.Kind != row.Replay && (got < could/2 || n > o.seqs() || !haveTTFT || ttft > 1000):
		o.Saturate("%.3g requests per second of %.3g offered were served", got, rate)
	}
}

// longest is how long the last requests of a run of n may take, in ms: as long
// as the longest said, or three times the mean; the longest of n outputs of a
// skewed distribution is 1 + ln n times the mean.
func (o *reader) longest(n int) float64 {
	for _, m := range []string{"e2e_max_ms", "e2e_p99_ms"} {
		if x, ok := o.Target(m); ok {
			return math.Max(x, 3*o.e2e())
		}
	}
	if o.Value(row.OutputPath+".dist") == nil {
		return 3 * o.e2e()
	}
	return math.Max(3, 1+math.Log(float64(n))) * o.e2e()
}

// Ratios of the mean inter-token latency over the mean TPOT that a stream of
// one chunk per token does not show: queueing parts them by less.
const (
	splitChunks  = 0.7
	joinedChunks = 1.5
)

// stream says where ITL and TPOT contradict each other, which comes from
// chunks that are no tokens, and leaves the wrong one out.
func (o *reader) stream() {
	itl, ok := o.Target("itl_mean_ms")
	tpot, ok2 := o.Target("tpot_mean_ms")
	if !ok || !ok2 || o.Saturated {
		return
	}
	switch r := itl / tpot; {
	case r < splitChunks:
		o.Suspect("stream chunks: mean ITL is %.2f of mean TPOT, as if a token came in several chunks; ITL is not used", r)
	case r > joinedChunks:
		o.Suspect("stream chunks: mean ITL is %.2f of mean TPOT, as if a chunk held several tokens (stream interval, multi-step scheduling, speculative decoding); ITL is not used", r)
	default:
		return
	}
	o.Forget("itl")
}

// wholeLatency derives the mean end-to-end latency, exactly: it is mean TTFT
// plus the pooled gaps, of which there are output tokens less one a request.
func (o *reader) wholeLatency() {
	n, out := o.Facts["completed"], o.Facts["output_tok"]
	ttft, ok := o.Target("ttft_mean_ms")
	itl, ok2 := o.Target("itl_mean_ms")
	if _, have := o.Target("e2e_mean_ms"); have || !ok || !ok2 || n < 1 || out <= n {
		return
	}
	o.Measure("e2e_mean_ms", ttft+itl*(out/n-1), -1, false)
}
