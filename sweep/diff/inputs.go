package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/sweep/results"
)

// Input is something that went into two sweeps and differs.
type Input struct {
	What string   `json:"what"` // "study", "--set", "file over.toml", "number hardware.x of jalapeno"
	A    string   `json:"a"`
	B    string   `json:"b"`
	More []string `json:"lines,omitempty"` // of texts: lines with - are of A, with + of B
}

// inputs lists what differs between the inputs of two sweeps.
func inputs(a, b *results.Dataset) []Input { return Inputs(&a.Manifest, &b.Manifest, a.Study, b.Study) }

// Inputs lists what differs between the inputs of two sweeps, of which a and b are
// the texts of the studies.
func Inputs(x, y *results.Manifest, a, b string) (out []Input) {
	add := func(what, from, to string) {
		if from != to {
			out = append(out, Input{What: what, A: from, B: to})
		}
	}
	add("simulator version", strconv.Itoa(x.SimVersion), strconv.Itoa(y.SimVersion))
	if x.StudySHA256 != y.StudySHA256 {
		out = append(out, Input{What: "study", A: fmt.Sprintf("%s (%.8s)", x.Study, x.StudySHA256), B: fmt.Sprintf("%s (%.8s)", y.Study, y.StudySHA256), More: lines(a, b)})
	}
	add("seed", strconv.FormatUint(x.Seed, 10), strconv.FormatUint(y.Seed, 10))
	add("--set", strings.Join(x.Set, " "), strings.Join(y.Set, " "))
	add("overlays", strings.Join(x.Overlays, " "), strings.Join(y.Overlays, " "))
	files := map[string]bool{}
	studies := []string{x.StudySHA256, y.StudySHA256}
	for _, m := range []*results.Manifest{x, y} {
		for name, sum := range m.Inputs {
			files[name] = files[name] || !slices.Contains(studies, sum)
		}
	}
	for _, name := range names(files) {
		if files[name] {
			add("file "+name, brief(x.Inputs[name]), brief(y.Inputs[name]))
		}
	}
	return append(out, figures(x.Numbers, y.Numbers)...)
}

func brief(sum string) string {
	if sum == "" {
		return "none"
	}
	return fmt.Sprintf("%.12s", sum)
}

// figures compares the graded numbers of the hardware that no axis varies.
func figures(a, b []results.Number) (out []Input) {
	key := func(n results.Number) string { return n.Path + " of " + n.Hardware }
	value := func(n results.Number) string {
		text := strconv.FormatFloat(n.Min, 'g', -1, 64)
		if n.Max != n.Min {
			text += " to " + strconv.FormatFloat(n.Max, 'g', -1, 64)
		}
		return strings.TrimSpace(text+" "+n.Unit) + " (" + n.Grade + ", " + n.Layer + ")"
	}
	fixed := func(list []results.Number) map[string]string {
		all := map[string]string{}
		for _, n := range list {
			if n.Layer != "axes" && n.Layer != "oat" && n.Layer != "sample" && !strings.HasPrefix(n.Layer, "zip.") && !strings.HasPrefix(n.Layer, "cases.") {
				all[key(n)] = value(n)
			}
		}
		return all
	}
	x, y := fixed(a), fixed(b)
	keys := map[string]bool{}
	for k := range x {
		keys[k] = true
	}
	for k := range y {
		keys[k] = true
	}
	for _, k := range names(keys) {
		if from, to := x[k], y[k]; from != to && from != "" && to != "" { // else another chip, or varied in one
			out = append(out, Input{What: "number " + k, A: from, B: to})
		}
	}
	return out
}

// maxLines bounds the texts that are compared line by line.
const maxLines = 2000

// lines lists the lines that differ between two texts, with - and +.
func lines(a, b string) []string {
	x, y := strings.Split(strings.TrimRight(a, "\n"), "\n"), strings.Split(strings.TrimRight(b, "\n"), "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x) > maxLines || len(y) > maxLines {
		return []string{fmt.Sprintf("%d lines of A and %d of B differ", len(x), len(y))}
	}
	longest := make([][]int, len(x)+1) // common subsequence of the rests
	longest[len(x)] = make([]int, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		longest[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && longest[i+1][j] >= longest[i][j+1]:
			out = append(out, "- "+x[i])
			i++
		default:
			out = append(out, "+ "+y[j])
			j++
		}
	}
	return out
}
