package workload

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestReadJSONLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Record
	}{
		{
			"mooncake", "{\"timestamp\": 500, \"input_length\": 1100, \"output_length\": 5, \"hash_ids\": [90, 91, 7]}\r\n\n{\"timestamp\": 3500, \"input_length\": 600, \"output_length\": 2, \"hash_ids\": [90, 12]}\n",
			[]Record{{0, 1100, 5, []int32{0, 1, 2}}, {3, 600, 2, []int32{0, 3}}},
		},
		{
			"benchmark, sorted by arrival", `{"request_id":"b","input_toks":20,"output_toks":2,"arrival_time":1e9,"queued_ts":12.5}
{"request_id":"a","input_toks":10,"output_toks":1,"arrival_time":2e9,"queued_ts":12.0}`,
			[]Record{{0, 10, 1, nil}, {0.5, 20, 2, nil}},
		},
		{"CSV of a benchmark", "arrival_ms,Prompt Tokens,output_tokens\n20,5,6\n10,7,8\n", []Record{{0, 7, 8, nil}, {0.01, 5, 6, nil}}},
	} {
		got, err := ReadTrace("t", []byte(c.text))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestReadJSONLinesErrors(t *testing.T) {
	const ok = `{"timestamp": 1, "input_length": 1, "output_length": 1}` + "\n"
	for text, want := range map[string]string{
		ok + `{"timestamp": 0, "input_length": 1, "output_length": 1}`:                "earlier",
		ok + `{"timestamp": 2, "input_length": 0, "output_length": 1}`:                "whole number",
		ok + `{"timestamp": 2, "input_length": 1}`:                                    "output tokens: not given",
		ok + `{"input_length": 1, "output_length": 1}`:                                "no arrival",
		ok + `{"timestamp": "x", "input_length": 1, "output_length": 1}`:              "is no number",
		ok + `{"timestamp": 2, "input_length": 1, "output_length": 1, "hash_ids": 3}`: "hash_ids",
		ok + `[1]`: "no JSON object",
	} {
		_, err := ReadTrace("t.jsonl", []byte(text))
		var te *TraceError
		if !errors.As(err, &te) || te.Line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want line 2 and %q", text, err, want)
		}
	}
}

// TestPublishedTraces reads every trace form of the shared data, when it is
// there.
func TestPublishedTraces(t *testing.T) {
	root := filepath.Join(shared(t), "data")
	for path, want := range map[string]int{
		"mooncake-fast25-trace/synthetic_trace.jsonl":                        3993,
		"mooncake-fast25-trace/conversation_trace.lines-1-6000.jsonl":        6000,
		"llmservingsim-vllm-requests/RTX4090/Llama-3.1-8B/requests.jsonl":    300,
		"llmservingsim-vllm-requests/RTXPRO6000/Llama-3.1-8B/requests.jsonl": 300,
	} {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got, err := ReadTrace(path, data)
		if err != nil || len(got) != want {
			t.Errorf("%s: %d requests, want %d; %v", path, len(got), want, err)
		}
		if strings.HasPrefix(path, "mooncake") && len(got[0].Prefix) == 0 {
			t.Errorf("%s: no prefix blocks", path)
		}
	}
}
