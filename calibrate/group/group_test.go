package group

import (
	"errors"
	"strings"
	"testing"

	"scoville/calibrate/measured"
	"scoville/core/scenario"
)

func rows(t *testing.T, text string) (out []*measured.Observation) {
	t.Helper()
	f, err := measured.Read("m.csv", []byte("gpu,model,engine_version,isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms\n"+text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Rows {
		out = append(out, &f.Rows[i])
	}
	return out
}

const three = "h100-sxm,llama-3.1-8b,vllm 0.12.0,256,64,4,30,10\nh200,llama-3.1-8b,,256,64,4,30,10\nh100-sxm,llama-3.1-8b,vllm 0.12.0,512,64,4,30,10\nh100-sxm,llama-3.1-70b,vllm 0.12.0,512,64,4,30,10\n"

// Every usable row is in one part, with the dropped ones of the same key; fixed
// values stand before those of the rows.
func TestSplit(t *testing.T) {
	r := rows(t, three+"h200,llama-3.1-8b,,512,64,9000,30,10\nb200,llama-3.1-8b,,512,64,9000,30,10\n")
	for _, o := range r[4:] {
		o.Drop("beyond the batch")
	}
	parts, err := Split(r, nil)
	if err != nil || len(parts) != 3 || len(parts[0].Rows) != 2 || len(parts[1].Rows) != 2 || len(parts[2].Rows) != 1 {
		t.Fatalf("%v %+v", err, parts)
	}
	for i, want := range []string{"h100-sxm llama-3.1-8b vllm 0.12.0", "h200 llama-3.1-8b", "h100-sxm llama-3.1-70b vllm 0.12.0"} {
		if parts[i].String() != want {
			t.Errorf("%q, want %q", parts[i], want)
		}
	}
	f, err := measured.ParseFilter("w", parts[0].Where())
	if err != nil || !f.Match(r[0]) || f.Match(r[1]) || !f.Match(r[2]) || f.Match(r[3]) {
		t.Errorf("the filter %s: %v", parts[0].Where(), err)
	}
	fixed := []scenario.Assignment{{Path: "hardware.name", Value: "b200"}, {Path: "engine.version", Value: "x"}, {Path: "model.name", Value: "m"}}
	if parts, err = Split(r, fixed); err != nil || len(parts) != 1 || len(parts[0].Rows) != 6 {
		t.Errorf("fixed: %v %+v", err, parts)
	}
	if k := (Key{"h100-sxm", "/models/my-model/config.json", ""}); k.String() != "h100-sxm my-model" {
		t.Errorf("%s", k)
	}
}

// One fit is about one chip and era, of one model or several.
func TestOne(t *testing.T) {
	if err := One(rows(t, strings.ReplaceAll(three, "h200,llama-3.1-8b,,", "h100-sxm,llama-3.1-8b,vllm 0.12.0,")), nil); err != nil {
		t.Error(err)
	}
	err := One(rows(t, three), nil)
	if several, ok := errors.AsType[*Several](err); !ok || len(several.where) != 2 || !strings.Contains(err.Error(), "--each") {
		t.Errorf("%v", err)
	}
	if err := One(rows(t, ",llama-3.1-8b,,256,64,4,30,10\n"), nil); err == nil || !strings.Contains(err.Error(), "--hardware NAME") {
		t.Errorf("%v", err)
	}
}
