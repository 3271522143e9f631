// Package bench reads results of vLLM's benchmark clients: JSON of `vllm bench
// serve` with and without its requests one by one, of `vllm bench sweep`, and
// of `vllm bench latency` and `vllm bench throughput`; and of InferenceX, which
// renames the same numbers and writes them in seconds. Objects become rows of a
// table that tidy reads.
package bench

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/measured/tidy"
)

// has reports whether the file is JSON that holds all these keys.
func has(src *row.Source, keys ...string) bool {
	if !src.JSON() {
		return false
	}
	for _, k := range keys {
		if !bytes.Contains(src.Data, []byte(`"`+k+`"`)) {
			return false
		}
	}
	return true
}

// IsServe reports whether the file is a result of `vllm bench serve`.
func IsServe(src *row.Source) bool {
	return has(src, "total_output_tokens") && (has(src, "request_throughput") || has(src, "mean_ttft_ms") || has(src, "median_ttft_ms"))
}

// IsDetailed reports whether it also holds the requests one by one.
func IsDetailed(src *row.Source) bool { return IsServe(src) && has(src, "ttfts", "input_lens") }

// IsSummary reports whether the file is the summary of `vllm bench sweep`: the
// results of its runs in one array, or one a row.
func IsSummary(src *row.Source) bool {
	if src.JSON() {
		text := bytes.TrimLeft(bytes.TrimPrefix(src.Data, []byte("\ufeff")), " \t\r\n")
		return text[0] == '[' && IsServe(src)
	}
	return src.Has("run_number", "request_throughput", "total_output_tokens")
}

// IsTable reports whether the file has the client's keys as columns.
func IsTable(src *row.Source) bool {
	return src.Has("completed", "total_input_tokens", "request_throughput")
}

// ReadSummary reads a summary of `vllm bench sweep`.
func ReadSummary(src *row.Source, f *row.File) error {
	if src.JSON() {
		return ReadServe(src, f)
	}
	return tidy.Read(src, f)
}

// ReadServe reads results of `vllm bench serve`.
func ReadServe(src *row.Source, f *row.File) error {
	return objects(src, f, func(s *row.Sheet, o *row.Object) error {
		for _, run := range runs(*o, 0) {
			if err := serveRow(s, &run); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxWrap is how deep results may lie in objects that people wrap them in.
const maxWrap = 4

// isRun reports whether an object is a result, whole or not.
func isRun(o row.Object) bool {
	_, tokens := o.Values["total_output_tokens"]
	_, ttft := o.Values["mean_ttft_ms"]
	return tokens || ttft
}

// runs returns the results in an object: itself, or those in its fields, each
// with the single values beside them.
func runs(o row.Object, depth int) []row.Object {
	if isRun(o) || depth == maxWrap {
		return []row.Object{o}
	}
	var out []row.Object
	var beside []string
	for _, k := range o.Keys {
		if !isNested(o.Values[k]) {
			beside = append(beside, k)
		}
	}
	for _, k := range o.Keys {
		inside, ok := o.Values[k].([]any)
		if !ok {
			inside = []any{o.Values[k]}
		}
		for _, v := range inside {
			m, ok := v.(map[string]any)
			if !ok {
				continue
			}
			r := row.Object{Line: o.Line, Number: o.Number, Keys: slices.Sorted(maps.Keys(m)), Values: maps.Clone(m)}
			for _, b := range beside {
				if _, has := r.Values[b]; !has {
					r.Keys, r.Values[b] = append(r.Keys, b), o.Values[b]
				}
			}
			for _, found := range runs(r, depth+1) {
				if isRun(found) {
					out = append(out, found)
				}
			}
		}
	}
	if out == nil {
		return []row.Object{o}
	}
	return out
}

// objects reads a file of objects into a table, a row each.
func objects(src *row.Source, f *row.File, read func(*row.Sheet, *row.Object) error) error {
	list, err := src.Objects()
	if err != nil {
		return err
	}
	s := &row.Sheet{File: src.Name}
	swept := swept(src.Name)
	if len(swept) > 0 {
		f.Notes = append(f.Notes, "the folder, which the sweep named, says: "+strings.Join(words(swept), ", "))
	}
	for i := range list {
		for _, c := range swept {
			if o := &list[i]; o.Values[c.Name] == nil {
				o.Keys, o.Values[c.Name] = append(o.Keys, c.Name), c.Text
			}
		}
		if err := read(s, &list[i]); err != nil {
			return err
		}
	}
	if len(list) > 1 {
		for i := range s.Records { // a replay is the one run of its file
			if r := &s.Records[i]; r.Kind == row.Replay {
				r.Kind, r.Requests = row.Serving, nil
			}
		}
		f.Notes = append(f.Notes, fmt.Sprintf("%d objects in the file: one run each", len(list)))
	}
	return tidy.Table(s, src.Options, f)
}

// serveRow adds one run. Latencies of 0, which the client writes for runs
// without a success or a second token, are not measured.
func serveRow(s *row.Sheet, o *row.Object) error {
	var cells []row.Cell
	var ignored []string
	for _, k := range o.Keys {
		text := row.CellText(o.Values[k])
		if strings.HasSuffix(k, "_ms") {
			if x, ok := o.Float(k); ok && x == 0 {
				text = ""
			}
		}
		switch {
		case slices.Contains(arrays, k):
		case text == "" && isNested(o.Values[k]):
			ignored = append(ignored, k)
		default:
			cells = append(cells, row.Cell{Name: k, Text: text})
		}
	}
	d := detailOf(o)
	cells = append(cells, d.cells(o)...)
	r := s.Add(row.Place{Line: o.Line}, cells)
	r.Prompt, r.Output, r.Suspects = d.prompt, d.output, d.suspects
	r.Requests = d.records(o)
	if r.Requests != nil {
		r.Kind = row.Replay
	}
	if x, ok := o.Float("completed"); ok && x == 0 {
		r.Dropped = "no request succeeded"
	}
	if len(ignored) > 0 {
		r.Notes = append(r.Notes, "not used: "+strings.Join(ignored, ", "))
	}
	return nil
}

func isNested(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
