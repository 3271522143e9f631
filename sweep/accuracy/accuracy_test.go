package accuracy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"scoville/core/scenario"
)

const losses = "weight_dtype,kv_dtype,context_max,loss_ratio,source\n" +
	"fp16,fp16,131072,0,reference\n" +
	"int4,int4,4096,0.005,a paper\n" +
	"int4,int4,131_072,0.032,\n" +
	"int4,int4,16384,0.012,\n" +
	"int8,int4,4096,-0.001,\n"

func TestLoss(t *testing.T) {
	table, err := Parse("loss.csv", []byte("\ufeff"+losses))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		weight, kv string
		context    float64
		want       float64
		ok         bool
	}{
		{"fp16", "fp16", 1, 0, true},
		{"int4", "int4", 1, 0.005, true},
		{"int4", "int4", 4096, 0.005, true}, // the bound is within
		{"int4", "int4", 4096.5, 0.012, true},
		{"int4", "int4", 16385, 0.032, true},
		{"int4", "int4", 131073, 0, false}, // nothing is known beyond
		{"int8", "int4", 100, -0.001, true},
		{"int4", "int8", 100, 0, false},
		{"fp8", "fp8", 100, 0, false},
	} {
		if got, ok := table.Loss(c.weight, c.kv, c.context); got != c.want || ok != c.ok {
			t.Errorf("%s, %s at %g: %g %v, want %g %v", c.weight, c.kv, c.context, got, ok, c.want, c.ok)
		}
	}
}

func TestErrors(t *testing.T) {
	const head = "weight_dtype,kv_dtype,context_max,loss_ratio\n"
	for text, want := range map[string]string{
		"":   "loss.csv:1:1: the file is empty",
		head: "the table has no rows",
		"weight_dtype,kv_dtype,context_max\nint4,int4,1\n":                            `loss.csv:1:1: no column "loss_ratio"`,
		"weight_dtype,kv_dtype,context_max,loss\nint4,int4,1,0\n":                     `loss.csv:1:35: no column "loss"`,
		"weight_dtype,kv_dtyp,context_max,loss_ratio\nint4,int4,1\n":                  `did you mean "kv_dtype"?`,
		"weight_dtype,kv_dtype,context_max,loss_pct\nint4,int4,1,1\n":                 `loss.csv:1:35: is "loss_pct" a percentage? the table holds ratios`,
		"weight_dtype,kv_dtype,context_max,loss %\n":                                  "a percentage?",
		"weight_dtype,kv_dtype,context_max,loss_percent\n":                            "a percentage?",
		"kv_dtype,kv_dtype,context_max,loss_ratio\n":                                  `a second column "kv_dtype"`,
		head + "int4,int4,4096,3.2\n":                                                 "loss.csv:2:16: is 3.2 a percentage? loss_ratio is a ratio: 1 is all of the accuracy\n    2 | int4,int4,4096,3.2\n      |                ^ if it is, write 0.032",
		head + "int4,int4,4096,-2\n":                                                  "is below -1",
		head + "int4,int4,4096,nan\n":                                                 "is not a number",
		head + "int4,int4,4096,\n":                                                    "is not a number",
		head + "int4,int4,4k,0.1\n":                                                   `context_max "4k" is not a whole number`,
		head + "int4,int4,0,0.1\n":                                                    "is not a whole number",
		head + "it4,int4,10,0.1\n":                                                    `loss.csv:2:1: no data type "it4"`,
		head + "int4,,10,0.1\n":                                                       `no data type ""`,
		head + "int4,int4,10\n":                                                       "loss.csv:2:1: wrong number of fields",
		head + "int4,int4,10,0.1\n\nint4,int4,10,0.2\n":                               "loss.csv:4:1: line 2 has the same data types and context_max",
		head + "int4,int4,9,0.1\nint4,int4,10,0.1\nint4,int4,9,0\nint4,int4,10,0.1\n": "loss.csv:4:1: line 2 has",
		head + "\"int4,int4,10,0.1\n":                                                 "loss.csv:",
	} {
		_, err := Parse("loss.csv", []byte(text))
		if _, ok := errors.AsType[*scenario.Error](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

// No file crashes, and a table gives the losses of its own rows.
func FuzzParse(f *testing.F) {
	f.Add([]byte(losses))
	f.Add([]byte("weight_dtype\n\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse("loss.csv", text)
		if err != nil {
			_ = err.Error()
			return
		}
		for _, rows := range table.rows {
			for _, r := range rows {
				if loss, ok := table.Loss(r.weight, r.kv, r.context); !ok || loss != r.loss {
					t.Errorf("%+v: %g %v", r, loss, ok)
				}
			}
		}
	})
}

// A table of 200,000 rows is no trouble: what it costs is in proportion to it.
func TestManyRows(t *testing.T) {
	text := bytes.NewBufferString("weight_dtype,kv_dtype,context_max,loss_ratio\n")
	const n = 200_000
	for i := n; i > 0; i-- {
		fmt.Fprintf(text, "int8,int8,%d,%g\n", i, float64(i)/n)
	}
	table, err := Parse("loss.csv", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for context := 1; context <= n; context++ {
		if loss, ok := table.Loss("int8", "int8", float64(context)); !ok || loss != float64(context)/n {
			t.Fatalf("loss at %d is %g, %v", context, loss, ok)
		}
	}
}
