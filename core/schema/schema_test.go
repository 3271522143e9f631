package schema

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"scoville/core/unit"
)

type inner struct {
	Peak float64 `toml:"peak" unit:"TFLOP/s" range:"[0,1e9]" help:"peak"`
}

type sample struct {
	Name  string     `toml:"name" help:"label"`
	Mode  string     `toml:"mode" enum:"sum|max" default:"sum" help:"how times combine"`
	Share float64    `toml:"share" unit:"ratio" range:"(0,1]" default:"0.5" help:"share of memory"`
	Seqs  int        `toml:"seqs" unit:"sequences" range:"[1,100)" default:"8" help:"most sequences"`
	On    bool       `toml:"on" default:"true" help:"switch"`
	Type  unit.DType `toml:"type" help:"format"`
	List  []float64  `toml:"list" help:"lengths"`
	Inner inner      `toml:"inner"`
	Many  []inner    `toml:"many"`
	Skip  chan int   `toml:"-"`
}

func TestRead(t *testing.T) {
	nodes, err := Read(reflect.TypeFor[sample](), "s.")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, n := range nodes {
		paths = append(paths, n.Path+":"+n.Kind.String())
	}
	want := "s.name:string s.mode:string s.share:float s.seqs:int s.on:bool s.type:dtype s.list:floats s.inner.peak:float"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f := nodes[3].Field; f.Lo != 1 || f.Hi != 100 || f.LoOpen || !f.HiOpen || f.Unit != "sequences" || f.Default != "8" {
		t.Errorf("seqs: %+v", f)
	}
	var s sample
	root := reflect.ValueOf(&s).Elem()
	if err := SetDefaults(root, nodes); err != nil {
		t.Fatal(err)
	}
	if s.Mode != "sum" || s.Share != 0.5 || s.Seqs != 8 || !s.On || s.Name != "" {
		t.Errorf("defaults: %+v", s)
	}
	for i, v := range []any{"x", "max", 1.0, 99, false, "fp8", []float64{1, 2}, 64.5} {
		nodes[i].Put(root, v)
		if got := nodes[i].Get(root); !reflect.DeepEqual(got, v) {
			t.Errorf("%s: got %v, want %v", nodes[i].Path, got, v)
		}
	}
}

func TestMalformedTags(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{struct{ X float64 }{}, "X has no toml tag"},
		{struct {
			X float64 `toml:"x" unit:"s" range:"[0,1]"`
		}{}, "x has no help"},
		{struct {
			X float64 `toml:"x" range:"[0,1]" help:"h"`
		}{}, "x has no unit"},
		{struct {
			X int `toml:"x" unit:"s" help:"h"`
		}{}, `x: range "" is not an interval`},
		{struct {
			X int `toml:"x" unit:"s" range:"[1,0]" help:"h"`
		}{}, `x: range "[1,0]" is not an interval`},
		{struct {
			X int `toml:"x" unit:"s" range:"[0,inf]" help:"h"`
		}{}, `x: range "[0,inf]" is not an interval`},
		{struct {
			X int `toml:"x" unit:"s" range:"0 to 1" help:"h"`
		}{}, `x: range "0 to 1" is not an interval`},
		{struct {
			X bool `toml:"x" enum:"a|b" help:"h"`
		}{}, "x: enum on a bool"},
		{struct {
			X string `toml:"x" enum:"a||b" help:"h"`
		}{}, "x: empty value in enum"},
		{struct {
			X map[string]int `toml:"x" help:"h"`
		}{}, "x: no study key can have type map[string]int"},
		{struct {
			X int `toml:"x" unit:"s" range:"[0,1]" default:"a" help:"h"`
		}{}, `x: default "a" is not a int`},
		{struct {
			X int `toml:"x" unit:"s" range:"[0,1]" default:"2" help:"h"`
		}{}, "default: x: 2 is not in [0,1] (s)"},
		{struct {
			X string `toml:"x" enum:"a|b" default:"c" help:"h"`
		}{}, `default: x: "c" is not one of a, b`},
	} {
		v := reflect.New(reflect.TypeOf(c.v)).Elem()
		nodes, err := Read(v.Type(), "")
		if err == nil {
			err = SetDefaults(v, nodes)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestConvert(t *testing.T) {
	nodes, err := Read(reflect.TypeFor[sample](), "")
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]*Node{}
	for _, n := range nodes {
		byPath[n.Path] = n
	}
	for _, c := range []struct {
		path string
		v    any
		want any // or the error text
	}{
		{"share", 1, 1.0},
		{"share", int64(1), 1.0},
		{"share", 0.25, 0.25},
		{"inner.peak", math.Copysign(0, -1), 0.0},
		{"share", 0.0, "share: 0 is not in (0,1] (ratio); share of memory"},
		{"share", 1.5, "share: 1.5 is not in (0,1] (ratio); share of memory"},
		{"share", -3, "share: -3 is not in (0,1] (ratio); share of memory"},
		{"inner.peak", -3.5, "inner.peak: -3.5 is not in [0,1e9] (TFLOP/s); peak, in TFLOP/s"},
		{"share", math.NaN(), "share: NaN is not a finite number; share of memory"},
		{"share", math.Inf(1), "share: +Inf is not a finite number; share of memory"},
		{"share", "0.5", `share: "0.5" is a string where a number belongs; write 0.5 without quotes`},
		{"share", "half", `share: "half" is a string where a number belongs; share of memory`},
		{"share", true, "share: true is not a number; share of memory"},
		{"share", []any{1}, "share: a list is not a number; share of memory"},
		{"share", nil, "share: is not a number; share of memory"},
		{"seqs", int64(9), 9},
		{"seqs", 100, "seqs: 100 is not in [1,100) (sequences); most sequences, in sequences"},
		{"seqs", int64(math.MaxInt64), "seqs: 9223372036854775807 is not in [1,100) (sequences); most sequences, in sequences"},
		{"seqs", 3.0, "seqs: 3.0 is a float where a whole number belongs; write 3"},
		{"seqs", 3.5, "seqs: 3.5 is not a whole number; most sequences, in sequences"},
		{"seqs", "3", `seqs: "3" is a string where a number belongs; write 3 without quotes`},
		{"on", false, false},
		{"on", "true", `on: "true" is not true or false; switch`},
		{"name", "x", "x"},
		{"name", 7, "name: 7 is not a string; write it in quotes"},
		{"mode", "sun", `mode: "sun" is not one of sum, max; did you mean "sum"?`},
		{"mode", "", `mode: "" is not one of sum, max; how times combine`},
		{"type", "fp8", "fp8"},
		{"type", "", ""},
		{"type", "fp7", `type: "fp7" is not one of int4, fp4, int8, fp8, fp16, bf16, fp32; did you mean "fp4"?`},
		{"list", []any{int64(1), 2.5}, []float64{1, 2.5}},
		{"list", []float64{3}, []float64{3}},
		{"list", []any{"1"}, `list: "1" is a string where a number belongs; write 1 without quotes`},
		{"list", 3, "list: 3 is not a list of numbers; lengths"},
		{"name", strings.Repeat("é", 100), strings.Repeat("é", 100)},
		{"mode", strings.Repeat("é", 100), `mode: "` + strings.Repeat("é", 80) + `..." is not one of sum, max; how times combine`},
		{"mode", map[string]any{}, "mode: a table is not a string; write it in quotes"},
	} {
		got, fe := byPath[c.path].Convert(c.v)
		if fe != nil {
			if fe.Error() != c.want {
				t.Errorf("%s = %v:\ngot  %s\nwant %v", c.path, c.v, fe, c.want)
			}
		} else if !reflect.DeepEqual(got, c.want) || got == 0.0 && math.Signbit(got.(float64)) {
			t.Errorf("%s = %v: got %v, want %v", c.path, c.v, got, c.want)
		}
	}
}
