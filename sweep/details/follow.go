package details

import (
	"cmp"
	"slices"

	"scoville/core"
	"scoville/sweep/results/details"
)

// maxKept bounds the stretches of steps that are kept of a request, each way of
// its first token.
const maxKept = 8192

// follower follows a few requests through a run.
type follower struct {
	all   core.Spent
	lives []life
}

// life is the steps that a request is in.
type life struct {
	number, replica int
	runs, spoke     bool
	prefill, decode stay
}

// stay is steps that a request is in, and most of them one by one.
type stay struct {
	spent core.Spent
	kept  []core.Steps
}

func follow(requests []details.Request) *follower {
	f := &follower{}
	for _, r := range requests {
		f.lives = append(f.lives, life{number: r.Number, replica: r.Replica})
	}
	return f
}

// watch takes a moment of the run.
func (f *follower) watch(m *core.Moment) {
	if m.Kind == core.Stepped {
		f.all.Add(m.Steps)
		for i := range f.lives {
			l := &f.lives[i]
			switch {
			case !l.runs || l.replica != m.Steps.Replica:
			case l.spoke:
				l.decode.add(m.Steps)
			default:
				l.prefill.add(m.Steps)
			}
		}
		return
	}
	for i := range f.lives {
		l := &f.lives[i]
		if l.number != m.Request {
			continue
		}
		switch m.Kind {
		case core.Began:
			l.runs = true
		case core.First:
			l.spoke = true
		case core.Waits, core.Ended:
			l.runs = false
		}
	}
}

func (s *stay) add(steps *core.Steps) {
	s.spent.Add(steps)
	if len(s.kept) < maxKept {
		s.kept = append(s.kept, *steps)
	}
}

// tell puts what was seen into the requests.
func (f *follower) tell(requests []details.Request) {
	for i := range f.lives {
		l, r := &f.lives[i], &requests[i]
		r.Split.Prefill, r.Split.Decode = spent(&l.prefill.spent), spent(&l.decode.spent)
		r.Steps = append(l.prefill.prompts(), l.decode.decodes()...)
	}
}

// prompts are the first, the slowest and the last step of a prompt.
func (s *stay) prompts() []details.Step {
	out := []details.Step{}
	if len(s.kept) == 0 {
		return out
	}
	first, last := &s.kept[0], &s.kept[len(s.kept)-1]
	if first == last && first.N == 1 {
		return append(out, step(details.PrefillStep, "the only one", first, 0))
	}
	slow := slices.IndexFunc(s.kept, func(k core.Steps) bool { return k.Seconds(k.N-1) >= s.slowest() })
	out = append(out, step(details.PrefillStep, "first", first, 0))
	if k := &s.kept[slow]; k != first && k != last {
		out = append(out, step(details.PrefillStep, "slowest", k, k.N-1))
	}
	return append(out, step(details.PrefillStep, "last", last, last.N-1))
}

// slowest is what the slowest step takes, s.
func (s *stay) slowest() (seconds float64) {
	for i := range s.kept {
		seconds = max(seconds, s.kept[i].Seconds(s.kept[i].N-1))
	}
	return seconds
}

// decodes are the median and the slowest step of those after the first token.
func (s *stay) decodes() (out []details.Step) {
	if len(s.kept) == 0 {
		return nil
	}
	n := 0
	order := make([]int, len(s.kept))
	for i := range s.kept {
		order[i] = i
		n += s.kept[i].N
	}
	middle := func(i int) float64 { return s.kept[i].Seconds(s.kept[i].N / 2) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(middle(a), middle(b)) })
	median := order[len(order)-1]
	for passed, k := 0, 0; k < len(order); k++ {
		if passed += s.kept[order[k]].N; 2*passed >= n {
			median = order[k]
			break
		}
	}
	slow := slices.IndexFunc(s.kept, func(k core.Steps) bool { return k.Seconds(k.N-1) >= s.slowest() })
	a, b := &s.kept[median], &s.kept[slow]
	at, end := a.N/2, b.N-1
	if median == slow && at == end {
		return []details.Step{step(details.DecodeStep, "the slowest, and the median", a, at)}
	}
	out = append(out, step(details.DecodeStep, "median", a, at), step(details.DecodeStep, "slowest", b, end))
	slices.SortStableFunc(out, func(x, y details.Step) int { return cmp.Compare(x.Start, y.Start) })
	return out
}

// step is step i of some.
func step(kind, why string, s *core.Steps, i int) details.Step {
	stages, resources := s.Shares(i)
	return details.Step{
		Kind: kind, Chosen: why, Start: details.Number(s.Begins(i)),
		Sequences: s.Sequences, Prompt: s.Prompt, Decoded: s.Decodes, Drafts: s.Drafts, Context: details.Number(s.Context(i)),
		Split: details.Split{Steps: 1, Seconds: details.Number(s.Seconds(i)), Stages: parts(stages), Resources: parts(resources)},
	}
}

func spent(t *core.Spent) details.Split {
	stages, resources := t.Shares()
	return details.Split{Steps: t.Steps, Seconds: details.Number(t.Seconds), Stages: parts(stages), Resources: parts(resources)}
}
