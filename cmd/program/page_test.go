package program

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

const wideTable = `best of 3 steady points
point  memory_bandwidth_gb_s  weight_dtype  load  ttft_p99_ms  output_tok_s
20     3000                   fp8           0.5   22 ± 4       4317 ± 410
8      2000                   fp8           0.5   22 ± 2
32     4000                   fp16          0.5   -            5291 ± 508
`

// What fits is as it was; what does not keeps its words whole and its columns
// under each other.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     string
	}{
		{"fits", wideTable, 80, wideTable},
		{"columns go below", wideTable, 44, `best of 3 steady points
point  memory_bandwidth_gb_s  weight_dtype
20     3000                   fp8
8      2000                   fp8
32     4000                   fp16

point  load  ttft_p99_ms  output_tok_s
20     0.5   22 ± 4       4317 ± 410
8      0.5   22 ± 2
32     0.5   -            5291 ± 508
`},
		{"a note hangs", "note    statistics are over 2,000 requests a run, from an empty start\n", 40, `note    statistics are over 2,000
        requests a run, from an empty
        start
`},
		{"prose", "95% interval of the paired difference, 5 replicates. ~ = includes 0", 40, "95% interval of the paired difference, 5\nreplicates. ~ = includes 0"},
		{"the last column wraps", `key        default  meaning
a.b        1        how many sequences a step may run at once
a.c        none     what
engine.tp  1        chips of one replica
`, 48, `key        default  meaning
a.b        1        how many sequences a step
                    may run at once
a.c        none     what
engine.tp  1        chips of one replica
`},
		{"the first column wraps", `design                                ttft  tpot
memory = 2000, weight_dtype = "fp16"  1     3
memory = 4000, weight_dtype = "fp16"  2     4
`, 44, `design                 ttft  tpot
memory = 2000,         1     3
weight_dtype = "fp16"
memory = 4000,         2     4
weight_dtype = "fp16"
`},
		{"one line of levels", "axes   engine.max_num_seqs  9  1  2  4  8  16  32  64  ...  256", 40, "axes   engine.max_num_seqs  9  1  2  4\n       8  16  32  64  ...  256"},
		{"a word too long", "files   " + strings.Repeat("x", 50), 40, "files   " + strings.Repeat("x", 50)},
		{"nothing", "", 40, ""},
	} {
		if got := Fit(c.in, c.width); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// No word is lost and no line too long, at any width.
func TestFitKeepsWords(t *testing.T) {
	for width := 40; width < 90; width++ {
		got := Fit(wideTable, width)
		for _, word := range strings.Fields(wideTable) {
			if !strings.Contains(got, word) {
				t.Errorf("width %d loses %q", width, word)
			}
		}
		for _, line := range strings.Split(got, "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// A file gets the text as written.
func TestPageOfFile(t *testing.T) {
	var b bytes.Buffer
	if err := Page(NewDoor(&b), func(w io.Writer) error {
		_, err := io.WriteString(w, wideTable)
		return err
	}); err != nil || b.String() != wideTable {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// A block without a gap that all lines share is folded line by line, not lost.
func TestFoldWithoutColumns(t *testing.T) {
	got := strings.Join(fold([]string{"aaaa bbbbbb", "ccccccc ddd", "e ffffffff g"}, 9), " ")
	for _, word := range []string{"aaaa", "bbbbbb", "ccccccc", "ddd", "ffffffff", "g"} {
		if !strings.Contains(got, word) {
			t.Errorf("%q is lost in %q", word, got)
		}
	}
}
