package details

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// example is a file with something of everything.
func example() *Details {
	one := Split{Steps: 1, Seconds: 0.03, Stages: []Part{{"gemm", 0.02}, {"host", 0.01}}, Resources: []Part{{"compute", 0.03}}}
	r := Request{
		Number: 4, Chosen: []string{"worst TTFT"}, Prompt: 128, Output: 2, Arrival: 1.5, TTFT: 40, TPOT: 30, E2E: 70,
		Parts: []Part{{"ttft queue", 0.01}, {"ttft prefill", 0.03}, {"decode own", 0.03}},
		Steps: []Step{{Kind: PrefillStep, Chosen: "the only one", Start: 1.51, Sequences: 1, Prompt: 128, Context: 128, Split: one}},
	}
	r.Split.Prefill, r.Split.Decode = one, one
	return &Details{
		Schema: Schema, Digest: "d",
		Points: []Point{{
			Index: 3, ID: "abc", Chosen: []string{"baseline"}, Baseline: true, Design: []Place{{"engine.tp", "2", ""}}, Verdict: "steady", Runs: 10,
			SLO: []Limit{{"ttft_p99_ms", 200, Number(math.NaN())}}, Text: "point 3\n", Run: one,
			Latencies: []Quantiles{{"ttft", 9, []Number{1, 2, 3}}}, Requests: []Request{r},
		}},
		Notes: []Note{{-1, "2 more"}},
	}
}

// TestFile: what is written is read, of the tables that it belongs to alone.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if d, err := Read(dir, "d"); d != nil || err != nil {
		t.Errorf("no file gives %v, %v", d, err)
	}
	want := example()
	if err := Write(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir, "d")
	if err != nil {
		t.Fatal(err)
	}
	if l := &got.Points[0].SLO[0]; !l.Min.Known() {
		l.Min, want.Points[0].SLO[0].Min = 0, 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, wrote %+v", got, want)
	}
	if d, err := Read(dir, "other"); d != nil || err != nil {
		t.Errorf("a file of other tables gives %v, %v", d, err)
	}
	if err := Write(dir, &Details{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, File)); err == nil {
		t.Error("a file of nothing stays")
	}
}

func TestDigits(t *testing.T) {
	for n, want := range map[Number]string{1.0 / 3: "0.333333333", 1e-9 / 3: "3.33333333e-10", 458.123456789012: "458.123457", Number(math.Inf(1)): "null", 0: "0"} {
		if got, err := n.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v is written %s, %v, want %s", float64(n), got, err, want)
		}
	}
}

// TestRefused: a file of others is not believed.
func TestRefused(t *testing.T) {
	many := func(n int) string { return strings.Repeat(`{"point_index":1,"text":"x"},`, n) }
	for text, want := range map[string]string{
		``:                       "EOF",
		`[]`:                     "cannot unmarshal",
		`{"schema":2}`:           "schema 2, this program reads 1",
		`{"schema":1} {}`:        "more text than one",
		`{"schema":1,"other":0}`: "unknown field",
		`{"schema":1,"digest":"` + strings.Repeat("x", 500) + `"}`:          "a word of 500 bytes",
		`{"schema":1,"digest":"\u001b[2J"}`:                                 "do not print",
		`{"schema":1,"points":[{"point_index":2},{"point_index":2}]}`:       "point 2 comes after point 2",
		`{"schema":1,"points":[{"run":{"steps":1,"seconds":-1}}]}`:          "below 0",
		`{"schema":1,"points":[{"run":{"steps":1,"seconds":1e300}}]}`:       "too large",
		`{"schema":1,"points":[{"run":{"steps":1,"seconds":2}}]}`:           "add up to 0 s",
		`{"schema":1,"points":[{"run":{"steps":1,"seconds":null}}]}`:        "steps without a time",
		`{"schema":1,"points":[{"latencies":[{"count":2,"ms":[2,1]}]}]}`:    "not in order",
		`{"schema":1,"points":[{"latencies":[{"count":0,"ms":[1,2]}]}]}`:    "quantiles of",
		`{"schema":1,"points":[{"requests":[{"prompt_tokens":-1}]}]}`:       "a count below 0",
		`{"schema":1,"points":[{"requests":[{"arrival_s":null}]}]}`:         "has no latency",
		`{"schema":1,"points":[{"requests":[{"steps":[{"kind":"x"}]}]}]}`:   "a step that is \"x\"",
		`{"schema":1,"notes":[` + strings.TrimSuffix(many(100), ",") + `]}`: "100 notes",
		strings.Repeat(" ", MaxBytes+1):                                     "larger than",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
}

// FuzzDecode: what is read can be written, and is then the same.
func FuzzDecode(f *testing.F) {
	text, err := encode(example())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":1,"points":[{"run":{"steps":1,"seconds":1e-300}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Decode(text)
		if err != nil {
			return
		}
		out, err := encode(d)
		if err != nil {
			if strings.Contains(err.Error(), "larger than") { // escapes may be longer
				return
			}
			t.Fatalf("what was read is not written: %v", err)
		}
		again, err := Decode(out)
		if err != nil || len(again.Points) != len(d.Points) || len(again.Notes) != len(d.Notes) {
			t.Fatalf("what was written is not read: %v", err)
		}
	})
}

// TestDocumented: studies/DETAILS.md says every key.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../studies/DETAILS.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			if key := of.Field(i).Tag.Get("json"); !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("DETAILS.md does not say %q", key)
			}
			look(of.Field(i).Type)
		}
	}
	look(reflect.TypeFor[Details]())
	if len(seen) < 8 {
		t.Errorf("only %d kinds of objects", len(seen))
	}
}
