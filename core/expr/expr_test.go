package expr

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// row is what the tests look names up in.
var row = map[string]any{
	"tp": 4, "rate": 2.5, "hardware.name": "h100-sxm", "dtype": "fp8", "steady": true, "off": false,
	"cell": "16", "blank": "", "a b": 7, "bad": math.NaN(), "list": []float64{1},
}

func get(name string) Value { return Of(row[name]) }

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \n": true, "true": true, "false": false, "1 == 1": true,
		"tp == 4": true, "tp != 4": false, "tp < 4": false, "tp <= 4": true, "tp > 3": true, "tp >= 4.5": false,
		"4 == tp": true, "tp == 4.0": true, "rate == 2.5": true, "rate == 0.25e1": true, "1_000 == 1e3": true, "0.1 + 0.2 != 0.3": true,

		"dtype == 'fp8'": true, `dtype == "FP8"`: false, "dtype ~ 'FP'": true, "'x' ~ 'xy'": false, "dtype != 'fp8'": false,
		"hardware.name ~ 'h100' && dtype in ['int8', 'fp8',]": true, "dtype in []": false, "tp in [1, 2 * 2]": true, "!tp in [1, 2]": true,

		"steady": true, "!steady": false, "steady == true": true, "off || steady": true, "off && steady": false, "steady != off": true,

		"1 + 2 * 3 == 7": true, "(1 + 2) * 3 == 9": true, "8 / 2 / 2 == 2": true, "8 - 2 - 2 == 4": true, "-tp + 5 == 1": true, "--tp == 4": true, "2 - -1 == 3": true,
		"tp*rate-1 == 9": true, "+tp == 4": true, "- (tp + 1) < -4": true,

		"tp == 1 || tp == 4 && rate == 9": false, "(tp == 1 || tp == 4) && rate > 2": true, "!tp == 1": true, "!!(tp == 4)": true,

		"cell == 16": true, "cell > 15.5": true, "cell * 2 == 32": true, "cell == '16.0'": false,
		"blank == ''": true, "blank > 0": false, "blank != 0": true, "blank == 0": false, "dtype > tp": false, "dtype != tp": true,

		"`a b` == 7": true,

		// null is in no comparison, and every arithmetic with it is null
		"gone == gone": false, "gone != 1": false, "gone < 1": false, "!(gone < 1)": true, "gone + 1 > 0": false, "gone": false, "!gone": true,
		"bad == bad": false, "list == list": false, "gone in [gone]": false, "tp / 0 > 0": false, "!(tp / 0 > 0)": true, "0 / 0 == 0 / 0": false,
		"dtype + 1 > 0": false, "-dtype < 1": false, "1 + dtype != 3": false,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Match(get); got != want {
			t.Errorf("%s is %v", text, got)
		}
		if e.Empty() != (strings.TrimSpace(text) == "") || e.String() != text {
			t.Errorf("%s: Empty %v, String %q", text, e.Empty(), e)
		}
	}
	var none *Expr
	if !none.Empty() || !none.Match(get) || !new(Expr).Match(get) {
		t.Error("no expression is not true")
	}
}

var scope = Scope{
	Find: func(name string) (Kind, bool) {
		kinds := map[string]Kind{"tp": Number, "rate": Number, "dtype": Text, "steady": Bool, "cell": Cell}
		k, ok := kinds[name]
		return k, ok
	},
	Names: []string{"tp", "rate", "dtype", "steady", "cell"},
	What:  "column",
	Enum: func(name string) []string {
		if name == "dtype" {
			return []string{"fp8", "fp16", "int8"}
		}
		return nil
	},
	Hint: func(name string) string {
		if strings.HasPrefix(name, "q") {
			return "ask"
		}
		return ""
	},
}

// Each error names the place, the rule and the fix.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		col  int
		want string
	}{
		{"tp", 3, `no comparison after "tp"`},
		{"4", 2, `no comparison after "4"`},
		{"dtype", 6, `no comparison after "dtype"`},
		{"steady && tp", 13, `no comparison after "tp"`},
		{"!tp", 4, `no comparison after "tp"`},
		{"tp = 4", 4, `no comparison after "tp"`},
		{"tp + 1", 7, `no comparison after "+"`},
		{"tp ==", 5, "the expression ends here"},
		{"tp == 4 &&", 10, "the expression ends here"},
		{"(tp == 4", 1, "this parenthesis is not closed"},
		{"tp == 4)", 8, `unexpected ")"`},
		{"1 < tp < 4", 8, `unexpected "<"`},
		{"tp == 4 or steady", 9, "join tests by && or ||"},
		{"dtype == \"fp8", 10, "this quote is not closed"},
		{"tp == 4.4.4", 7, `unexpected "4.4.4"`},
		{"tp == 1e999", 7, `unexpected "1e999"`},
		{"tp == é", 7, `unexpected "é"`},
		{"tp in 4", 7, "a list belongs after in"},
		{"tp in [4", 7, "this list is not closed"},
		{"tp in [4 5]", 10, "separated by commas"},
		{"tp in [,]", 8, `unexpected ","`},
		{"tp > 'four'", 4, `> needs numbers, "four" is text`},
		{"dtype >= 4", 7, `>= needs numbers, "dtype" is text`},
		{"1 - steady > 2", 3, `- needs numbers, "steady" is a truth value`},
		{"-dtype > 2", 1, "- needs numbers"},
		{"steady ~ 'x'", 8, "~ needs texts"},
		{"tp == 'four'", 4, `"tp" is a number, "four" is a text`},
		{"steady == 1", 8, `"steady" is a truth value, "1" is a number`},
		{"dtype in ['fp8', 8]", 7, `"dtype" is a text, "8" is a number`},
		{"dtype == 'fp61'", 10, "did you mean fp16?"},
		{"'nothing' != dtype", 1, "it is one of fp8, fp16, int8"},
		{"dtype in ['fp8', 'it8']", 18, "did you mean int8?"},
		{"tp == 4 && rat == 2", 12, "did you mean \"rate\"?"},
		{"tp == fp8", 7, `no column "fp8"`},
		{"qqqqqqqq == 1", 1, "ask"},
		{"unknowns == 1", 1, `a text needs quotes: "unknowns"`},
		{"`a b` == 1", 1, `no column "a b"`},
		{strings.Repeat("(", 5000) + "tp == 4", 202, "nested too deep"},
		{strings.Repeat("!", 5000) + "tp == 4", 202, "nested too deep"},
		{"1 == " + strings.Repeat("-", 5000) + "1 && tp", 5013, "no comparison after"},
		{strings.Repeat(" ", MaxLength+1), 1, "longer than 16384 bytes"},
	} {
		e, err := Parse(c.text)
		if err == nil {
			err = e.Check(scope)
		}
		x, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: want an error with %q, got %v", c.text, c.want, err)
			continue
		}
		if x.At+1 != c.col {
			t.Errorf("%.40s: at column %d, want %d", c.text, x.At+1, c.col)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, text := range []string{
		"", "steady", "!steady || tp > 4", "dtype == 'int8'", "dtype ~ 'int'", "dtype != dtype", "cell == 4", "cell == 'x'", "cell > 4", "tp * rate > 4 - cell", "dtype in []",
	} {
		e, err := Parse(text)
		if err == nil {
			err = e.Check(scope)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	e, _ := Parse("tp == 4 && `a b` ~ x.y")
	if n := e.Names(); len(n) != 3 || n[1] != (Name{"a b", 11}) || n[2] != (Name{"x.y", 19}) {
		t.Errorf("names %v", n)
	}
}

func TestErrorPoints(t *testing.T) {
	_, err := Parse("tp ==\t4 and 3")
	if want := "column 9: unexpected \"and\"\n  tp == 4 and 3\n          ^ join tests by && or ||"; err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = Parse(strings.Repeat("tp == 4 && ", 50) + "tp = 4" + strings.Repeat(" ", 200))
	lines := strings.Split(err.Error(), "\n")
	if at := strings.IndexByte(lines[2], '^'); at < 0 || lines[1][at] != '=' || len(lines[1]) > 170 {
		t.Errorf("the caret is not under the place:\n%v", err)
	}
}

// No text crashes; an error points into it; and what parses gives an answer,
// for which "!" gives the other.
func FuzzExpr(f *testing.F) {
	for _, s := range []string{
		"", "tp == 4", "dtype ~ 'h' && !(rate < 3 || cell >= 1e3)", "`a b` != \"\"", "((((", "!!!!", "1 == 1", "tp in [1, -2, 'x']", "tp == 1_0", "é == 1",
		"1 - 2 * (3 + tp) / 0 > gone", "true", "in in [in]", "- - + 1 == 1e", "1e-", "x == 'a", "a.b..c == .5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err == nil {
			err = e.Check(scope)
			if yes := e.Match(get); !e.Empty() {
				no, err := Parse("!(" + text + ")")
				if err == nil && no.Match(get) == yes {
					t.Errorf("%q is %v, and so is its opposite", text, yes)
				}
			}
		}
		if x, ok := errors.AsType[*Error](err); err != nil && (!ok || x.At < 0 || x.At > len(text) || x.Error() == "") {
			t.Errorf("%q: the error does not point: %v", text, err)
		}
	})
}
