package tidy

import (
	"math"

	"scoville/calibrate/measured/row"
)

// Spread of lengths where only totals are known, as coefficient of variation:
// those of 200 ShareGPT conversations as vLLM's client picks them (prompts up
// to 1024 tokens): 1.10 and 0.99, the shortest far more frequent than the
// mean, which a gamma distribution has too.
const (
	promptSpread = 1.1
	outputSpread = 1.0
)

// near is the ratio of mean to nominal length up to which a length is exact:
// tokenising a random text again moves it by this much.
const near = 0.03

// lengths sets the distributions of prompt and output lengths, best source
// first: the requests' own, the nominal ones corrected by the totals, the
// totals alone.
func (o *reader) lengths() error {
	if r := &o.sheet.Records[o.record]; len(r.Prompt) > 0 && len(r.Output) > 0 {
		o.empirical(row.PromptPath, r.Prompt)
		o.empirical(row.OutputPath, r.Output)
		return nil
	}
	n := o.Facts["completed"]
	mean := map[string]float64{}
	if n > 0 {
		mean[row.PromptPath], mean[row.OutputPath] = o.Facts["input_tok"]/n, o.Facts["output_tok"]/n
	}
	prompt, haveP := o.Value(row.PromptPath).(float64)
	output, haveO := o.Value(row.OutputPath).(float64)
	if haveP && haveO {
		o.correct([2]float64{prompt, output}, [2]float64{mean[row.PromptPath], mean[row.OutputPath]})
		return nil
	}
	whole := n >= 10 && mean[row.OutputPath] > 1 && math.Abs(mean[row.OutputPath]-math.Round(mean[row.OutputPath])) < 1e-9
	for _, l := range []struct {
		path, name string
		spread     float64
	}{{row.PromptPath, "prompt_tokens", promptSpread}, {row.OutputPath, "output_tokens", outputSpread}} {
		m := mean[l.path]
		switch {
		case o.Value(l.path) != nil:
		case m < 1:
			return o.Errorf("", "add a column "+l.name+", or the client's totals and completed requests", "workload.%s is not said", l.name)
		case whole:
			o.Set(l.path, math.Round(m), -1)
			o.Note("lengths are the totals over the requests, and fixed: the mean output is a whole number")
		default:
			o.Set(l.path, m, -1)
			o.Set(l.path+".dist", "gamma", -1)
			o.Set(l.path+".cv", l.spread, -1)
			o.Note("lengths are known by their totals only: means from them, spread assumed as of ShareGPT (gamma, cv %g prompt, %g output)", promptSpread, outputSpread)
		}
	}
	return nil
}

// maxLengths is the number of lengths that stand for a longer list: quantiles
// of it.
const maxLengths = 2000

func (o *reader) empirical(path string, lengths []float64) {
	sum := 0.0
	for _, l := range lengths {
		sum += l
	}
	step := (len(lengths) + maxLengths - 1) / maxLengths
	values := make([]any, 0, maxLengths)
	for i := 0; i < len(lengths); i += step {
		values = append(values, lengths[i])
	}
	o.Set(path, math.Max(1, sum/float64(len(lengths))), -1)
	o.Set(path+".dist", "empirical", -1)
	o.Set(path+".values", values, -1)
	o.Note("lengths are drawn from those of the file's requests")
}

// correct replaces nominal lengths where the totals say that others were
// served. A mean between half and all of the nominal length in prompt and
// output alike is the older client's range rule: uniform between a share of the
// length and all of it. The newer client draws around the nominal length, whose
// mean is right.
func (o *reader) correct(nominal, mean [2]float64) {
	if o.Value("measurement.length_range") != nil {
		return
	}
	if r := o.Facts["range_ratio"]; r > 0 && mean[0] == 0 && mean[1] == 0 {
		o.Suspect("a range ratio without totals: vLLM's newer client draws around the nominal length, older ones below it; lengths are taken as nominal")
		return
	}
	var q [2]float64
	for i := range q {
		if q[i] = 1; mean[i] > 0 {
			q[i] = mean[i] / nominal[i]
		}
	}
	switch {
	case math.Abs(q[0]-1) <= near && math.Abs(q[1]-1) <= near:
		return
	case math.Abs(q[0]-q[1]) <= near && q[0] > 0.5 && q[0] < 1:
		r := math.Round((q[0]+q[1]-1)*100) / 100
		o.Set("measurement.length_range", r, -1)
		o.Note("mean lengths by the totals are about %.2f of the nominal: drawn uniformly from %.1f L to L", (1+r)/2, r)
		return
	}
	for i, path := range []string{row.PromptPath, row.OutputPath} {
		if math.Abs(q[i]-1) <= near {
			continue
		}
		o.Unset(path)
		o.Set(path, math.Max(1, mean[i]), -1)
		what := [2]string{"prompt", "output"}[i]
		if i == 1 && q[i] < 1 {
			o.Suspect("early stopping: outputs average %.0f tokens of %.0f asked for; their mean is used", mean[i], nominal[i])
		} else {
			o.Note("mean %s length is that of the totals, not the nominal one", what)
		}
	}
}
