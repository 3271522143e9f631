package drill

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/page"
	"scoville/sweep/results/details"
)

// point is the panel of a point.
func (b *book) point(p *details.Point) page.Detail {
	d := page.Detail{Title: fmt.Sprintf("point %d: %s", p.Index, b.label(p, true))}
	if !p.Baseline && !p.Change {
		d.Title = b.label(p, false)
	}
	which := "its run"
	if p.Runs > 1 {
		which = fmt.Sprintf("the first of its %s", number.Plural(p.Runs, "run"))
	}
	d.Lines = append(d.Lines, fmt.Sprintf("Looked into as %s, by %s, which is %s.", strings.Join(p.Chosen, ", "), which, p.Verdict))
	if p.Runs > 1 {
		d.Lines = append(d.Lines, "What follows is of that run alone; the values above are means over all.")
	}
	if saturated(p) {
		d.Lines = append(d.Lines, "SATURATED: requests arrive faster than they are served. What follows is of this one run; no latency of it is a steady value.")
	}
	if len(p.Requests) > 0 {
		d.Charts = append(d.Charts, requests(p), waits(p))
		d.Tables = append(d.Tables, requestTable(p))
	}
	d.Texts = append(d.Texts, page.Text{Title: "sweep show, of " + which, Body: p.Text})
	return d
}

// byTTFT are the requests of a point, the fastest first token first.
func byTTFT(p *details.Point) []*details.Request {
	out := make([]*details.Request, len(p.Requests))
	for i := range out {
		out[i] = &p.Requests[i]
	}
	slices.SortStableFunc(out, func(a, b *details.Request) int { return cmp.Compare(a.TTFT, b.TTFT) })
	return out
}

// requestName is a request in a chart.
func requestName(r *details.Request) string {
	return fmt.Sprintf("%s: request %d", strings.Join(r.Chosen, ", "), r.Number)
}

// requests is the chart of what the latencies of requests are made of.
func requests(p *details.Point) page.Chart {
	c := page.Chart{Kind: page.Stack, Title: "what the latencies of a few requests are made of", X: page.Axis{Label: "from arrival to last token", Unit: "ms"}}
	kinds := newStacked(phases, func(name string) string { return phaseWords[name] })
	slowest := &p.Requests[0]
	for _, r := range byTTFT(p) {
		c.Rows = append(c.Rows, kinds.row(requestName(r), requestKey(p, r), r.Parts, milliseconds, shareOf(r.E2E/1e3)))
		if r.E2E > slowest.E2E {
			slowest = r
		}
	}
	c.Kinds = kinds.kinds()
	name, share := most(slowest.Parts, slowest.E2E/1e3)
	c.Reading = fmt.Sprintf("The longest takes %s ms, %.0f %% of it for %s. A click opens a request.", ms(slowest.E2E), 100*share, phaseWords[name])
	return c
}

// waits is the chart of what the steps of requests wait for, beside the whole run.
func waits(p *details.Point) page.Chart {
	c := page.Chart{Kind: page.Stack, Title: "what the steps wait for", X: page.Axis{Label: "share of the time in steps", Unit: "%", Min: 0, Max: 100}}
	kinds := newStacked(resources, words)
	add := func(name, ref string, parts []details.Part, whole details.Number) {
		if whole > 0 {
			c.Rows = append(c.Rows, kinds.row(name, ref, parts, func(s float64) float64 { return 100 * s / float64(whole) }, seconds))
		}
	}
	add("the whole run", "", p.Run.Resources, p.Run.Seconds)
	for _, r := range byTTFT(p) {
		both := append(append([]details.Part{}, r.Split.Prefill.Resources...), r.Split.Decode.Resources...)
		add(requestName(r), requestKey(p, r), both, r.Split.Prefill.Seconds+r.Split.Decode.Seconds)
	}
	c.Kinds = kinds.kinds()
	name, share := most(p.Run.Resources, p.Run.Seconds)
	c.Reading = fmt.Sprintf("The whole run waits for %s in %.0f %% of its busy time.", words(name), 100*share)
	return c
}

func requestTable(p *details.Point) page.Table {
	t := page.Table{Title: "these requests", Head: []string{"request", "chosen", "prompt", "output", "TTFT (ms)", "TPOT (ms)", "E2E (ms)"}}
	for _, r := range byTTFT(p) {
		t.Rows = append(t.Rows, []string{fmt.Sprint(r.Number), strings.Join(r.Chosen, ", "), number.Grouped(r.Prompt), number.Grouped(r.Output), ms(r.TTFT), ms(r.TPOT), ms(r.E2E)})
	}
	return t
}

// request is the panel of a request.
func request(p *details.Point, r *details.Request) page.Detail {
	d := page.Detail{Title: fmt.Sprintf("request %d of point %d: %s", r.Number, p.Index, strings.Join(r.Chosen, ", ")), Up: key(p)}
	d.Lines = append(d.Lines, about(r))
	c := page.Chart{Kind: page.Stack, Title: "what its steps wait for", X: page.Axis{Label: "time in steps", Unit: "ms"}}
	stage := page.Chart{Kind: page.Stack, Title: "the stages of its steps", X: c.X}
	waited, spent := newStacked(resources, words), newStacked(stages, words)
	table := page.Table{Title: "where its time goes", Head: []string{"part", "ms", "share of E2E"}}
	for _, part := range []struct {
		name  string
		split *details.Split
	}{{"until its first token", &r.Split.Prefill}, {"after it", &r.Split.Decode}} {
		if part.split.Steps == 0 {
			continue
		}
		name := fmt.Sprintf("%s, %s", part.name, number.Plural(part.split.Steps, "step"))
		c.Rows = append(c.Rows, waited.row(name, "", part.split.Resources, milliseconds, shareOf(part.split.Seconds)))
		stage.Rows = append(stage.Rows, spent.row(name, "", part.split.Stages, milliseconds, shareOf(part.split.Seconds)))
	}
	c.Kinds, stage.Kinds = waited.kinds(), spent.kinds()
	c.Reading = "All steps while it runs, with all that they do for others."
	stage.Reading = c.Reading
	if len(r.Steps) > 0 {
		d.Charts = append(d.Charts, stepChart(p, r))
	}
	if len(c.Rows) > 0 {
		d.Charts = append(d.Charts, c, stage)
	}
	for _, part := range r.Parts {
		table.Rows = append(table.Rows, []string{phaseWords[part.Name], ms(1e3 * part.Seconds), shareOf(r.E2E / 1e3)(float64(part.Seconds))})
	}
	d.Tables = append(d.Tables, table)
	return d
}

// about says what a request is.
func about(r *details.Request) string {
	s := fmt.Sprintf("It arrives at %s s with %s prompt tokens and gets %s: TTFT %s ms", ms(r.Arrival), number.Grouped(r.Prompt), number.Plural(r.Output, "token"), ms(r.TTFT))
	if r.TPOT.Known() {
		s += fmt.Sprintf(", TPOT %s ms, E2E %s ms", ms(r.TPOT), ms(r.E2E))
	}
	if r.Class != "" {
		s += "; class " + r.Class
	}
	if r.Cached > 0 {
		s += fmt.Sprintf("; %s of the prompt are in the prefix cache", number.Plural(r.Cached, "token"))
	}
	if r.Preemptions > 0 {
		s += "; preempted " + number.Plural(r.Preemptions, "time")
	}
	return s + "."
}

// stepChart is the chart of a few steps of a request.
func stepChart(p *details.Point, r *details.Request) page.Chart {
	c := page.Chart{Kind: page.Stack, Title: "a few of its steps", X: page.Axis{Label: "time of the step", Unit: "ms"}}
	kinds := newStacked(resources, words)
	longest := 0
	for i := range r.Steps {
		s := &r.Steps[i]
		c.Rows = append(c.Rows, kinds.row(stepName(s), stepKey(p, r, i), s.Split.Resources, milliseconds, shareOf(s.Split.Seconds)))
		if s.Split.Seconds > r.Steps[longest].Split.Seconds {
			longest = i
		}
	}
	c.Kinds = kinds.kinds()
	s := &r.Steps[longest]
	c.Reading = fmt.Sprintf("The longest takes %s ms: %s. A click opens a step.", ms(1e3*s.Split.Seconds), batch(s))
	return c
}

// stepName is a step in a chart.
func stepName(s *details.Step) string {
	if s.Kind == details.PrefillStep {
		if s.Chosen == "the only one" {
			return "step of its prompt"
		}
		return s.Chosen + " step of its prompt"
	}
	return s.Chosen + " decode step"
}

// batch says what a step does.
func batch(s *details.Step) string {
	var parts []string
	if s.Prompt > 0 {
		parts = append(parts, number.Plural(s.Prompt, "prompt token"))
	}
	if s.Decoded > 0 {
		parts = append(parts, number.Plural(s.Decoded, "decoded token"))
	}
	if s.Drafts > 0 {
		parts = append(parts, number.Plural(s.Drafts, "draft token"))
	}
	if len(parts) == 0 {
		return "it moves KV and computes no token"
	}
	return fmt.Sprintf("%s of %s, attending to %s", strings.Join(parts, " and "), number.Plural(s.Sequences, "sequence"), number.Plural(int(math.Round(float64(s.Context))), "token"))
}

// step is the panel of a step.
func step(p *details.Point, r *details.Request, i int) page.Detail {
	s := &r.Steps[i]
	d := page.Detail{Title: fmt.Sprintf("%s, request %d of point %d", stepName(s), r.Number, p.Index), Up: requestKey(p, r)}
	d.Lines = append(d.Lines, fmt.Sprintf("It begins at %s s and takes %s ms: %s.", ms(s.Start), ms(1e3*s.Split.Seconds), batch(s)))
	waited, spent := newStacked(resources, words), newStacked(stages, words)
	share := shareOf(s.Split.Seconds)
	c := page.Chart{Kind: page.Stack, Title: "what it waits for", X: page.Axis{Label: "time of the step", Unit: "ms"}}
	c.Rows = []page.Row{waited.row("the step", "", s.Split.Resources, milliseconds, share)}
	c.Kinds = waited.kinds()
	name, part := most(s.Split.Resources, s.Split.Seconds)
	c.Reading = sentence(fmt.Sprintf("%s takes %.0f %% of it.", words(name), 100*part))
	t := page.Chart{Kind: page.Stack, Title: "its stages", X: c.X}
	t.Rows = []page.Row{spent.row("the step", "", s.Split.Stages, milliseconds, share)}
	t.Kinds = spent.kinds()
	name, part = most(s.Split.Stages, s.Split.Seconds)
	t.Reading = sentence(fmt.Sprintf("%s takes %.0f %% of it. Work that is hidden behind other work takes no time.", words(name), 100*part))
	c.Table, t.Table = &page.Table{}, &page.Table{} // both are in the table below
	d.Charts = []page.Chart{c, t}
	table := page.Table{Head: []string{"part", "ms", "share"}}
	for _, x := range s.Split.Resources {
		table.Rows = append(table.Rows, []string{"waits for " + words(x.Name), ms(1e3 * x.Seconds), share(float64(x.Seconds))})
	}
	for _, x := range s.Split.Stages {
		table.Rows = append(table.Rows, []string{"stage " + words(x.Name), ms(1e3 * x.Seconds), share(float64(x.Seconds))})
	}
	d.Tables = []page.Table{table}
	return d
}
