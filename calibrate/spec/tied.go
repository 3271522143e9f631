package spec

import (
	"fmt"
	"math"
	"slices"

	"scoville/calibrate/objective"
	"scoville/core/expr"
	"scoville/core/scenario"
)

// by reads the key whose values are held out in turn.
func (r *specReader) by(e scenario.Entry) string {
	key := r.text(r.Document, e)
	path, err := ByKey(key)
	if err != nil {
		r.fail(e.Key(), "", "%v", err)
	}
	return path
}

// ByKey returns the scenario key for a word: model, concurrency, rate, prompt,
// output or tp stand for theirs.
func ByKey(word string) (string, error) {
	short := map[string]string{
		"model": "model", "concurrency": "workload.concurrency", "rate": "workload.rate_rps", "tp": "engine.tp",
		"prompt": "workload.prompt_tokens", "output": "workload.output_tokens",
	}
	if path, ok := short[word]; ok {
		return path, nil
	}
	if _, ok := scenario.Lookup(word); ok || word == "workload.prompt_tokens" || word == "workload.output_tokens" {
		return word, nil
	}
	return "", fmt.Errorf("no key %q to hold out by: write model, concurrency, rate, prompt, output, tp, or a scenario key", word)
}

// tied reads an expression over other parameters.
func (r *specReader) tied(p *objective.Param, e scenario.Entry) {
	x, err := expr.ParseSum(r.text(r.Document, e))
	if err != nil {
		if r.err == nil {
			r.fail(e.Key(), "", "%v", err)
		}
		return
	}
	p.Tied, p.Fixed = x, true
}

// checkTied refuses expressions over what is no parameter, or is tied itself,
// and starts a tied parameter at its value.
func (r *specReader) checkTied() {
	init := make([]float64, len(r.Params))
	for i := range r.Params {
		if init[i] = r.Params[i].Init; math.IsNaN(init[i]) {
			init[i] = r.Params[i].Prior.Center
		}
	}
	for i := range r.Params {
		p := &r.Params[i]
		if p.Tied == nil {
			continue
		}
		for _, n := range p.Tied.Names() {
			k := slices.IndexFunc(r.Params, func(q objective.Param) bool { return q.Name == n.Text })
			switch {
			case k < 0:
				r.fail("params."+p.Name+".expr", "the parameters are those of this file", "no parameter %q", n.Text)
				return
			case r.Params[k].Tied != nil:
				r.fail("params."+p.Name+".expr", "write it with parameters that are free or have a value", "%s is tied itself", n.Text)
				return
			}
			p.PerModel = p.PerModel || r.Params[k].PerModel
		}
		v, ok := p.Tied.Number(func(name string) expr.Value {
			k := slices.IndexFunc(r.Params, func(q objective.Param) bool { return q.Name == name })
			return expr.Of(init[k])
		})
		if _, err := scenario.Convert(p.Path, v); !ok || err != nil {
			r.fail("params."+p.Name+".expr", "", "at the starting values it is %g, which %s does not allow", v, p.Path)
			return
		}
		p.Init = v
	}
}
