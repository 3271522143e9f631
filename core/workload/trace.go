package workload

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TraceError points at a line of a trace file.
type TraceError struct {
	File, Msg, Hint string
	Line            int
}

func (e *TraceError) Error() string {
	s := fmt.Sprintf("%s:%d: trace: %s", e.File, e.Line, e.Msg)
	if e.Hint != "" {
		s += "\n      | " + e.Hint
	}
	return s
}

// Limits of a trace file.
const (
	maxTraceRecords = 50_000_000
	maxTraceTokens  = 100_000_000
	maxTracePrefix  = 100_000 // prefix blocks of one request
)

// traceField is a column or key that a trace may have: its canonical meaning
// and its factor to seconds.
type traceField struct {
	names []string
	scale float64
}

// The arrival is taken from the first of these that a file has. A bare
// "timestamp" is a date or seconds in CSV and milliseconds in JSON lines, as the
// publishers of such traces write it.
var (
	arrivalFields = []traceField{
		{[]string{"queued_ts", "arrival_s", "arrival_time", "arrival_time_s", "launch_time"}, 1},
		{[]string{"arrival_ms"}, 1e-3},
		{[]string{"timestamp"}, 1},
	}
	promptNames = []string{"contexttokens", "prompt_tokens", "input_length", "input_tokens", "input_toks", "input_len", "request_tokens"}
	outputNames = []string{"generatedtokens", "output_tokens", "output_length", "generation_tokens", "output_toks", "output_len", "response_tokens"}
)

// ReadTrace reads the requests of a trace: arrival, prompt and output tokens.
//
//   - CSV with a header, such as the Azure LLM inference trace: TIMESTAMP
//     ("2023-11-16 18:17:03.9799600", with or without a zone such as +00:00, or
//     seconds), ContextTokens, GeneratedTokens, or one row a request of a benchmark (arrival_s,
//     prompt_tokens, output_tokens and the like).
//   - JSON lines, such as Mooncake's: timestamp in milliseconds, input_length,
//     output_length and optional hash_ids, the numbers of the prompt's leading
//     blocks; or one line a request of a benchmark (queued_ts in seconds,
//     input_toks, output_toks).
//
// Names are matched whatever their case; other columns are ignored. A byte
// order mark, blank lines, CRLF and blanks around fields are accepted. Arrivals
// become seconds after the first. Those of a trace must not decrease; those of a
// benchmark's requests are sorted.
func ReadTrace(file string, data []byte) ([]Record, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	read := readCSV
	if head := bytes.TrimSpace(data); len(head) > 0 && head[0] == '{' {
		read = readJSONLines
	}
	t := trace{file: file, ids: map[int64]int32{}}
	if err := read(&t, data); err != nil {
		return nil, err
	}
	if len(t.records) == 0 {
		return nil, t.fail(1, "no requests", "at least one request is needed")
	}
	if t.sort {
		slices.SortStableFunc(t.records, func(a, b Record) int {
			switch {
			case a.Arrival < b.Arrival:
				return -1
			case a.Arrival > b.Arrival:
				return 1
			}
			return 0
		})
	}
	first := t.records[0].Arrival
	for i := range t.records {
		t.records[i].Arrival -= first
	}
	return t.records, nil
}

// trace is a trace being read.
type trace struct {
	file    string
	records []Record
	sort    bool            // rows may come in another order than arrivals
	ids     map[int64]int32 // the file's prefix block ids, renumbered from 0
}

func (t *trace) fail(line int, msg, hint string) error {
	return &TraceError{File: t.file, Line: line, Msg: msg, Hint: hint}
}

// add appends a request.
func (t *trace) add(line int, r Record) error {
	if n := len(t.records); n > 0 && !t.sort && r.Arrival < t.records[n-1].Arrival {
		return t.fail(line, "timestamp is earlier than the one before", "sort the file by time")
	}
	if len(t.records) == maxTraceRecords {
		return t.fail(line, fmt.Sprintf("more than %d requests", maxTraceRecords), "split the file")
	}
	t.records = append(t.records, r)
	return nil
}

func readCSV(t *trace, data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return t.syntax(1, err)
	}
	arrival, prompt, output, err := t.columns(head)
	if err != nil {
		return err
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return t.syntax(1, err)
		}
		line, _ := r.FieldPos(0)
		var rec Record
		if rec.Arrival, err = traceTime(strings.TrimSpace(row[arrival.at])); err != nil {
			return t.fail(line, fmt.Sprintf("%s %q is no time", arrival.name, row[arrival.at]), `expected "2006-01-02 15:04:05.999" or seconds`)
		}
		rec.Arrival *= arrival.scale
		for _, c := range []struct {
			column
			dst *int32
		}{{prompt, &rec.Prompt}, {output, &rec.Output}} {
			n, err := strconv.Atoi(strings.TrimSpace(row[c.at]))
			if err != nil || n < 1 || n > maxTraceTokens {
				return t.fail(line, fmt.Sprintf("%s %q must be a whole number from 1 to %d", c.name, row[c.at], maxTraceTokens), "remove or correct the row")
			}
			*c.dst = int32(n)
		}
		if err := t.add(line, rec); err != nil {
			return err
		}
	}
}

func (t *trace) syntax(line int, err error) error {
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		return t.fail(pe.Line, pe.Err.Error(), "one row a request, as many fields as the header has")
	}
	if errors.Is(err, io.EOF) {
		return t.fail(1, "empty file", "expected columns TIMESTAMP, ContextTokens, GeneratedTokens")
	}
	return t.fail(line, err.Error(), "")
}

// column is a column of a CSV trace.
type column struct {
	at    int
	name  string
	scale float64
}

// columns finds arrival, prompt and output.
func (t *trace) columns(head []string) (arrival, prompt, output column, err error) {
	find := func(what string, fields []traceField) column {
		for _, f := range fields {
			for i, h := range head {
				if slices.Contains(f.names, foldName(h)) {
					return column{i, strings.TrimSpace(h), f.scale}
				}
			}
		}
		if err == nil {
			err = t.fail(1, "no column for the "+what, "expected TIMESTAMP, ContextTokens, GeneratedTokens or their like; found "+strings.Join(head, ", "))
		}
		return column{}
	}
	arrival = find("arrival", arrivalFields)
	prompt = find("prompt tokens", []traceField{{promptNames, 1}})
	output = find("output tokens", []traceField{{outputNames, 1}})
	t.sort = err == nil && foldName(arrival.name) != "timestamp"
	return arrival, prompt, output, err
}

// foldName makes names comparable.
func foldName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}

// traceTime reads a timestamp as seconds.
func traceTime(s string) (float64, error) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		if !(math.Abs(f) < 1e15) {
			return 0, errors.New("out of range")
		}
		return f, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339} {
		if at, err := time.Parse(layout, s); err == nil {
			return float64(at.Unix()) + float64(at.Nanosecond())*1e-9, nil
		}
	}
	return 0, errors.New("unknown time format")
}

func readJSONLines(t *trace, data []byte) error {
	line := 0
	for len(data) > 0 {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		var row map[string]json.RawMessage
		if err := json.Unmarshal(text, &row); err != nil {
			return t.fail(line, "no JSON object: "+err.Error(), "one object a line")
		}
		if err := t.object(line, row); err != nil {
			return err
		}
	}
	return nil
}

// object adds the request of one JSON line.
func (t *trace) object(line int, row map[string]json.RawMessage) error {
	var rec Record
	name, raw, scale := "", json.RawMessage(nil), 0.0
	for _, f := range arrivalFields {
		for _, n := range f.names {
			if v, ok := row[n]; ok && name == "" {
				name, raw, scale = n, v, f.scale
			}
		}
	}
	if name == "" {
		return t.fail(line, "no arrival time", "expected timestamp (ms), queued_ts (s), arrival_s or arrival_ms")
	}
	if name == "timestamp" {
		scale = 1e-3
	} else {
		t.sort = true
	}
	var at float64
	if json.Unmarshal(raw, &at) != nil || !(math.Abs(at) < 1e15) {
		return t.fail(line, fmt.Sprintf("%s %s is no number", name, raw), "")
	}
	rec.Arrival = at * scale
	for _, c := range []struct {
		what  string
		names []string
		dst   *int32
	}{{"prompt", promptNames, &rec.Prompt}, {"output", outputNames, &rec.Output}} {
		n, err := tokens(row, c.names)
		if err != nil {
			return t.fail(line, c.what+" tokens: "+err.Error(), "expected input_length and output_length, or input_toks and output_toks")
		}
		*c.dst = n
	}
	var err error
	if rec.Prefix, err = t.prefix(row["hash_ids"]); err != nil {
		return t.fail(line, err.Error(), "")
	}
	return t.add(line, rec)
}

// tokens returns the count under the first of the names that a row has.
func tokens(row map[string]json.RawMessage, names []string) (int32, error) {
	for _, n := range names {
		raw, ok := row[n]
		if !ok {
			continue
		}
		var v int
		if json.Unmarshal(raw, &v) != nil || v < 1 || v > maxTraceTokens {
			return 0, fmt.Errorf("%s %s must be a whole number from 1 to %d", n, raw, maxTraceTokens)
		}
		return int32(v), nil
	}
	return 0, errors.New("not given")
}

// prefix renumbers a row's prefix block ids from 0 in order of appearance.
func (t *trace) prefix(raw json.RawMessage) ([]int32, error) {
	if raw == nil {
		return nil, nil
	}
	var ids []int64
	if err := json.Unmarshal(raw, &ids); err != nil {
		return nil, errors.New("hash_ids must be a list of whole numbers")
	}
	if len(ids) > maxTracePrefix {
		return nil, fmt.Errorf("hash_ids has %d blocks, at most %d", len(ids), maxTracePrefix)
	}
	out := make([]int32, len(ids))
	for i, id := range ids {
		n, ok := t.ids[id]
		if !ok {
			n = int32(len(t.ids))
			t.ids[id] = n
		}
		out[i] = n
	}
	return out, nil
}
