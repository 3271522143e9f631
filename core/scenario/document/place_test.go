package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// writer makes random TOML in which every value is the place of its own key,
// line x 1000 + column, in every form a key can be written.
type writer struct {
	strings.Builder
	rng  *rand.Rand
	line int
	bol  int // length up to the start of the line
	next int // number of names given
}

func (w *writer) place() int { return w.line*1000 + w.Len() - w.bol + 1 }

func (w *writer) put(s string) {
	w.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		w.line += strings.Count(s, "\n")
		w.bol = w.Len() - len(s) + i + 1
	}
}

func (w *writer) pick(s ...string) string { return s[w.rng.IntN(len(s))] }

// name is a new key, bare or quoted, sometimes of several parts.
func (w *writer) name() string {
	w.next++
	s := fmt.Sprintf("k%d", w.next)
	return w.pick(s, `"`+s+`"`, "'"+s+"'", s+".a", s+` . "b.c"`, `"`+s+`.x-y"`)
}

func (w *writer) pair(depth int) {
	place := w.place()
	w.put(w.name() + w.pick("=", " = ", "\t=  "))
	switch w.rng.IntN(8) {
	case 0:
		w.put(fmt.Sprintf(`[ %d, "]#", [{ x = 1 }, '''%s''' ],%s 3 ]`, place, w.pick("\n[a]\n", "''", "b = {"), w.pick("", " # ]\n\n")))
	case 1:
		if depth > 0 {
			w.put("{ ")
			w.pair(depth - 1)
			w.put(", ")
			w.pair(depth - 1)
			w.put(" }")
			return
		}
		fallthrough
	case 2:
		w.put(fmt.Sprintf("%q", fmt.Sprint(place)+w.pick("", "{", "#", `"`, `\`, "[[x]]")))
	case 3:
		w.put(fmt.Sprintf(`"""%d%s"""`, place, w.pick("", "\n[t]\nx = 1\n", `\"""`, `""`)))
	default:
		w.put(fmt.Sprint(place))
	}
}

func (w *writer) file() string {
	for range 3 + w.rng.IntN(12) {
		switch w.rng.IntN(5) {
		case 0:
			w.next++
			w.put(fmt.Sprintf("[ t%d . %s ]%s\n", w.next, w.pick("a", `"b.c"`), w.pick("", " # [x]")))
		case 1:
			name := fmt.Sprintf("l%d", w.rng.IntN(3))
			w.put(fmt.Sprintf("[[%s]]\n", name))
			w.pair(1)
			w.put(fmt.Sprintf("\n[%s.sub]\n", name))
		case 2:
			w.put(w.pick("# a = 1\n", "\n\n", "  \t\n", "# [[x]]\r\n"))
		}
		w.put(w.pick("", "  "))
		w.pair(2)
		w.put(w.pick("", " # c") + w.pick("\n", "\r\n"))
	}
	return w.String()
}

// TestPlaces: every key of random files is found where it was written.
func TestPlaces(t *testing.T) {
	keys := 0
	for seed := range uint64(500) {
		w := &writer{rng: rand.New(rand.NewPCG(seed, 1)), line: 1}
		text := w.file()
		d, err := Parse("r.toml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		keys += checkPlaces(t, d, text)
	}
	if keys < 3000 {
		t.Errorf("only %d keys were checked", keys)
	}
}

func checkPlaces(t *testing.T, d *Document, text string) (keys int) {
	for _, top := range d.Entries {
		for _, e := range d.open(nil, top) {
			v := e.Value
			if elems, ok := v.([]*Document); ok {
				for _, el := range elems {
					keys += checkPlaces(t, el, text)
				}
				continue
			}
			if list, ok := v.([]any); ok {
				v = list[0]
			}
			if want := fmt.Sprint(e.Line*1000 + e.Col); !strings.HasPrefix(fmt.Sprint(v), want) {
				t.Fatalf("%s found at %d:%d, but it says %v\n%s", e.Key(), e.Line, e.Col, v, text)
			}
			keys++
		}
	}
	return keys
}
