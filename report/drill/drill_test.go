package drill

import (
	"os"
	"strings"
	"testing"

	"scoville/report/page"
	"scoville/sweep/results/details"
)

// example is a baseline with a change, and another point.
func example() *details.Details {
	split := func(compute, memory details.Number) details.Split {
		return details.Split{
			Steps: 1, Seconds: compute + memory,
			Stages:    []details.Part{{Name: "gemm", Seconds: compute}, {Name: "decode_attention", Seconds: memory}},
			Resources: []details.Part{{Name: "compute", Seconds: compute}, {Name: "kv_memory", Seconds: memory}},
		}
	}
	point := func(index int, slow details.Number) details.Point {
		r := details.Request{
			Number: 4, Chosen: []string{"worst TTFT"}, Prompt: 128, Output: 3, Arrival: 1.5, TTFT: 40, TPOT: 15, E2E: 70, Preemptions: 1, Cached: 16, Class: "chat",
			Parts: []details.Part{{Name: "ttft queue", Seconds: 0.01}, {Name: "ttft prefill", Seconds: 0.03}, {Name: "decode own", Seconds: 0.03}},
			Steps: []details.Step{
				{Kind: details.PrefillStep, Chosen: "the only one", Start: 1.51, Sequences: 1, Prompt: 128, Context: 128, Split: split(0.02, 0.01)},
				{Kind: details.DecodeStep, Chosen: "slowest", Start: 1.6, Sequences: 2, Decoded: 2, Context: 300, Split: split(0.005, 0.01*slow)},
			},
		}
		r.Split.Prefill, r.Split.Decode = split(0.02, 0.01), split(0.01, 0.02*slow)
		return details.Point{
			Index: index, Verdict: "steady", Runs: 10, Text: "demo, point\n", Run: split(2, 3*slow), Requests: []details.Request{r},
			SLO:       []details.Limit{{Metric: "ttft_p99_ms", Max: 200}, {Metric: "tpot_mean_ms", Max: 15}},
			Latencies: []details.Quantiles{{Metric: "ttft", Count: 900, MS: []details.Number{10, 40 * slow, 900 * slow}}, {Metric: "e2e", Count: 9, MS: []details.Number{100, 110}}},
		}
	}
	d := &details.Details{Schema: details.Schema, Points: []details.Point{point(0, 1), point(1, 2), point(7, 1.5)}, Notes: []details.Note{{Index: 5, Text: "not looked into: x"}, {Index: -1, Text: "2 more"}}}
	d.Points[0].Baseline, d.Points[0].Chosen = true, []string{"baseline"}
	d.Points[1].Change, d.Points[1].Chosen = true, []string{"one-at-a-time change"}
	d.Points[1].Design = []details.Place{{Name: "hardware.kv_bandwidth_gb_s", Value: "-20%"}}
	d.Points[2].Chosen, d.Points[2].Verdict = []string{"lowest ttft_p99_ms"}, "saturated"
	d.Points[2].Design = []details.Place{{Name: "engine.max_num_seqs", Value: "16", Unit: "sequences"}}
	return d
}

// What is of one run is not passed off as the mean of a point's runs.
func TestFirstRun(t *testing.T) {
	for runs, want := range map[int]bool{1: false, 10: true} {
		d := example()
		for i := range d.Points {
			d.Points[i].Runs = runs
		}
		notes := strings.Join(Sections(d)[0].Charts[0].Notes, "\n")
		if got := strings.Contains(notes, "of the first run of each point, not the means"); got != want {
			t.Errorf("%d runs: %q", runs, notes)
		}
		lines := strings.Join(Details(d)["0"].Lines, "\n")
		if got := strings.Contains(lines, "the first of its 10 runs") && strings.Contains(lines, "of that run alone"); got != want {
			t.Errorf("%d runs: %q", runs, lines)
		}
	}
}

// wholePage is a page of the parts of a file.
func wholePage(d *details.Details) *page.Page {
	return &page.Page{Title: "demo", Kind: "sweep report", Sections: Sections(d), Details: Details(d)}
}

// TestPage: the parts make a page; every click on it leads to a panel, and every
// panel of a request or a step back to where it came from. DRILL_FROM and DRILL_TO
// make a page of a folder of results, to look at.
func TestPage(t *testing.T) {
	d := example()
	if dir := os.Getenv("DRILL_FROM"); dir != "" {
		text, err := os.ReadFile(dir + "/" + details.File)
		if err != nil {
			t.Fatal(err)
		}
		if d, err = details.Decode(text); err != nil {
			t.Fatal(err)
		}
	}
	p := wholePage(d)
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if to := os.Getenv("DRILL_TO"); to != "" {
		if err := os.WriteFile(to, html, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reached := map[string]bool{}
	follow := func(c *page.Chart) {
		if c.Title == "" || c.Reading == "" || strings.Contains(c.Reading, "NaN") {
			t.Errorf("the chart %q reads %q", c.Title, c.Reading)
		}
		for _, r := range c.Rows {
			reached[r.Ref] = true
		}
		for _, s := range c.Series {
			for _, x := range s.Points {
				reached[x.Ref] = true
			}
		}
	}
	for i := range p.Sections {
		for k := range p.Sections[i].Charts {
			follow(&p.Sections[i].Charts[k])
		}
	}
	for name, x := range p.Details {
		for k := range x.Charts {
			follow(&x.Charts[k])
		}
		if i := strings.LastIndexByte(name, '/'); i >= 0 && (x.Up != name[:i] || p.Details[x.Up].Title == "") {
			t.Errorf("%s leads back to %q", name, x.Up)
		}
	}
	delete(reached, "")
	for ref := range reached {
		if _, there := p.Details[ref]; !there {
			t.Errorf("a click leads to %q, which is nowhere", ref)
		}
	}
	for name := range p.Details {
		if !reached[name] {
			t.Errorf("nothing leads to %q", name)
		}
	}
}

// TestLatencies: what the lines are, and what is said of them.
func TestLatencies(t *testing.T) {
	s := Sections(example())
	if len(s) != 2 || len(s[0].Charts) != 2 || len(s[1].Charts) != 2 {
		t.Fatalf("%d sections", len(s))
	}
	c := s[0].Charts[0]
	if want := "Of baseline half of the requests are within 40.00 ms, 99 of 100 within 900.0 ms; the largest P99 is 1800 ms, of kv_bandwidth_gb_s -20%."; c.Reading != want {
		t.Errorf("%s\nwant %s", c.Reading, want)
	}
	if len(c.Series) != 3 || !c.X.Log || c.Series[0].Points[1].Hollow || !c.Series[2].Points[1].Hollow || c.Series[2].Points[1].Ref != "7" {
		t.Errorf("%+v", c.Series)
	}
	if len(c.Levels) != 1 || c.Levels[0].Label != "SLO: P99 200 ms" {
		t.Errorf("%+v", c.Levels)
	}
	if !strings.Contains(strings.Join(c.Notes, " "), "point 7 (max_num_seqs = 16) is saturated") {
		t.Errorf("%q", c.Notes)
	}
	one := example()
	one.Points = one.Points[2:]
	if c := Sections(one)[0].Charts[0]; !strings.HasPrefix(c.Reading, "Saturated: ") || c.Table.Rows[0][0] != "point 7 (max_num_seqs = 16)" || c.Table.Rows[0][6] != "saturated" || !strings.HasPrefix(Details(one)["7"].Lines[2], "SATURATED") {
		t.Errorf("%s %q", c.Reading, c.Table.Rows)
	}
	if n := s[0].Charts[1].Notes; !strings.Contains(strings.Join(n, " "), "3 lines of fewer than 100 requests") {
		t.Errorf("%q", n)
	}
	if got := strings.Join(s[0].Notes, "; "); got != "point 5 not looked into: x; 2 more" {
		t.Error(got)
	}
	if rows := c.Table.Rows; len(rows) != 3 || rows[1][0] != "kv_bandwidth_gb_s -20%" || rows[1][6] != "1800" {
		t.Errorf("%q", rows)
	}
	none := &details.Details{Notes: example().Notes}
	if s := Sections(none); len(s) != 1 || len(s[0].Charts) != 0 || len(s[0].Notes) != 2 {
		t.Errorf("%+v", s)
	}
	if Sections(nil) != nil || len(Details(nil)) != 0 || Sections(&details.Details{}) != nil {
		t.Error("without a file there is something")
	}
}

// TestTimes: shares of a run add up to the whole, colours mean the same everywhere.
func TestTimes(t *testing.T) {
	d := example()
	c := Sections(d)[1].Charts[0]
	sum := 0.0
	for _, b := range c.Rows[0].Bars {
		sum += b.Value
	}
	if sum != 100 || c.Rows[0].Bars[1].Value != 60 || c.Rows[0].Bars[1].Text != "3.000 s" || c.Kinds[2] != "KV memory" || c.Kinds[1] != "" {
		t.Errorf("%+v, %q", c.Rows[0], c.Kinds)
	}
	if want := "KV memory (60 %) of baseline is the largest part, and the largest of every other run too."; c.Reading != want {
		t.Errorf("%s\nwant %s", c.Reading, want)
	}
	if panel := Details(d)["0/4"]; panel.Charts[0].Kinds[2] != "KV memory" || !strings.Contains(panel.Lines[0], "128 prompt tokens and gets 3 tokens: TTFT 40.00 ms, TPOT 15.00 ms, E2E 70.00 ms; class chat; 16 tokens of the prompt are in the prefix cache; preempted 1 time") {
		t.Errorf("%q %q", panel.Charts[0].Kinds, panel.Lines)
	}
	if line := Details(d)["0/4/1"].Lines[0]; !strings.Contains(line, "2 decoded tokens of 2 sequences, attending to 300 tokens") {
		t.Error(line)
	}
}
