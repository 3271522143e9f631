package measured

import (
	"errors"
	"strings"
	"testing"

	"scoville/core/scenario"
)

func TestFilter(t *testing.T) {
	f := read(t, "x.csv", "hw,model,tp,isl,osl,concurrency,ttft_mean_ms,run id\n"+
		"h100_sxm,Llama-3.1-70B-FP8,4,1024,128,8,96.5,a-1\n"+
		"h200,llama-2-7b,1,4096,128,16,300,\n", Options{})
	for _, c := range []struct {
		expr string
		want string // rows kept
	}{
		{"", "01"},
		{"hw == \"h100_sxm\"", "0"},
		{"hw == 'h100-sxm'", ""},
		{"hardware.name == 'h100-sxm'", "0"},
		{"model ~ '70b'", "0"},
		{"model.name ~ 'LLAMA'", "01"},
		{"tp >= 4", "0"},
		{"tp != 4", "1"},
		{"4 <= engine.tp", "0"},
		{"workload.prompt_tokens > 1_024", "1"},
		{"workload.class.measured.prompt_tokens == 4096.0", "1"},
		{"ttft_mean_ms < 1e2", "0"},
		{"`run id` == 'a-1'", "0"},
		{"`run id` == ''", "1"},
		{"`run id` > 0", ""},
		{"`run id` != 7", "01"},
		{"isl > osl && !(tp == 1) || model ~ 'nothing'", "0"},
		{"tp == 1 || tp == 4 && isl == 5", "1"},
		{"!tp == 1", "0"},
		{"measurement.length_range == ''", "01"},
		{"tpot_mean_ms == ''", "01"},
		{"gpu == 'h100_sxm' && tensor_parallel_size == 4", "0"}, // names of other files
		{"model_id ~ '-70B-FP8'", "0"},
		{"input_len < 2000 && conc == 8", "0"},
		{"max_num_seqs == ''", "01"},
	} {
		p, err := ParseFilter("--where", c.expr)
		if err == nil {
			err = p.Check([]*File{f})
		}
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		got := ""
		for i := range f.Rows {
			if p.Match(&f.Rows[i]) {
				got += string(rune('0' + i))
			}
		}
		if got != c.want {
			t.Errorf("%s keeps rows %q, want %q", c.expr, got, c.want)
		}
	}
}

func TestBadFilters(t *testing.T) {
	f := read(t, "x.csv", "hw,model,tp,isl,osl,concurrency,ttft_mean_ms\nh200,llama-2-7b,1,4096,128,16,300\n", Options{})
	for _, c := range []struct {
		expr string
		col  int
		want string
	}{
		{"tp", 3, "no comparison after"},
		{"tp = 4", 4, "no comparison after"},
		{"tp == ", 6, "the expression ends here"},
		{"(tp == 4", 1, "this parenthesis is not closed"},
		{"tp == 4)", 8, `unexpected ")"`},
		{"tp == 4 and isl == 5", 9, `unexpected "and"`},
		{"model == \"llama", 10, "this quote is not closed"},
		{"tp > 'four'", 4, "> needs numbers"},
		{"tp == 4 && tpp == 2", 12, `did you mean "tp"?`},
		{"engine.tpp == 4", 1, `did you mean "engine.tp"?`},
		{"tp == 4.4.4", 7, `unexpected "4.4.4"`},
		{"? == 4", 1, `unexpected "?"`},
		{strings.Repeat("(", 5000) + "tp == 4", 202, "nested too deep"},
		{strings.Repeat("!", 5000) + "tp == 4", 202, "nested too deep"},
	} {
		p, err := ParseFilter("--where", c.expr)
		if err == nil {
			err = p.Check([]*File{f})
		}
		e, ok := errors.AsType[*scenario.Error](err)
		if !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: want an error with %q, got %v", c.expr, c.want, err)
			continue
		}
		if e.File != "--where" || e.Col != c.col {
			t.Errorf("%.40s: at %s:%d, want column %d", c.expr, e.File, e.Col, c.col)
		}
	}
}

// No expression crashes, and one that parses decides about every row.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"", "tp == 4", "hw ~ 'h' && !(isl < 3 || osl >= 1e3)", "`a b` != \"\"", "((((", "!!!!", "1 == 1", "'a' ~ 'b'", "tp == 1_0", "é == 1"} {
		f.Add(s)
	}
	file, err := Read("x.csv", []byte("hw,model,tp,isl,osl,concurrency,ttft_mean_ms\nh200,llama-2-7b,1,4096,128,16,300\n"), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseFilter("--where", text)
		if err != nil {
			if _, ok := errors.AsType[*scenario.Error](err); !ok || !strings.Contains(err.Error(), "--where:1:") {
				t.Errorf("the error does not point: %v", err)
			}
			return
		}
		_ = p.Check([]*File{file})
		p.Match(&file.Rows[0])
	})
}

// No file crashes. One that reads has positive finite latencies and values the
// scenario accepts.
func FuzzRead(f *testing.F) {
	f.Add([]byte(tidyFile))
	f.Add([]byte(siliconHead + "a,x; silicon_concurrency=8; measured=2025,vllm,0.1,Qwen/Qwen3-32B,h100_sxm,,agg,1024,1024,4,1,1,4,1,90,9\n"))
	f.Add([]byte("isl,osl,conc,ttft_ms\n1,1,1,\"1\"\"\"\n"))
	f.Add([]byte("\"\n"))
	f.Add([]byte("a,,b\n,,\n1"))
	f.Add([]byte("precision,model,isl,osl,rate,e2e_p99_us\nnvfp4,gpt-oss-20b,1,1,inf,5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("x.csv", data, Options{})
		if err != nil {
			if _, ok := errors.AsType[*scenario.Error](err); !ok {
				t.Errorf("the error does not point: %v", err)
			}
			_ = err.Error()
			return
		}
		DropDuplicates(rowsOf(file))
		for i := range file.Rows {
			o := &file.Rows[i]
			for _, target := range o.Targets {
				if !(target.Value >= 1e-3 && target.Value <= 1e8) {
					t.Errorf("%s = %g", target.Metric, target.Value)
				}
			}
			for _, a := range o.Values {
				if _, err := scenario.Convert(a.Path, a.Value); err != nil && o.Dropped == "" {
					t.Errorf("%v", err)
				}
			}
			_ = o.Errorf("hardware.name", "", "somewhere").Error()
		}
	})
}
