package engine

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

var update = flag.Bool("update", false, "rewrite the expected event logs in testdata")

// schedulers are the schedulers that every case must run, by the names of
// engine.scheduler.
var schedulers = map[string]Config{
	"continuous":    {Chunked: true},
	"prefill-first": {PrefillFirst: true},
	"sjf":           {Chunked: true, Order: Shortest},
	"priority":      {Chunked: true, Order: Priority},
	"static":        {Batching: Static},
	"dynamic":       {Batching: Dynamic},
	"bucketed":      {Batching: Bucketed},
}

// toy returns a machine whose steps take 1 ms + 0.1 ms per sequence + 0.01 ms
// per token, whatever the contexts, and 0.02 ms per token moved to host memory or
// back. Memory and compute are so fast that they do not show; the link of two
// chips makes the time per token.
func toy() *perf.Machine { return toyLink(0.04) }

// toyLink is toy with a link of so many GB/s.
func toyLink(rate float64) *perf.Machine {
	return perf.New(&scenario.Scenario{
		Model: model.Model{
			Layers: 1, Hidden: 100, Heads: 2, KVHeads: 2, HeadDim: 1, FFN: 1, Vocab: 1,
			WeightDType: unit.INT8, KVDType: unit.INT8, ActivationDType: unit.INT8,
		},
		Hardware: hardware.Hardware{
			Peak: hardware.Peaks{INT8: 1e40}, KVPath: hardware.Shared, MemoryBandwidthGBs: 1e30,
			LinkBandwidthGBs: rate, PCIeGBs: 1e-4, PCIeUtil: 1, OnchipKVPolicy: hardware.None, OnchipKVHitRatio: -1,
			ComputeUtil: 1, ExpertComputeUtil: 1, AttentionComputeUtil: 1, WeightBandwidthUtil: 1, KVBandwidthUtil: 1, LinkUtil: 1, DRAMUtilCap: 1,
		},
		Engine: scenario.Engine{TP: 2, EP: 1, AttnSpeed: 1, AttnOccupancy: 1, HostOverlap: scenario.Sum, StepUs: 1000, SequenceUs: 100},
	})
}

// TestConformance runs every scheduler over the cases in testdata and compares
// what happened with the logs in the files, and with the plain engine. A file
// holds comments, a line "config" with key value pairs, a line per request
//
//	ARRIVAL_MS prompt N output N [class N] [prefix A,B,C]
//
// and a section per scheduler: "scheduler NAME" with key value pairs that
// override the config, comments, and the log. Run with -update to rewrite the
// logs; read what changed before you believe it.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	m := toy()
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, sections := cut(string(text))
		var got bytes.Buffer
		got.WriteString(head)
		ran := map[string]bool{}
		for _, s := range sections {
			fmt.Fprintf(&got, "\n%s\n%s", s.title, s.comment)
			name := strings.Fields(s.title)[1]
			ran[name] = true
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+name, func(t *testing.T) {
				log, err := replay(m, head, s.title)
				if err != nil {
					t.Error(err)
				}
				got.WriteString(log)
				if log != s.log && !*update {
					t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", path, s.title, log, s.log)
				}
			})
		}
		for name := range schedulers {
			if !ran[name] {
				t.Errorf("%s: no section for scheduler %s", path, name)
			}
		}
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// section is the part of a case about one scheduler.
type section struct{ title, comment, log string }

// cut splits a case into its head and its sections.
func cut(text string) (head string, sections []section) {
	parts := strings.Split(text, "\nscheduler ")
	for _, p := range parts[1:] {
		title, rest, _ := strings.Cut(strings.TrimRight(p, "\n"), "\n")
		s := section{title: "scheduler " + title}
		for line := range strings.Lines(rest + "\n") {
			if strings.HasPrefix(line, "#") {
				s.comment += line
			} else {
				s.log += line
			}
		}
		sections = append(sections, s)
	}
	return parts[0], sections
}

// replay runs one section both ways and returns the log of Run.
func replay(m *perf.Machine, head, title string) (string, error) {
	words := strings.Fields(title)
	cfg, ok := schedulers[words[1]]
	if !ok {
		return "", fmt.Errorf("%s: no such scheduler", title)
	}
	reqs, err := parseCase(head, words[2:], &cfg)
	if err != nil {
		return "", err
	}
	if err := cfg.Fits(reqs); err != nil {
		return "", err
	}
	var e Engine
	var got, want Output
	if err := Plain(context.Background(), m, cfg, reqs, &want); err != nil {
		return "", fmt.Errorf("plain: %w", err)
	}
	var events []Event
	cfg.Trace = func(ev Event) { events = append(events, ev) }
	if err := e.Run(context.Background(), m, cfg, reqs, &got); err != nil {
		return "", err
	}
	if diff := difference(&got, &want); diff != "" {
		err = fmt.Errorf("%s: %s", title, diff)
	}
	return render(events, &got), err
}

// parseCase reads the head of a case into cfg, which overrides then change, and
// returns its requests.
func parseCase(head string, overrides []string, cfg *Config) ([]workload.Request, error) {
	var reqs []workload.Request
	for line := range strings.Lines(head) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if words[0] == "config" {
			if err := setAll(words[1:], cfg, nil); err != nil {
				return nil, err
			}
			continue
		}
		at, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		q := workload.Request{Arrival: at * 1e-3}
		if err := setAll(words[1:], cfg, &q); err != nil {
			return nil, err
		}
		reqs = append(reqs, q)
	}
	return reqs, setAll(overrides, cfg, nil)
}

// setAll sets key value pairs of the configuration or, if q is given, of q.
func setAll(words []string, cfg *Config, q *workload.Request) error {
	for i := 0; i+1 < len(words); i += 2 {
		var list []int32
		for _, w := range strings.Split(words[i+1], ",") {
			n, err := strconv.Atoi(w)
			if err != nil {
				return fmt.Errorf("%s: %w", words[i], err)
			}
			list = append(list, int32(n))
		}
		if key := words[i]; q == nil && !cfg.set(key, list) || q != nil && !setRequest(q, cfg, key, list) {
			return fmt.Errorf("unknown key %q", key)
		}
	}
	return nil
}

func (c *Config) set(key string, list []int32) bool {
	n := int(list[0])
	switch key {
	case "max_seqs":
		c.MaxSeqs = n
	case "max_tokens":
		c.MaxTokens = n
	case "blocks":
		c.Blocks = n
	case "block_size":
		c.BlockSize, c.PrefixBlock = n, n
	case "watermark":
		c.Watermark = n
	case "reserve":
		c.Reserve = n > 0
	case "swap":
		c.Swap = n > 0
	case "chunked":
		c.Chunked = n > 0
	case "priorities":
		c.Priorities = list
	case "window_ms":
		c.BatchWindow = float64(n) * 1e-3
	case "bucket":
		c.BucketTokens = n
	case "closed":
		c.Closed, c.Concurrency = true, n
	case "cold_ms":
		c.Cold = float64(n) * 1e-3
	case "jitter_us":
		c.Jitter, c.JitterOn, c.Noise = float64(n)*1e-6, 0.5, workload.NewStream(1, 0, "allocator")
	case "ingress_ms":
		c.Ingress = float64(n) * 1e-3
	case "ingress_outside":
		c.IngressFree = n > 0
	case "slow_ms": // from, to: the link at half its rate, 0.02 ms per token
		c.Phases = []Phase{{float64(list[0]) * 1e-3, toyLink(0.02)}, {float64(list[1]) * 1e-3, toy()}}
	case "think_ms":
		c.Think = float64(n) * 1e-3
	default:
		return false
	}
	return true
}

func setRequest(q *workload.Request, c *Config, key string, list []int32) bool {
	switch key {
	case "prompt":
		q.Prompt = list[0]
	case "output":
		q.Output = list[0]
	case "class":
		q.Class = list[0]
	case "prefix":
		q.Prefix = list
		c.Prefixes = max(c.Prefixes, int(slices.Max(list))+1)
	default:
		return false
	}
	return true
}

// render writes events as a log with one line per moment. It does not depend on
// how far the engine jumps at once: arrivals stand at their own time, and steps
// that are alike with nothing between them are one.
func render(events []Event, out *Output) string {
	for i := range events {
		if ev := &events[i]; ev.Kind == Arrive {
			ev.At = out.Requests[ev.ID].Arrival
		}
	}
	micros := func(ev Event) float64 { return math.Round(ev.At * 1e6) }
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(micros(a), micros(b)) })
	var b strings.Builder
	last := math.Inf(-1)
	for i := 0; i < len(events); i++ {
		ev := events[i]
		for ; i+1 < len(events) && alike(ev, events[i+1]); i++ {
			ev.At, ev.N = events[i+1].At, ev.N+events[i+1].N
		}
		if at := micros(ev); at > last {
			fmt.Fprintf(&b, "\n%8.3f  ", at/1e3)
			last = at
		} else {
			b.WriteString("; ")
		}
		b.WriteString(ev.String())
	}
	fmt.Fprintf(&b, "\n   total  computed %d padded %d hit %d lost %d peak_blocks %d\n", out.Computed, out.Padded, out.Hit, out.Lost, out.PeakBlocks)
	return b.String()[1:]
}

// alike reports whether b continues the steps of a.
func alike(a, b Event) bool {
	return a.Kind == Steps && b.Kind == Steps && a.Decodes == b.Decodes && a.Prompt == b.Prompt
}

// String returns the event as the logs show it, without its time: steps with
// the sequences that decode and the prompt tokens of each; admissions with the
// tokens of the first chunk, preemptions with the tokens held, in brackets.
func (ev Event) String() string {
	switch ev.Kind {
	case Steps:
		s := "step:"
		if ev.N > 1 {
			s = fmt.Sprintf("%d steps:", ev.N)
		}
		if ev.Decodes > 0 {
			s += fmt.Sprintf(" decode %d", ev.Decodes)
		}
		if ev.Prompt > 0 {
			s += fmt.Sprintf(" prompt %d", ev.Prompt)
		}
		if ev.Decodes+ev.Prompt == 0 {
			s += " swap"
		}
		return s
	case Change:
		return fmt.Sprintf("change %d", ev.N)
	case Arrive, First, Finish:
		return fmt.Sprintf("%s %d", ev.Kind, ev.ID)
	}
	return fmt.Sprintf("%s %d (%d)", ev.Kind, ev.ID, ev.N)
}
