package step

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/measured/row"
)

const head = "step.id,step.ts_start_ns,batch.num_prefill_reqs,batch.prefill_tokens,batch.decode_tokens,kv.usage_gpu_ratio,kv.blocks_total_gpu,model,tp\n"

func read(t *testing.T, text string) *row.File {
	t.Helper()
	f := &row.File{}
	if err := Read(&row.Source{Name: "x.csv", Data: []byte(head + text)}, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// lines writes a log whose steps take 10 ms + 0.1 ms a token; the time of a
// step passes before its own start is logged (late) or after it.
func lines(late bool) string {
	var b strings.Builder
	now := int64(0)
	for i := range 40 {
		prefill := 50 * (i * 7 % 5)
		took := int64(10e6 + 1e5*float64(prefill+8))
		if late {
			now += took
		}
		fmt.Fprintf(&b, "%d,%d,%d,%d,8,0.5,100,llama-2-70b,4\n", i, now, min(prefill, 2), prefill)
		if !late {
			now += took
		}
	}
	return b.String()
}

// The owner of the time between two starts is found from the data.
func TestOwner(t *testing.T) {
	for _, late := range []bool{false, true} {
		f := read(t, lines(late))
		used := 0
		for i := range f.Rows {
			o := &f.Rows[i]
			if o.Dropped != "" {
				continue
			}
			used++
			ms, _ := o.Target(row.StepMetric)
			if want := 10 + 0.1*float64(o.Shape.Prefill+8); math.Abs(ms-want) > 1e-6 {
				t.Fatalf("late %t: step %s takes %g ms, want %g", late, o.ID, ms, want)
			}
		}
		if used != 39 {
			t.Errorf("late %t: %d steps have a time, want 39", late, used)
		}
	}
}

func TestRead(t *testing.T) {
	f := read(t, "1,1000000,0,0,8,0.5,100,llama-2-70b,4\n2,3000000,1,64,7,0.25,100,llama-2-70b,4\n5,9000000,0,0,0,0,100,llama-2-70b,4\n")
	o := &f.Rows[0]
	if o.Shape != (row.Shape{Decodes: 8, Resident: 800}) || f.Rows[1].Shape != (row.Shape{Decodes: 7, Chunks: 1, Prefill: 64, Resident: 400}) {
		t.Errorf("shapes %+v %+v", o.Shape, f.Rows[1].Shape)
	}
	if ms, _ := o.Target(row.StepMetric); ms != 2 || o.Kind != row.Step || o.Value("engine.tp") != 4 || o.Value("model.name") != "llama-2-70b" {
		t.Errorf("%v %v %v", o.Targets, o.Kind, o.Values)
	}
	for i := 1; i < 3; i++ {
		if !strings.HasPrefix(f.Rows[i].Dropped, "no time: ") {
			t.Errorf("row %d: %q", i, f.Rows[i].Dropped)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		head + "a,1,0,0,8,0.5,100,m,4\n":  `x.csv:2:1: step.id: "a" is not a whole number`,
		head + "1,1,0,0,-8,0.5,100,m,4\n": "-8 is not a whole number from 0",
		head + "1,1,0,0,8,0.5,100,m,0\n":  "tp: 0 is not a whole number from 1",
		"isl,osl\n1,2\n":                  "not of the steps form",
	} {
		err := Read(&row.Source{Name: "x.csv", Data: []byte(text)}, &row.File{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, got\n%v", text, want, err)
		}
	}
}

func TestRankCorrelation(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		y    []float64
		want float64
	}{{[]float64{10, 20, 30, 1000}, 1}, {[]float64{4, 3, 2, 1}, -1}, {[]float64{1, 1, 1, 1}, 0}, {[]float64{1, 1, 2, 2}, 0.894427}} {
		if got := rankCorrelation(x, c.y); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v: %g, want %g", c.y, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + lines(true)))
	f.Add([]byte(head + "1,1,0,0,8,9,1e300,m,4\n2,9223372036854775807,1,1,0,,,,\n3,-9223372036854775808,0,0,1,,,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := &row.File{}
		if err := Read(&row.Source{Name: "x.csv", Data: data}, file); err != nil {
			return
		}
		for i := range file.Rows {
			if o := &file.Rows[i]; o.Dropped == "" && !(o.Targets[0].Value > 0) {
				t.Errorf("line %d: %v", o.Line, o.Targets)
			}
		}
	})
}
