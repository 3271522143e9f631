// Package request reads logs of requests, one a row: lengths, arrivals and
// latencies of one run. The run can be served again as it was.
package request

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/workload"
)

// Number is the column that readers add: the number of a request in its run, by
// arrival, from 0.
const Number = "request"

// field is a quantity of a request: names of its columns, folded, in order of
// preference, and the factor that makes it ms (1 for tokens). Factor 0: the
// name says no unit; seconds where instants stand beside it.
type field struct {
	name    string
	columns []string
	factor  []float64
	meaning string
}

// Fields of a log. Instants of different clocks are never subtracted: queued,
// first and last token are the engine's, arrival_time beside them the client's.
var fields = []field{
	{"prompt", []string{"input_toks", "prompt_tokens", "input_len", "input_length", "input_tokens", "prompt_len", "isl", "request_tokens", "contexttokens"}, nil, "prompt tokens"},
	{"output", []string{"output_toks", "generation_tokens", "output_len", "output_length", "output_tokens", "osl", "response_tokens", "generatedtokens", "tokens"}, nil, "output tokens"},
	{"arrival", []string{"queued_ts", "arrival_s", "arrival_time", "arrival_time_s", "launch_time", "arrival_ms", "start_time"}, []float64{1e3, 1e3, 1e3, 1e3, 1e3, 1, 1e3}, "arrival"},
	{"first", []string{"first_token_ts", "first_token_time"}, []float64{1e3, 1e3}, "instant of the first token"},
	{"last", []string{"last_token_ts", "finish_time", "done_s"}, []float64{1e3, 1e3, 1e3}, "instant of the last token"},
	{"ttft", []string{"ttft_ms", "ttft_s", "ttft"}, []float64{1, 1e3, 0}, "ttft_mean_ms"},
	{"tpot", []string{"tpot_ms", "tpot_s", "tpot"}, []float64{1, 1e3, 0}, "tpot_mean_ms"},
	{"e2e", []string{"e2e_ms", "latency_ms", "e2e_latency_ms", "e2el_ms", "e2e_s", "latency_s"}, []float64{1, 1, 1, 1, 1e3, 1e3}, "e2e_mean_ms"},
	{"ok", []string{"ok", "status", "success"}, nil, "dropped unless it succeeded"},
}

// Is reports whether the file has one row a request.
func Is(src *row.Source) bool {
	var names []string
	if src.JSON() {
		head, err := firstObject(src.Data)
		if err != nil {
			return false
		}
		names = slices.Collect(maps.Keys(head))
	} else if s, err := src.Sheet(); err == nil {
		names = s.Header
	}
	have := map[string]bool{}
	for _, n := range names {
		for _, f := range fields {
			if slices.Contains(f.columns, row.Fold(n)) {
				have[f.name] = true
			}
		}
		if f := row.Fold(n); f == "concurrency" || f == "max_concurrency" || f == "request_rate" || f == "num_prompts" || f == "batch_size" {
			return false // a summary of runs
		}
	}
	times := have["first"] || have["ttft"]
	return have["output"] && times && (have["arrival"] || have["ok"] && have["e2e"])
}

// firstObject decodes the first object of the file: of lines, or of an array.
func firstObject(data []byte) (map[string]any, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n[")
	var v map[string]any
	return v, json.NewDecoder(bytes.NewReader(text)).Decode(&v)
}

// Read reads a log of requests into f.
func Read(src *row.Source, f *row.File) error {
	if !Is(src) {
		return src.Errorf("each row has token counts, an arrival or a status, and a time to first token", "not of the requests form")
	}
	s, err := sheet(src)
	if err != nil {
		return err
	}
	l := &log{Sheet: s, at: map[string]int{}, factor: map[string]float64{}}
	if err := l.columns(src.Unit, f); err != nil {
		return err
	}
	if err := l.read(); err != nil {
		return err
	}
	l.number()
	f.Load = "one run, its requests as they arrived"
	return l.rows(f)
}

// sheet is the file as a table with a column more, for the numbers of requests.
func sheet(src *row.Source) (*row.Sheet, error) {
	var s *row.Sheet
	var err error
	if src.JSON() {
		s, err = lines(src)
	} else {
		s, err = src.Sheet()
	}
	if err != nil {
		return nil, err
	}
	out := *s
	if s.Index(Number) >= 0 {
		return nil, s.HeadError(s.Index(Number), "rename it", "a column %q is added for the number of a request", Number)
	}
	out.Header = append(slices.Clone(s.Header), Number)
	out.HeadAt = append(slices.Clone(s.HeadAt), row.Place{})
	out.Records = make([]row.Record, len(s.Records))
	for i, r := range s.Records {
		out.Records[i] = row.Record{Cells: append(slices.Clone(r.Cells), ""), At: append(slices.Clone(r.At), r.At[0])}
	}
	return &out, nil
}

// lines reads JSON objects, one a line or in an array: the keys of the first
// one are the columns.
func lines(src *row.Source) (*row.Sheet, error) {
	list, err := src.Objects()
	if err != nil {
		return nil, err
	}
	s := &row.Sheet{File: src.Name, Lines: strings.Split(string(src.Data), "\n")}
	s.Header = slices.Sorted(slices.Values(list[0].Keys))
	s.HeadAt = slices.Repeat([]row.Place{{Line: list[0].Line, Col: 1}}, len(s.Header))
	for i := range list {
		at := row.Place{Line: list[i].Line, Col: 1}
		r := row.Record{At: slices.Repeat([]row.Place{at}, len(s.Header))}
		for _, h := range s.Header {
			r.Cells = append(r.Cells, row.CellText(list[i].Values[h]))
		}
		s.Records = append(s.Records, r)
	}
	if len(s.Header) == 0 {
		return nil, s.ErrorAt(row.Place{Line: 1, Col: 1}, "", "an object without keys")
	}
	return s, nil
}

// log is a log being read.
type log struct {
	*row.Sheet
	at       map[string]int // field -> column
	factor   map[string]float64
	requests []request
	order    []int // requests by arrival, failed ones left out
}

// request is one row; times in ms, NaN-free: 0 = not said.
type request struct {
	values map[string]float64
	failed string
	number int // by arrival
}

// columns finds the fields in the header.
func (l *log) columns(unit string, f *row.File) error {
	used := map[int]bool{}
	folded := make([]string, len(l.Header))
	for i, h := range l.Header {
		folded[i] = row.Fold(h)
	}
	for _, want := range fields {
		for k, name := range want.columns {
			c := slices.Index(folded, name)
			if c < 0 {
				continue
			}
			factor := 1.0
			if want.factor != nil {
				factor = want.factor[k]
			}
			if factor == 0 {
				var err error
				if factor, err = l.unit(c, unit, folded); err != nil {
					return err
				}
			}
			l.at[want.name], l.factor[want.name], used[c] = c, factor, true
			text := want.meaning
			if factor != 1 {
				text += " (s x 1000)"
			}
			f.Mapping = append(f.Mapping, row.Mapping{Column: l.Header[c], Meaning: text})
			break
		}
	}
	for c, h := range l.Header[:len(l.Header)-1] {
		if !used[c] {
			f.Ignored = append(f.Ignored, h)
		}
	}
	if c := slices.Index(folded, "arrival_time"); c >= 0 && !used[c] {
		f.Notes = append(f.Notes, "two clocks: arrivals are those of the engine's queue; arrival_time is the client's clock")
	}
	return nil
}

// unit is the factor of a latency whose name says no unit: seconds beside
// launch and finish instants (the log of LMBench), else what --unit says.
func (l *log) unit(c int, unit string, folded []string) (float64, error) {
	switch {
	case unit == "ms":
		return 1, nil
	case unit == "s", slices.Contains(folded, "launch_time") && slices.Contains(folded, "finish_time"):
		return 1e3, nil
	}
	return 0, l.HeadError(c, "is it ms or s? say --unit ms or --unit s", "%s: no unit in the name", l.Header[c])
}

// read reads the cells.
func (l *log) read() error {
	for i := range l.Records {
		q := request{values: map[string]float64{}, number: -1}
		if c, ok := l.at["ok"]; ok && !succeeded(l.Records[i].Cells[c]) {
			q.failed = fmt.Sprintf("failed: %s %s", l.Header[c], row.Shorten(l.Records[i].Cells[c]))
		}
		for name, c := range l.at {
			if name == "ok" || l.Records[i].Cells[c] == "" {
				continue
			}
			x, err := l.Number(i, c)
			if err != nil {
				if q.failed != "" {
					continue
				}
				return err
			}
			if (name == "prompt" || name == "output") && q.failed == "" && (x < 1 || x > 1e8 || x != float64(int32(x))) {
				return l.CellError(i, c, "", "%g is not a whole number from 1 to 1e8", x)
			}
			q.values[name] = x * l.factor[name]
		}
		l.requests = append(l.requests, q)
	}
	return nil
}

func succeeded(text string) bool {
	switch strings.ToLower(text) {
	case "", "ok", "true", "1", "200", "success", "succeeded", "completed", "finished", "stop", "length":
		return true
	}
	return false
}

// number numbers the requests by arrival.
func (l *log) number() {
	for i := range l.requests {
		if q := &l.requests[i]; q.failed == "" {
			l.order = append(l.order, i)
		}
	}
	slices.SortStableFunc(l.order, func(a, b int) int {
		return cmp.Compare(l.requests[a].values["arrival"], l.requests[b].values["arrival"])
	})
	for n, i := range l.order {
		l.requests[i].number = n
		l.Records[i].Cells[len(l.Header)-1] = strconv.Itoa(n)
	}
}

// rows makes an observation of each request.
func (l *log) rows(f *row.File) error {
	records := l.records()
	prompt, output := 0.0, 0.0
	for _, r := range records {
		prompt += float64(r.Prompt) / float64(len(records))
		output += float64(r.Output) / float64(len(records))
	}
	_, engine := l.at["first"]
	for i := range l.requests {
		q := &l.requests[i]
		o := row.New(l.Sheet, i)
		o.Kind, o.Records = row.Replay, records
		switch {
		case q.failed != "":
			o.Drop("%s", q.failed)
		case records == nil:
			o.Drop("the run cannot be served again: it is not said %s", l.missing())
		default:
			o.Scored = []int{q.number}
			l.measure(&o, q)
			l.run(&o, len(records), prompt, output, engine)
		}
		f.Rows = append(f.Rows, o)
	}
	return nil
}

// missing says which field a log lacks that a replay needs.
func (l *log) missing() string {
	for _, need := range [][2]string{{"arrival", "when requests arrived"}, {"prompt", "how long prompts were"}, {"output", "how long outputs were"}} {
		if _, ok := l.at[need[0]]; !ok {
			return need[1]
		}
	}
	return "for every request how long it was"
}

// records are the requests of the run by arrival, nil when some field is
// missing. Every prompt has prefix blocks of its own: engines keep the blocks of
// a preempted or finished request until they need the room.
func (l *log) records() []workload.Record {
	var out []workload.Record
	next := int32(0)
	for _, i := range l.order {
		v := l.requests[i].values
		_, ok := v["arrival"]
		if !ok || v["prompt"] < 1 || v["output"] < 1 {
			return nil
		}
		r := workload.Record{Arrival: (v["arrival"] - l.requests[l.order[0]].values["arrival"]) / 1e3, Prompt: int32(v["prompt"]), Output: int32(v["output"])}
		for range int(r.Prompt) / prefixBlock {
			r.Prefix = append(r.Prefix, next)
			next++
		}
		out = append(out, r)
	}
	return out
}

// prefixBlock is the length of a prefix block: vLLM's default block.
const prefixBlock = 16

// measure sets the latencies of a request.
func (l *log) measure(o *row.Observation, q *request) {
	v := q.values
	ttft, e2e, tpot := v["ttft"], v["e2e"], v["tpot"]
	if v["first"] > 0 {
		ttft = v["first"] - v["arrival"]
	}
	if v["last"] > 0 {
		e2e = v["last"] - v["arrival"]
	}
	if n := v["output"]; n > 1 && e2e > ttft && ttft > 0 {
		tpot = (e2e - ttft) / (n - 1)
	}
	for _, m := range []struct {
		metric string
		ms     float64
	}{{"ttft_mean_ms", ttft}, {"tpot_mean_ms", tpot}, {"e2e_mean_ms", e2e}} {
		switch {
		case m.ms < 0 || m.ms > 1e8:
			o.Drop("times contradict each other: %s %g", m.metric, m.ms)
		case m.ms > 0:
			o.Measure(m.metric, m.ms, -1, false)
		}
	}
	if len(o.Targets) == 0 {
		o.Drop("no measured value")
	}
}

// run sets what the log says of the run as a whole.
func (l *log) run(o *row.Observation, n int, prompt, output float64, engine bool) {
	o.Set("workload.arrival", "burst", -1) // replaced by the records
	o.Set(row.RequestsPath, n, -1)
	o.Set(row.PromptPath, prompt, -1)
	o.Set(row.OutputPath, output, -1)
	o.Set("workload.trace_prefix_block_tokens", prefixBlock, -1)
	o.Set("engine.watermark", 0.0, -1)
	if engine {
		o.Set("measurement.clock", "server", -1)
	}
}
