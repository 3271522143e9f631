package document

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// list prints entries one per line: line:col key = value; elements of arrays
// of tables are indented.
func list(d *Document, indent string) string {
	var b strings.Builder
	for _, e := range d.Entries {
		elems, ok := e.Value.([]*Document)
		if !ok {
			fmt.Fprintf(&b, "%s%d:%d %s = %v\n", indent, e.Line, e.Col, e.Key(), e.Value)
			continue
		}
		fmt.Fprintf(&b, "%s%d:%d %s\n", indent, e.Line, e.Col, e.Key())
		for _, el := range elems {
			fmt.Fprintf(&b, "%s  %d:%d\n%s", indent, el.Line, el.Col, list(el, indent+"  "))
		}
	}
	return b.String()
}

func mustParse(t testing.TB, text string) *Document {
	t.Helper()
	d, err := Parse("x.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

func TestEntries(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"order is that of the file", "b = 1\na = 2\n[z]\nx = 1.5\n[y]\nx = true\n", "1:1 b = 1\n2:1 a = 2\n4:1 z.x = 1.5\n6:1 y.x = true\n"},
		{"quoted and dotted keys are paths", "[axes]\n\"hardware.x\" = [1, 2]\n  hardware.'y' = 3\nhardware . z=4", "2:1 axes.hardware.x = [1 2]\n3:3 axes.hardware.y = 3\n4:1 axes.hardware.z = 4\n"},
		{"inline tables stay values", "a = { c = 1, b.x = 2 }\n[t]\nr = {from = 1}", "1:1 a = map[b:map[x:2] c:1]\n3:1 t.r = map[from:1]\n"},
		{"empty tables are entries", "[oat]\n[a.b]\n", "1:1 oat = map[]\n2:1 a.b = map[]\n"},
		{"arrays of tables", "[[c.n]]\nname = \"a\"\n\"h.x\" = 1\n[c.n.sub]\ny = 2\n[[c.n]]\nname = \"b\"\n[d]\ne = 1\n", "1:1 c.n\n  1:1\n  2:1 name = a\n  3:1 h.x = 1\n  5:1 sub.y = 2\n  6:1\n  7:1 name = b\n9:1 d.e = 1\n"},
		{"nested arrays of tables", "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n[[a]]\n[[a.b]]\nx = 3\n", "1:1 a\n  1:1\n  2:1 b\n    2:1\n    3:1 x = 1\n    4:1\n    5:1 x = 2\n  6:1\n  7:1 b\n    7:1\n    8:1 x = 3\n"},
		{"strings hide structure", "a = \"\"\"\n[no]\nb = 1 \\\"\"\"\" # [x]\nc = '''\n[[no]]\n'''''\nd = '#[]{}='\ne = \"\\\"[\"\nf = 1", "1:1 a = [no]\nb = 1 \"\n4:1 c = [[no]]\n''\n7:1 d = #[]{}=\n8:1 e = \"[\n9:1 f = 1\n"},
		{"comments and arrays over lines", "# [x]\na = [ # ]\n  1, # ,\n  [2, { b = 3 }],\n]\n\nc = 1 # d = 2\n", "2:1 a = [1 [2 map[b:3]]]\n7:1 c = 1\n"},
		{"byte order mark and CRLF", "\ufeffa = 1\r\n[t]\r\nb = 2\r\n", "1:1 a = 1\n3:1 t.b = 2\n"},
		{"large and negative integers stay", "seed = -1\nn = 9223372036854775807", "1:1 seed = -1\n2:1 n = 9223372036854775807\n"},
		{"nothing", "", ""},
	} {
		got := list(mustParse(t, c.text), "")
		if got != c.want {
			t.Errorf("%s:\ngot\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a = 1\nb = \n", "x.toml:2:5: expected value but found '\\n' instead\n    2 | b =\n      |     ^"},
		{"a = 1\na = 2\n", "x.toml:2:1: key 'a' has already been defined\n    2 | a = 2\n      | ^"},
		{"\"h.x\" = 1\n[h]\nx = 2\n", "x.toml:3:1: h.x: already given on line 1\n    3 | x = 2\n      | ^ quoted and unquoted dotted keys are the same path"},
		{"[a]\n\tb = [1, {c = nan}]\n", "x.toml:2:2: a.b: nan and inf are not values\n    2 |  b = [1, {c = nan}]\n      |  ^ write a finite number"},
		{"[[c]]\nx = -inf\n", "x.toml:2:1: c.x: nan and inf are not values\n    2 | x = -inf\n      | ^ write a finite number"},
		{"a = 9223372036854775808", "x.toml:1:5: 9223372036854775808 is out of range for int64\n    1 | a = 9223372036854775808\n      |     ^"},
		{"\"\\", "x.toml: *"},
		{"a = " + strings.Repeat("[", 5000), "x.toml:1:70: values nest deeper than 64*"},
		{"a = " + strings.Repeat("{a=", 5000), "x.toml:1:200: values nest deeper than 64*"},
		{strings.Repeat("a.", 5000) + "a = 1", "x.toml:1:131: keys nest deeper than 64*"},
		{"[" + strings.Repeat("a", 2000) + "]", "x.toml:1:1: a key is longer than 1024 bytes*"},
		{"a\x00b = 1", "x.toml:1:*"},
		{"\xff\xfea\x00", "x.toml:1:*"},
		{strings.Repeat("# \n", 2<<20), "x.toml: too many bytes for a TOML file; the limit is 4 MiB"},
	} {
		_, err := Parse("x.toml", []byte(c.text))
		if err == nil {
			t.Errorf("%.40q: no error", c.text)
		} else if got, start, open := err.Error(), strings.TrimSuffix(c.want, "*"), strings.HasSuffix(c.want, "*"); got != c.want && !(open && strings.HasPrefix(got, start)) {
			t.Errorf("%.40q:\ngot\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func TestErrorf(t *testing.T) {
	d := mustParse(t, `name = "x"
[axes]
  "hardware.wieght" = [1]
[[workload.class]]
name = "short"
share = 2
[search]
`)
	for _, c := range []struct{ path, want string }{
		{"axes.hardware.wieght", "3:3: axes.hardware.wieght"},
		{"axes.hardware.absent", "2:1: axes.hardware.absent"},
		{"workload.class.short.share", "6:1: workload.class.short.share"},
		{"workload.class.short", "5:1: workload.class.short"},
		{"workload.class.long.share", "4:1: workload.class.long.share"},
		{"search", "7:1: search"},
	} {
		if got := d.Errorf(c.path, "", "bad").Error(); !strings.HasPrefix(got, "x.toml:"+c.want+": bad\n") {
			t.Errorf("%s: got %s", c.path, got)
		}
	}
	if got := d.Errorf("engine.tp", "give it", "needed").Error(); got != "x.toml: engine.tp: needed; give it" {
		t.Errorf("unknown place: %s", got)
	}
	el := d.Value("workload.class").([]*Document)[0]
	if got := el.Errorf("shrae", "", "bad"); got.Line != 4 || got.Where != "workload.class.shrae" {
		t.Errorf("element: %v", got)
	}
	if !d.Has("workload.class.short.share") || d.Has("workload.class.short.prompt") || d.Has("workload.class.long") {
		t.Error("Has is wrong about keys of elements")
	}
}

func TestErrorForm(t *testing.T) {
	e := &Error{
		File: "studies/grid.toml", Line: 12, Col: 1, Where: "axes", Msg: `no parameter "hardware.wieght_bandwidth_gb_s"`,
		Text: `"hardware.wieght_bandwidth_gb_s" = [3000, 4000]`, Hint: `did you mean "hardware.weight_bandwidth_gb_s"?`,
	}
	want := `studies/grid.toml:12:1: axes: no parameter "hardware.wieght_bandwidth_gb_s"
   12 | "hardware.wieght_bandwidth_gb_s" = [3000, 4000]
      | ^ did you mean "hardware.weight_bandwidth_gb_s"?`
	if got := e.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := &Error{File: "f", Line: 1234567, Col: 5001, Msg: "m", Text: strings.Repeat("é", 2500) + "x\x1b[31m" + strings.Repeat("y", 500)}
	lines := strings.Split(long.Error(), "\n")
	at := utf8.RuneCountInString(lines[2][:strings.Index(lines[2], "^")])
	if len(lines) != 3 || utf8.RuneCountInString(lines[1]) > 180 || []rune(lines[1])[at] != 'x' || strings.Contains(lines[1], "\x1b") {
		t.Errorf("long line:\n%s", long.Error())
	}
	for _, col := range []int{-1, 0, 3, 99} { // never panics
		_ = (&Error{Line: 1, Col: col, Text: "ab"}).Error()
	}
}

func TestUnder(t *testing.T) {
	for _, text := range []string{
		"[a]\nx = { b = 1, a = { c = 2 } }\ny = 3\n[az]\nq = 1",
		"[a.x]\nb = 1\na.c = 2\n[a]\ny = 3",
		"a = { x = { b = 1, a.c = 2 }, y = 3 }",
	} {
		var got []string
		for _, e := range mustParse(t, text).Under("a") {
			got = append(got, fmt.Sprintf("%s=%v", e.Key(), e.Value))
			if e.Line == 0 {
				t.Errorf("%q: %s has no place", text, e.Key())
			}
		}
		if s := strings.Join(got, " "); s != "a.x.b=1 a.x.a.c=2 a.y=3" {
			t.Errorf("%q: %s", text, s)
		}
	}
}

// FuzzParse: no input panics; in a valid file every entry has a place, and
// errors about it can be printed.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a = 1", "\"\\", "[grid]\nworkload.rate = [1,2]", "[[a]]\n[a.b]\nc = '''x'''\n[[a]]", "a = {b = [{c = 1}, {d.e = \"]\"}]}",
		"\"a.b\" = 1\na.b = 2", "\"\\u0061\" = 1", "x = [\n1, # ]\n]\n", "a = \"\"\"\"\"\"\"\"", "d = 1979-05-27T07:32:00Z", "a = { b = 1,\n}", "\ufeff# x\r\na=1\r\n", "\ufeff\ufeffa=1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse("f.toml", text)
		if err != nil {
			_ = err.Error()
			return
		}
		check(t, d)
	})
}

func check(t *testing.T, d *Document) {
	for _, e := range d.Entries {
		if e.Line == 0 && !strings.Contains(d.Text, `\`) {
			t.Errorf("no place for %q in %q", e.Key(), d.Text)
		}
		_ = d.Errorf(e.Key(), "", "x").Error()
		switch v := e.Value.(type) {
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%v got through", v)
			}
		case []*Document:
			for _, el := range v {
				check(t, el)
			}
		}
	}
	_ = d.Under("a")
}
