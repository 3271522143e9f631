package bench

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"scoville/calibrate/measured/row"
	"scoville/core/scenario"
)

// IsLatency reports whether the file is a result of `vllm bench latency`.
func IsLatency(src *row.Source) bool { return has(src, "avg_latency", "percentiles") }

// IsThroughput reports whether the file is a result of `vllm bench throughput`.
func IsThroughput(src *row.Source) bool {
	return has(src, "elapsed_time", "num_requests", "tokens_per_second")
}

// named finds parameters of a run in the name of its file.
var named = map[string]*regexp.Regexp{
	row.PromptPath:   regexp.MustCompile(`(?i)(?:^|[_.-])(?:ip|isl|il|in|input|input[_-]?len|prompt)[_=-]?(\d+)(?:[^\d]|$)`),
	row.OutputPath:   regexp.MustCompile(`(?i)(?:^|[_.-])(?:op|osl|ol|out|output|output[_-]?len)[_=-]?(\d+)(?:[^\d]|$)`),
	row.RequestsPath: regexp.MustCompile(`(?i)(?:^|[_.-])(?:np|bs|bsz|b|batch|batch[_-]?size|num[_-]?prompts)[_=-]?(\d+)(?:[^\d]|$)`),
}

// parameter returns a parameter of an offline run: given for all rows, or from
// the name of the file; 0 for none.
func parameter(src *row.Source, path string) int {
	for _, a := range src.Fixed {
		if a.Path == path {
			switch x := a.Value.(type) {
			case int:
				return x
			case float64:
				return int(x)
			}
		}
	}
	if m := named[path].FindStringSubmatch(filepath.Base(src.Name)); m != nil {
		n, err := strconv.Atoi(m[1])
		if err == nil && n > 0 && n < 1e8 {
			return n
		}
	}
	return 0
}

// offline is the shape of a static batch.
type offline struct{ prompt, output, requests int }

// shape finds the shape of the batch, an error that asks for what is missing.
func shape(src *row.Source, o *row.Object) (offline, error) {
	b := offline{parameter(src, row.PromptPath), parameter(src, row.OutputPath), parameter(src, row.RequestsPath)}
	if n, ok := o.Float("num_requests"); ok && n >= 1 && n < 1e8 {
		b.requests = int(n)
	}
	for _, p := range []struct {
		n          int
		what, flag string
	}{
		{b.prompt, "prompt length", "workload.prompt_tokens"},
		{b.output, "output length", "workload.output_tokens"},
		{b.requests, "batch", "workload.requests"},
	} {
		if p.n == 0 {
			return b, &scenario.Error{
				File: src.Name, Line: o.Line, Msg: fmt.Sprintf("neither the file nor its name (…_ip2048_op128_np8.json) says the %s of the run", p.what),
				Hint: fmt.Sprintf("give --set %s=N", p.flag),
			}
		}
	}
	return b, nil
}

// cells are the columns every offline run has.
func (b offline) cells() []row.Cell {
	return []row.Cell{
		{Name: "workload.arrival", Text: "burst"},
		{Name: row.PromptPath, Text: strconv.Itoa(b.prompt)},
		{Name: row.OutputPath, Text: strconv.Itoa(b.output)},
		{Name: row.RequestsPath, Text: strconv.Itoa(b.requests)},
	}
}

// ReadLatency reads results of `vllm bench latency`: a static batch, seconds
// until its last token, mean over iterations. With outputs of one length every
// request takes that long.
func ReadLatency(src *row.Source, f *row.File) error {
	f.Load = "offline: a static batch at once, repeated"
	return objects(src, f, func(s *row.Sheet, o *row.Object) error {
		b, err := shape(src, o)
		if err != nil {
			return err
		}
		cells := append(b.cells(), row.Cell{Name: "e2e_mean_s", Text: row.CellText(o.Values["avg_latency"])})
		r := s.Add(row.Place{Line: o.Line}, cells)
		r.Kind = row.Batch
		r.Notes = []string{"lengths and batch of an offline run are those in the name of its file, where no --set gives them"}
		return nil
	})
}

// ReadThroughput reads results of `vllm bench throughput`: all prompts at
// once, seconds until the last token of all.
func ReadThroughput(src *row.Source, f *row.File) error {
	f.Load = "offline: all prompts at once"
	return objects(src, f, func(s *row.Sheet, o *row.Object) error {
		b, err := shape(src, o)
		if err != nil {
			return err
		}
		r := s.Add(row.Place{Line: o.Line}, append(b.cells(),
			row.Cell{Name: "e2e_max_s", Text: row.CellText(o.Values["elapsed_time"])},
			row.Cell{Name: "request_throughput", Text: row.CellText(o.Values["requests_per_second"])}))
		r.Kind = row.Batch
		r.Notes = []string{"lengths and batch of an offline run are those in the name of its file, where no --set gives them"}
		if total, ok := o.Float("total_num_tokens"); ok {
			if want := float64(b.requests) * float64(b.prompt+b.output); total < 0.97*want || total > 1.03*want {
				r.Suspects = append(r.Suspects, fmt.Sprintf("tokens: the file counts %.0f, the lengths in its name give %.0f", total, want))
			}
		}
		return nil
	})
}
