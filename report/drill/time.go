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

// What colours stand for, the same in all charts. A name that is none of them is
// added to the others.
var (
	resources = []string{"compute", "weight_memory", "kv_memory", "onchip_kv", "link", "host", "adapter", "host_link", "drafter", "other"}
	stages    = []string{"gemm", "decode_attention", "prefill_attention", "lm_head", "experts", "host", "adapter", "all_reduce", "launch", "sampling", "logits", "swap", "draft", "embedding", "activations", "kv_access", "other"}
	phases    = []string{"ttft queue", "ttft blocked", "ttft prefill", "decode own", "decode batch", "decode prefill", "host", "adapter", "other"}
)

// joined are parts that a chart shows as one.
var joined = map[string]string{"ttft host": "host", "decode host": "host", "ttft adapter": "adapter", "decode adapter": "adapter"}

// phaseWords are what the parts of a request's latency are.
var phaseWords = map[string]string{
	"ttft queue": "queue", "ttft blocked": "prompts and decodes of others beside its prompt", "ttft prefill": "its own prompt", "ttft host": "host, until the first token",
	"ttft adapter": "adapter, until the first token", "decode own": "its own decode steps, as if alone", "decode batch": "the batch's share of decode steps",
	"decode prefill": "prompts of others between its tokens", "decode host": "host, after the first token", "decode adapter": "adapter, after the first token",
	"host": "host", "adapter": "adapter", "other": "other",
}

// stacked adds up what is stacked in a chart: which kinds are used.
type stacked struct {
	names []string
	say   func(string) string
	used  map[int]bool
}

func newStacked(names []string, say func(string) string) *stacked {
	return &stacked{names: names, say: say, used: map[int]bool{}}
}

// row is a row of parts, each as value of its seconds; text says more of it.
func (s *stacked) row(name, ref string, parts []details.Part, value func(seconds float64) float64, text func(seconds float64) string) page.Row {
	r := page.Row{Name: name, Ref: ref}
	nan := math.NaN()
	sums := make([]float64, len(s.names))
	for _, p := range parts {
		k := slices.Index(s.names, cmp.Or(joined[p.Name], p.Name))
		if k < 0 {
			k = len(s.names) - 1
		}
		sums[k] += float64(p.Seconds)
	}
	for k, v := range sums {
		if v > 0 {
			s.used[k] = true
			r.Bars = append(r.Bars, page.Bar{Value: value(v), Lo: nan, Hi: nan, Kind: k, Text: text(v)})
		}
	}
	return r
}

// kinds are the names of what is stacked, "" of what is not.
func (s *stacked) kinds() []string {
	out := make([]string, len(s.names))
	for k, name := range s.names {
		if s.used[k] {
			out[k] = s.say(name)
		}
	}
	return out
}

func milliseconds(s float64) float64 { return 1e3 * s }

// shareOf makes what prints seconds as a share of a whole.
func shareOf(whole details.Number) func(float64) string {
	return func(s float64) string {
		if whole <= 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %%", 100*s/float64(whole))
	}
}

func seconds(s float64) string { return number.Significant(s) + " s" }

// most names the largest of some parts with its share.
func most(parts []details.Part, whole details.Number) (name string, share float64) {
	for _, p := range parts {
		if v := float64(p.Seconds / whole); v > share {
			name, share = p.Name, v
		}
	}
	return name, share
}

// times is the section of what runs spend their time on.
func (b *book) times() page.Section {
	s := page.Section{
		ID: "time", Title: "Where the time goes",
		Lines: []string{"The busy time of the first run of each point, of all its machines together: work that is hidden behind other work takes none. A click on a bar opens the point with its requests, a click on a request its steps."},
	}
	s.Charts = append(s.Charts,
		b.runs("what the runs wait for", resources, func(p *details.Split) []details.Part { return p.Resources }),
		b.runs("the stages of the runs", stages, func(p *details.Split) []details.Part { return p.Stages }))
	return s
}

// runs is a chart of all runs, in shares of their time.
func (b *book) runs(title string, names []string, of func(*details.Split) []details.Part) page.Chart {
	c := page.Chart{Kind: page.Stack, Title: title, X: page.Axis{Label: "share of busy time", Unit: "%", Min: 0, Max: 100}}
	kinds := newStacked(names, words)
	leaders := map[string]bool{}
	var said []string
	all := b.groups()
	for _, g := range all {
		for _, p := range g.points {
			if p.Run.Seconds <= 0 {
				continue
			}
			whole := float64(p.Run.Seconds)
			c.Rows = append(c.Rows, kinds.row(b.label(p, len(all) > 1), key(p), of(&p.Run), func(s float64) float64 { return 100 * s / whole }, seconds))
			name, share := most(of(&p.Run), p.Run.Seconds)
			if !leaders[name] && len(said) < 3 {
				said = append(said, fmt.Sprintf("%s (%.0f %%) of %s", words(name), 100*share, b.label(p, len(all) > 1)))
			}
			leaders[name] = true
		}
	}
	c.Kinds = kinds.kinds()
	switch {
	case len(c.Rows) == 0:
		c.Reading = "nothing ran."
	case len(leaders) == 1 && len(c.Rows) > 1:
		c.Reading = sentence(fmt.Sprintf("%s is the largest part, and the largest of every other run too.", said[0]))
	default:
		c.Reading = strings.Join(said, "; ") + "."
		c.Reading = "The largest parts: " + c.Reading
	}
	return c
}
