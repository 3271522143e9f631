package explain

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
)

// arriving are requests at a rate, on the sample chip with so many GiB behind
// its KV path: a token takes 256 KiB, so that 0.6 of 0.9 GiB hold 2,211.
func arriving(gib, rate float64) string {
	text := strings.Replace(alone, "arrival = \"closed\"\nconcurrency = 1\nrequests = 3", fmt.Sprintf("rate_rps = %g\nrequests = 300\narrival = \"poisson\"", rate), 1)
	return strings.Replace(text, `name = "jalapeno"`, fmt.Sprintf("name = \"jalapeno\"\nstate_memory_gib = %g", gib), 1)
}

func (x *Explanation) say(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Where requests queue for the KV pool, memory is the largest lever of TTFT, and the
// explanation says what the queue would be without: that of the same study with
// all the memory that it could use.
func TestQueueForThePool(t *testing.T) {
	x, free := explainText(t, arriving(0.3, 5), 2), explainText(t, arriving(64, 5), 2)
	if x.Verdict != Steady || x.Room == nil {
		t.Fatalf("%s, load %v, pool %+v", x.Verdict, x.Run.Load, x.Room)
	}
	near(t, "TTFT", x.Room.TTFT, float64(x.Request.TTFT), 1e-9)
	near(t, "TTFT with memory for all", x.Room.AmpleTTFT, float64(free.Request.TTFT), 1e-9)
	memory := x.effect(t, "state memory", "ttft_mean_ms")
	for _, l := range x.Levers {
		if e := x.effect(t, l.Name, "ttft_mean_ms"); l.Name != "state memory +10%" && !(memory.Change < e.Change) {
			t.Errorf("memory changes TTFT by %v, %s by %v", memory.Change, l.Name, e.Change)
		}
	}
	want := "the queue waits for the KV pool, at its peak " + percent(x.Room.Peak) + " full: with memory for every request it would be " + significant(x.Room.AmpleQueue) + " ms, not "
	if got := x.say(t); !strings.Contains(got, want) || !strings.Contains(got, "no effect: weight memory +10%: weights and workspace take ") {
		t.Errorf("no %q in\n%s", want, got)
	}
	if got := free.say(t); free.Room != nil || strings.Contains(got, "KV pool, at its peak") {
		t.Errorf("with all the memory the queue waits for it:\n%s", got)
	}
}

// A growing queue has no latency: what is told is the rate that memory for all
// would allow.
func TestSaturatedByThePool(t *testing.T) {
	x := explainText(t, arriving(0.3, 500), 2)
	if x.Verdict != Saturated || x.Room == nil || !(x.Room.AmpleCapacity > 1.1*x.Room.Capacity) {
		t.Fatalf("%s %+v", x.Verdict, x.Room)
	}
	if got := x.say(t); !strings.Contains(got, "with memory for every request the machine would serve ") || strings.Contains(got, "queue waits") {
		t.Errorf("%s", got)
	}
}

// A pool that nothing waits for is no lever and says how full it is; one that
// only the full machine of the capacity run needs is one of the capacity alone.
func TestMemoryWithoutEffect(t *testing.T) {
	for _, c := range []struct {
		name, text string
		lever      bool
		idle       string
	}{
		{"closed", alone, false, "of the KV pool is in use"},
		{"few sequences", arriving(8, 0.5) + "[engine]\nmax_num_seqs = 4\n", false, "of the KV pool is in use"},
		{"capacity", arriving(2, 0.3), true, ""},
		{"given", strings.Replace(arriving(0.3, 6), "[workload]", "[engine]\nkv_blocks = 60\n[workload]", 1), false, "engine.kv_blocks = 60 sets the KV pool"},
	} {
		x := explainText(t, c.text, 2)
		found, idle := false, strings.Join(x.Idle, "\n")
		for _, l := range x.Levers {
			found = found || l.Name == "state memory +10%"
		}
		if found != c.lever || !strings.Contains(idle, c.idle) || strings.Contains(idle, "state memory +10%") == c.lever {
			t.Errorf("%s: lever %t, no effect %q", c.name, found, idle)
		}
		if !c.lever {
			continue
		}
		if e := x.effect(t, "state memory", "ttft_mean_ms"); !e.Zero || e.Change != 0 {
			t.Errorf("%s: TTFT changes by %v", c.name, e.Change)
		}
		if e := x.effect(t, "state memory", "capacity_rps"); !(e.Change > 0.001) {
			t.Errorf("%s: capacity changes by %v", c.name, e.Change)
		}
	}
}

// Where the pool is called roomy, more of it changes no number; where it is not,
// it does at some size of every scheduler, so that the rule is not an empty one.
func TestRoomyChangesNothing(t *testing.T) {
	for _, scheduler := range []string{"continuous", "prefill-first", "static", "dynamic", "priority"} {
		changes, calm := 0, 0
		for _, gib := range []float64{0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 3} {
			sc := scenarioOf(t, arriving(gib, 6)+"[engine]\nmax_num_seqs = 6\nscheduler = \""+scheduler+"\"\n")
			run := func() (r replay) {
				o := core.Options{NoCapacity: true, Requests: func(all []metrics.Request) { r.look(all, 0) }}
				res, err := core.Simulate(t.Context(), sc, o)
				if err != nil || res.Status != core.OK {
					t.Fatalf("%v %s", err, res.Reason)
				}
				r.Result = res
				return r
			}
			before := []replay{run()}
			room := roomy(sc, before)
			sc.Hardware.StateMemoryGiB *= 1.1
			after := run()
			i, _ := metrics.Index("e2e_mean_ms")
			moved := math.Abs(after.Summary[i]/before[0].Summary[i]-1) > 1e-9
			if moved {
				changes++
			}
			if room {
				calm++
			}
			if room && moved {
				t.Errorf("%s, %v GiB: a roomy pool changes E2E by %v", scheduler, gib, after.Summary[i]/before[0].Summary[i]-1)
			}
		}
		if changes == 0 || calm == 0 {
			t.Errorf("%s: %d sizes change something, %d are roomy", scheduler, changes, calm)
		}
	}
}
