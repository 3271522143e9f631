package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/plan"
	"scoville/sweep/study"
)

// alone is one request after the other on the sample chip.
const alone = `schema = 1
name = "alone"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
arrival = "closed"
concurrency = 1
requests = 3
[[workload.class]]
name = "a"
prompt_tokens = 128
output_tokens = 257
`

func planText(t *testing.T, text string) *plan.Plan {
	t.Helper()
	st, err := study.Decode("s.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(st)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func scenarioOf(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	pt, err := planText(t, text).Point(0)
	if err != nil {
		t.Fatal(err)
	}
	return &pt.Resolved.Scenario
}

func explainText(t *testing.T, text string, jobs int) *Explanation {
	t.Helper()
	p := planText(t, text)
	x, err := Point(context.Background(), Input{Plan: p, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *Explanation) effect(t *testing.T, lever, metric string) Effect {
	t.Helper()
	for _, l := range x.Levers {
		for _, e := range l.Effects {
			if strings.HasPrefix(l.Name, lever) && e.Metric == metric {
				return e
			}
		}
	}
	t.Fatalf("no effect of %s on %s", lever, metric)
	return Effect{}
}

func near(t *testing.T, what string, got Num, want, tol float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= tol) {
		t.Errorf("%s is %.6g, want %.6g", what, float64(got), want)
	}
}

// One request alone on the sample chip: a token takes the weights' 6.738 GB at
// 6 TB/s, 1.123 ms less the embedding table, and the adapter's 20 us. 10 % more
// weight bandwidth takes 1/11 of the first; the state path hides and does
// nothing.
func TestKnownAnswer(t *testing.T) {
	x := explainText(t, alone, 1)
	if x.Status != "ok" || x.Verdict != Bounded || x.Run.Bound != "weight_memory" {
		t.Fatalf("%s %s, bound by %s", x.Status, x.Verdict, x.Run.Bound)
	}
	weights := (6.738415616e9 - 32000*4096) / 6e12 * 1e3
	token := weights + 0.020
	near(t, "TPOT", x.Request.TPOT, token, 1e-4)
	near(t, "decode step", x.Decode.MS, token, 1e-4)
	near(t, "context", x.Run.Context, 245, 2) // 128 to 384 in 293 ms of decode, less in the 28 ms of the prompt
	near(t, "sequences", x.Run.Batch, 1, 1e-9)
	change := -weights / 11 / token
	e := x.effect(t, "weight bandwidth", "tpot_mean_ms")
	near(t, "TPOT change", e.Change, change, 1e-5)
	near(t, "TPOT change", e.Change, -0.089, 0.001)
	near(t, "elasticity", e.Elasticity, math.Log1p(change)/math.Log(1.1), 1e-4)
	near(t, "elasticity", e.Elasticity, -0.98, 0.005)
	near(t, "compute on TTFT", x.effect(t, "compute", "ttft_mean_ms").Change, -1.0/11, 1e-3)
	if e := x.effect(t, "state bandwidth", "tpot_mean_ms"); !e.Zero {
		t.Errorf("state bandwidth changes TPOT by %v", e.Change)
	}
	near(t, "adapter", x.effect(t, "adapter latency", "tpot_mean_ms").Change, -0.002/token, 1e-5)
	if x.Levers[0].Name != "weight bandwidth +10%" || x.Largest[0].Name != "gemm" || x.Largest[0].Bound != "weight_memory" {
		t.Errorf("first lever %s, largest %+v", x.Levers[0].Name, x.Largest[0])
	}
	if tokens := 235920; x.Memory.Tokens != tokens {
		t.Errorf("the pool holds %d tokens, want %d", x.Memory.Tokens, tokens)
	}
	// the mean request alone is the mean request of a closed loop of one
	near(t, "TTFT alone", x.Request.Alone.TTFT, float64(x.Request.TTFT), 1e-9)
	near(t, "TPOT alone", x.Request.Alone.TPOT, float64(x.Request.TPOT), 1e-9)
}

// Parts add up to their whole.
func TestSums(t *testing.T) {
	x := explainText(t, strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", "rate_rps = 6\nrequests = 300", 1)+"[replicates]\nn = 3\n", 2)
	sum := Num(0)
	for _, p := range x.Request.TTFTParts {
		sum += p.MS
	}
	near(t, "parts of TTFT", sum, float64(x.Request.TTFT), 1e-9*float64(x.Request.TTFT))
	sum = 0
	for _, p := range x.Request.TPOTParts {
		sum += p.MS
	}
	near(t, "parts of TPOT", sum, float64(x.Request.TPOT), 1e-9*float64(x.Request.TPOT))
	for name, all := range map[string][]Part{"stages": x.Run.Stages, "resources": x.Run.Resources, "waits of a decode step": x.Decode.Resources, "waits of a prefill step": x.Prefill.Resources} {
		sum := Num(0)
		for _, p := range all {
			sum += p.Share
		}
		near(t, name, sum, 1, 1e-9)
	}
	for _, s := range []*Step{x.Decode, x.Prefill} {
		sum := Num(0)
		for _, g := range s.Stages {
			sum += g.MS
		}
		near(t, s.What, sum, float64(s.MS), 1e-9*float64(s.MS))
	}
	if x.Paired != 3 || x.Verdict != Steady {
		t.Errorf("%d pairs, %s", x.Paired, x.Verdict)
	}
	e := x.effect(t, "weight bandwidth", "tpot_mean_ms")
	if !(e.Lo < e.Change && e.Change < e.Hi && e.Hi < 0) {
		t.Errorf("interval %+v", e)
	}
}

// The explanation does not depend on how many simulations run at a time, and
// is JSON and text.
func TestDeterminism(t *testing.T) {
	text := strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", "load = 0.5\nrequests = 200", 1) + "[replicates]\nn = 2\n"
	var last []byte
	for _, jobs := range []int{1, 4} {
		x := explainText(t, text, jobs)
		out, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := x.Text(&b); err != nil {
			t.Fatal(err)
		}
		out = append(out, b.Bytes()...)
		if last != nil && !bytes.Equal(out, last) {
			t.Errorf("with %d at a time it differs", jobs)
		}
		last = out
	}
}

// A study with a load keeps its rate while a resource grows: throughput of an
// open loop is what arrives.
func TestLoadKeepsRate(t *testing.T) {
	x := explainText(t, strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", "load = 0.5\nrequests = 400\narrival = \"constant\"", 1), 2)
	if e := x.effect(t, "compute", "output_tok_s"); math.Abs(float64(e.Change)) > 0.01 {
		t.Errorf("throughput changes by %v", e.Change)
	}
	if e := x.effect(t, "compute", "capacity_rps"); !(e.Change > 0.03) {
		t.Errorf("capacity changes by %v", e.Change)
	}
}

// Overlap of none grows by an absolute step, with no elasticity; capacity and
// link levers exist only where they act.
func TestCatalogue(t *testing.T) {
	x := explainText(t, strings.Replace(alone, `name = "jalapeno"`, "name = \"jalapeno\"\noverlap = 0", 1), 2)
	e := x.effect(t, "overlap +0.1", "tpot_mean_ms")
	if e.Elasticity.known() || !(e.Change < 0) {
		t.Errorf("overlap: %+v", e)
	}
	for _, l := range x.Levers {
		if strings.HasPrefix(l.Name, "link") || l.Name == "memory bandwidth +10%" || strings.HasPrefix(l.Name, "host") {
			t.Errorf("lever %s on a chip without", l.Name)
		}
	}
	x = explainText(t, strings.Replace(alone, `name = "jalapeno"`, "name = \"h100-sxm\"", 1)+"[engine]\nstep_overhead_us = 500\ntp = 2\n", 2)
	near(t, "host", x.effect(t, "host overheads", "tpot_mean_ms").Change, -0.05/float64(x.Request.TPOT), 1e-6)
	if e := x.effect(t, "link +10%", "tpot_mean_ms"); !(e.Change < 0) {
		t.Errorf("link: %+v", e)
	}
	// every stage of every effect that is off by default has what it waits for
	x = explainText(t, strings.Replace(alone, `name = "jalapeno"`, "name = \"h100-sxm\"\nkv_access_us = 2\nllc_context_tokens = 64\nllc_growth = 0.3", 1)+
		"[engine]\nembedding = \"host\"\nembedding_norm = \"split\"\nactivation_passes = 4\nkernel_launch_us = 5\nlogits = \"host\"\nsampling_us = 100\n", 2)
	for _, g := range x.Decode.Stages {
		if g.Bound == "" {
			t.Errorf("stage %s waits for nothing", g.Name)
		}
	}
	if len(x.Decode.Stages) < 8 {
		t.Errorf("stages %+v", x.Decode.Stages)
	}
	for _, lever := range []string{"host link", "KV access latency", "host overheads"} {
		if e := x.effect(t, lever, "tpot_mean_ms"); !(e.Change < 0) {
			t.Errorf("%s: %+v", lever, e)
		}
	}
}

// Every time of the host is a lever: what a request spends before the queue, and
// what the first step waits.
func TestHostTimes(t *testing.T) {
	for _, key := range []string{"ingress_ms", "cold_start_ms"} {
		x := explainText(t, alone+"[engine]\n"+key+" = 300\n", 2)
		e := x.effect(t, "host overheads -10%", "ttft_mean_ms")
		saved := 30.0
		if key == "cold_start_ms" {
			saved /= 3 // the first of three requests
		}
		near(t, key, e.Change, -saved/float64(x.Request.TTFT), 1e-6)
	}
	x := explainText(t, alone+"[engine]\nscheduler = \"dynamic\"\nbatch_window_ms = 300\n", 2)
	for _, l := range x.Levers {
		if strings.HasPrefix(l.Name, "host overheads") {
			t.Errorf("a window that the scheduler chooses is %s", l.Name)
		}
	}
}

// A number at the end of its range has no room for a lever, which is then named
// and not tried.
func TestUntried(t *testing.T) {
	x := explainText(t, strings.Replace(alone, `name = "jalapeno"`, "name = \"jalapeno\"\nstate_bandwidth_gb_s = 1e9", 1), 2)
	for _, l := range x.Levers {
		if strings.HasPrefix(l.Name, "state bandwidth") {
			t.Errorf("%s of a number at the end of its range", l.Name)
		}
	}
	const want = "state bandwidth +10%: hardware.state_bandwidth_gb_s"
	if len(x.Untried) != 1 || !strings.HasPrefix(x.Untried[0], want) {
		t.Errorf("untried %q, want %s ...", x.Untried, want)
	}
	var b bytes.Buffer
	if err := x.Text(&b); err != nil || !strings.Contains(b.String(), "not tried: "+want) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// The mean request alone is what each request alone takes: neither waits for a
// batch, since no other can come.
func TestAloneWaitsForNoBatch(t *testing.T) {
	last := 0.0
	for _, scheduler := range []string{"continuous", "static", "dynamic", "bucketed"} {
		text := strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", "rate_rps = 2\nrequests = 30", 1)
		x := explainText(t, text+"[engine]\nscheduler = \""+scheduler+"\"\nbatch_window_ms = 500\n", 2)
		got := float64(x.Request.Alone.TTFT)
		near(t, scheduler+": TTFT alone", x.Request.EachTTFT, got, 1e-9)
		near(t, scheduler+": TPOT alone", x.Request.EachTPOT, float64(x.Request.Alone.TPOT), 1e-9)
		if last != 0 && math.Abs(got-last) > 1e-9 || !(got > 0 && got < 500) {
			t.Errorf("%s: TTFT alone is %v, of others %v", scheduler, got, last)
		}
		last = got
	}
}

// No latency of a growing queue is shown, nor what would change it.
func TestSaturatedShowsNoLatency(t *testing.T) {
	x := explainText(t, strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", "rate_rps = 500\nrequests = 600", 1), 2)
	if x.Verdict != Saturated {
		t.Fatalf("load %v is %s", x.Run.Load, x.Verdict)
	}
	var b bytes.Buffer
	if err := x.Text(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, "SATURATED: ") || strings.Contains(s, "TTFT  ") || strings.Contains(s, "ttft_mean_ms") {
		t.Errorf("%s", s)
	}
	if e := x.effect(t, "compute", "capacity_rps"); !(e.Change > 0.05) {
		t.Errorf("capacity: %+v", e)
	}
}

func TestNumbersAsJSON(t *testing.T) {
	for n, want := range map[Num]string{1.5: "1.5", Num(math.Inf(1)): "null", 1e300: "1e+300"} {
		if got, err := json.Marshal(n); err != nil || string(got) != want {
			t.Errorf("%v is %s, want %s", float64(n), got, want)
		}
	}
	if got, _ := json.Marshal(Num(math.NaN())); string(got) != "null" {
		t.Errorf("NaN is %s", got)
	}
}

func TestInfeasible(t *testing.T) {
	x := explainText(t, strings.Replace(alone, "llama-2-7b", "llama-2-70b", 1), 1)
	if x.Status != string(core.Infeasible) || x.Memory.Reason == "" || x.Run != nil || x.Levers != nil {
		t.Errorf("%+v", x)
	}
}
