package workload

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const traceHead = "TIMESTAMP,ContextTokens,GeneratedTokens\n"

func TestReadTrace(t *testing.T) {
	want := []Record{{0, 4808, 10, nil}, {0.052, 3180, 8, nil}, {60.052, 110, 27, nil}}
	const (
		a = "2023-11-16 18:17:03.9799600"
		b = "2023-11-16 18:17:04.0319600"
		c = "2023-11-16 18:18:04.0319600"
	)
	for name, text := range map[string]string{
		"azure":         traceHead + a + ",4808,10\n" + b + ",3180,8\n" + c + ",110,27\n",
		"no last end":   traceHead + a + ",4808,10\n" + b + ",3180,8\n" + c + ",110,27",
		"mark":          "\xef\xbb\xbf" + traceHead + a + ",4808,10\n" + b + ",3180,8\n" + c + ",110,27\n",
		"crlf":          strings.ReplaceAll(traceHead+a+",4808,10\n"+b+",3180,8\n"+c+",110,27\n", "\n", "\r\n"),
		"blank lines":   "\n" + traceHead + "\n" + a + ",4808,10\n\n\n" + b + ",3180,8\r\n\r\n" + c + ",110,27\n\n",
		"blanks":        "TIMESTAMP , ContextTokens, GeneratedTokens\n " + a + " , 4808,10 \n" + b + ",3180,8\n" + c + ",110,27\n",
		"quotes":        "\"TIMESTAMP\",\"ContextTokens\",GeneratedTokens\n\"" + a + "\",\"4808\",10\n" + b + ",3180,8\n" + c + ",110,27\n",
		"order, others": "id,generatedtokens,contexttokens,Timestamp\nx,10,4808," + a + "\ny,8,3180," + b + "\n\"z\nz\",27,110," + c + "\n",
		"seconds":       traceHead + "-1.5,4808,10\n-1.448,3180,8\n5.8552e1,110,27\n",
		"offset":        traceHead + "2023-11-16 18:17:03.97996+00:00,4808,10\n2023-11-16 19:17:04.03196+01:00,3180,8\n2023-11-16 18:18:04.03196Z,110,27\n",
		"zoned":         traceHead + "2023-11-16T18:17:03.97996Z,4808,10\n2023-11-16T19:17:04.03196+01:00,3180,8\n2023-11-16T18:18:04.03196Z,110,27\n",
	} {
		got, err := ReadTrace("t.csv", []byte(text))
		same := slices.EqualFunc(got, want, func(g, w Record) bool {
			return math.Abs(g.Arrival-w.Arrival) < 1e-6 && g.Prompt == w.Prompt && g.Output == w.Output
		})
		if err != nil || !same {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestReadTraceErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		msg        string
	}{
		{"empty", "", 1, "empty file"},
		{"only a mark", "\xef\xbb\xbf", 1, "empty file"},
		{"no header", "1,2,3\n2,3,4\n", 1, "no column for the arrival"},
		{"a column missing", "TIMESTAMP,ContextTokens\n1,2\n", 1, "no column for the output tokens"},
		{"no rows", traceHead + "\n\n", 1, "no requests"},
		{"header broken", "TIME\"STAMP,a\n", 1, `bare "`},
		{"time", traceHead + "1,2,3\nyesterday,2,3\n", 3, `TIMESTAMP "yesterday" is no time`},
		{"time nan", traceHead + "NaN,2,3\n", 2, `TIMESTAMP "NaN" is no time`},
		{"time infinite", traceHead + "1e300,2,3\n", 2, `TIMESTAMP "1e300" is no time`},
		{"time absent", traceHead + ",2,3\n", 2, `TIMESTAMP "" is no time`},
		{"prompt 0", traceHead + "\n1,0,3\n", 3, `ContextTokens "0" must be a whole number from 1 to 100000000`},
		{"prompt negative", traceHead + "1,-5,3\n", 2, `ContextTokens "-5"`},
		{"output a fraction", traceHead + "1,2,3\n1,2,3.0\n", 3, `GeneratedTokens "3.0"`},
		{"output huge", traceHead + "1,2,100000001\n", 2, `GeneratedTokens "100000001"`},
		{"output beyond integers", traceHead + "1,2,99999999999999999999\n", 2, `GeneratedTokens "99`},
		{"unsorted", traceHead + "1,2,3\n\n2,2,3\n1.5,2,3\n", 5, "timestamp is earlier than the one before"},
		{"short row", traceHead + "1,2,3\n1,2\n", 3, "wrong number of fields"},
		{"long row", traceHead + "1,2,3,4\n", 2, "wrong number of fields"},
		{"quote in the first field", traceHead + "1,2,3\n1\"x,2,3\n", 3, `bare "`},
		{"quote in a later field", traceHead + "1,2\",3\n", 2, `bare "`},
		{"quote left open", traceHead + "1,2,3\n\"1,2,3\n4,5,6\n", 4, `extraneous or missing "`},
		{"after a row of two lines", "x," + traceHead + "\"a\nb\",1,2,3\n\"c\nd\",1,2,0\n", 4, `GeneratedTokens "0"`},
	} {
		_, err := ReadTrace("dir/t.csv", []byte(c.text))
		te, ok := errors.AsType[*TraceError](err)
		if !ok {
			t.Errorf("%s: %v is no TraceError", c.name, err)
			continue
		}
		if te.Line != c.line || !strings.HasPrefix(te.Msg, c.msg) || te.Hint == "" {
			t.Errorf("%s: line %d, %q, hint %q; want line %d, %q", c.name, te.Line, te.Msg, te.Hint, c.line, c.msg)
		}
		if want := fmt.Sprintf("dir/t.csv:%d: trace: %s", c.line, te.Msg); !strings.HasPrefix(te.Error(), want) {
			t.Errorf("%s: prints %q", c.name, te.Error())
		}
	}
}

// TestAzureTraces loads both public files and compares them with what their
// publishers' paper and the files say.
func TestAzureTraces(t *testing.T) {
	for _, c := range []struct {
		file                 string
		rows                 int
		minutes              float64
		prompt, output       float64 // means
		maxPrompt, maxOutput int32
	}{
		{"AzureLLMInferenceTrace_code.csv", 8819, 57.3, 2048, 27.9, 7437, 1899},
		{"AzureLLMInferenceTrace_conv.csv", 19366, 58.4, 1155, 211, 14050, 1000},
	} {
		file := filepath.Join(shared(t), "data", "azure-llm-trace-2023", c.file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Skipf("no trace to read: %v", err)
		}
		recs, err := ReadTrace(file, data)
		if err != nil {
			t.Fatal(err)
		}
		var prompt, output float64
		var maxPrompt, maxOutput int32
		for _, r := range recs {
			prompt, output = prompt+float64(r.Prompt), output+float64(r.Output)
			maxPrompt, maxOutput = max(maxPrompt, r.Prompt), max(maxOutput, r.Output)
		}
		n := float64(len(recs))
		if len(recs) != c.rows || maxPrompt != c.maxPrompt || maxOutput != c.maxOutput {
			t.Errorf("%s: %d requests, prompts to %d, outputs to %d", c.file, len(recs), maxPrompt, maxOutput)
		}
		minutes := recs[len(recs)-1].Arrival / 60
		if math.Abs(minutes-c.minutes) > 0.05 || math.Abs(prompt/n-c.prompt) > 1 || math.Abs(output/n-c.output) > 0.5 {
			t.Errorf("%s: %.2f minutes, mean prompt %.1f, mean output %.2f", c.file, minutes, prompt/n, output/n)
		}
	}
}

// shared returns the folder of reference data beside the repository.
func shared(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared")
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
}

func FuzzReadTrace(f *testing.F) {
	for _, s := range []string{
		traceHead + "2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n",
		"\xef\xbb\xbf" + traceHead + "0,1,1\r\n\r\n0.5,2,2",
		traceHead + "1\"x,2,3\n", traceHead + "\"1,2", traceHead + "\"1\"\",2,3\n", traceHead + "1,2\n",
		"a,TIMESTAMP,ContextTokens,GeneratedTokens\n,1e15,1,1\n,-1e15,1,1\n", "\"", "\r", ",,,\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		recs, err := ReadTrace("f.csv", data)
		if te, ok := errors.AsType[*TraceError](err); err != nil && (!ok || te.Line < 1) {
			t.Fatalf("error without a place: %v", err)
		}
		if err == nil && len(recs) == 0 {
			t.Fatal("no requests and no error")
		}
		last := 0.0
		for i, r := range recs {
			if !(r.Arrival >= last) || i == 0 && r.Arrival != 0 || r.Prompt < 1 || r.Output < 1 {
				t.Fatalf("request %d: %+v after %v", i, r, last)
			}
			last = r.Arrival
		}
	})
}
