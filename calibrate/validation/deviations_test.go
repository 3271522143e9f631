package validation

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of core/engine/DEVIATIONS.md")

// page holds the published tables between two lines.
var page = filepath.Join("..", "..", "core", "engine", "DEVIATIONS.md")

const (
	begin = "<!-- tables: written by make validate -->\n"
	end   = "<!-- end of tables -->\n"
)

// TestDeviations replays every measured run and compares the tables with the
// published ones; with -update it publishes them.
func TestDeviations(t *testing.T) {
	if testing.Short() {
		t.Skip("fits and replays take 15 s")
	}
	dir := shared(t)
	sections := []struct {
		title  string
		replay func(*testing.T) string
	}{
		{"RTX 4090, KV blocks the limit", func(t *testing.T) string {
			return replayRequests(t, dir, &requestRun{name: "rtx-4090", folder: "RTX4090", publisher: [3]float64{0.6, 0.2, 0.5}})
		}},
		{"RTX PRO 6000, max_num_seqs the limit", func(t *testing.T) string {
			return replayRequests(t, dir, &requestRun{name: "rtx-pro-6000", folder: "RTXPRO6000", publisher: [3]float64{-4.0, -1.0, -1.8}})
		}},
		{"8 x A100-40, 70B, tensor-parallel", func(t *testing.T) string { return replayBursts(t, dir) }},
		{"H100, rising rates", func(t *testing.T) string { return replayStages(t, dir) }},
	}
	texts := make([]string, len(sections))
	t.Run("replay", func(t *testing.T) {
		for i, s := range sections {
			t.Run(s.title, func(t *testing.T) {
				t.Parallel()
				texts[i] = "### " + s.title + "\n\n" + s.replay(t) + "\n"
			})
		}
	})
	if t.Failed() {
		return
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	published, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the tables", page)
	}
	got := "\n" + strings.Join(texts, "")
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+got+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line, ok := same(published, got); !ok {
		t.Errorf("%s is out of date: run make validate. First difference:\n%s", page, line)
	}
}

var number = regexp.MustCompile(`[+-]?[0-9]+(\.[0-9]+)?`)

// same compares two texts whose numbers may differ by rounding: by one and a
// half of the last digit shown. It returns the first line that differs.
func same(a, b string) (string, bool) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		if i >= len(x) || i >= len(y) {
			return "another number of lines", false
		}
		if !alike(x[i], y[i]) {
			return "- " + x[i] + "\n+ " + y[i], false
		}
	}
	return "", true
}

func alike(a, b string) bool {
	if number.ReplaceAllString(a, "#") != number.ReplaceAllString(b, "#") {
		return false
	}
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range x {
		p, _ := strconv.ParseFloat(x[i], 64)
		q, _ := strconv.ParseFloat(y[i], 64)
		_, decimals, _ := strings.Cut(x[i], ".")
		if math.Abs(p-q) > 1.5*math.Pow10(-len(decimals)) {
			return false
		}
	}
	return true
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"| TTFT | +1.2 % |", "| TTFT | +1.3 % |", true},
		{"| TTFT | +0.0 % |", "| TTFT | -0.1 % |", true},
		{"| TTFT | +1.2 % |", "| TTFT | +1.4 % |", false},
		{"| TTFT | +1.2 % |", "| TTFT | -1.2 % |", false},
		{"| TTFT | +1.2 % |", "| TPOT | +1.2 % |", false},
		{"| 1 | 2 |", "| 1 |", false},
		{"no numbers", "no numbers", true},
	} {
		if alike(c.a, c.b) != c.want {
			t.Errorf("%q and %q", c.a, c.b)
		}
	}
	if _, ok := same("a\nb", "a"); ok {
		t.Error("a missing line is a difference")
	}
}
