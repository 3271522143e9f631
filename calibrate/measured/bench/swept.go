package bench

import (
	"path/filepath"
	"strings"

	"scoville/calibrate/measured/row"
)

// swept reads the parameters that `vllm bench sweep serve` writes into the name
// of a run's folder: SERVE--max_num_seqs=32-BENCH--random_input_len=128-rate=4.
// It is empty for other names. A value ends at a dash: at the last one, so that
// names of models keep theirs, but numbers, and values of keys that have dashes
// themselves, at the first.
func swept(file string) []row.Cell {
	name := filepath.Base(filepath.Dir(file))
	if !strings.HasPrefix(name, "SERVE--") && !strings.HasPrefix(name, "BENCH--") {
		return nil
	}
	var out []row.Cell
	for _, part := range strings.Split(strings.ReplaceAll("-"+name, "-SERVE--", "-BENCH--"), "-BENCH--") {
		pieces := strings.Split(part, "=")
		key := pieces[0]
		for i, piece := range pieces[1:] {
			value, next := piece, ""
			if at := strings.LastIndex(piece, "-"); i < len(pieces)-2 {
				if piece != "" && piece[0] >= '0' && piece[0] <= '9' || strings.Contains(key, "-") {
					at = strings.Index(piece, "-")
				}
				if at < 0 {
					return nil
				}
				value, next = piece[:at], piece[at+1:]
			}
			if key != "" && value != "None" {
				out = append(out, row.Cell{Name: strings.ReplaceAll(key, "-", "_"), Text: value})
			}
			key = next
		}
	}
	return out
}

// words are cells as they stood in the name.
func words(cells []row.Cell) []string {
	var out []string
	for _, c := range cells {
		out = append(out, c.Name+"="+c.Text)
	}
	return out
}
