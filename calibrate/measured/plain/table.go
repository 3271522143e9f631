package plain

import (
	"regexp"
	"strings"
)

// Comma returns the character that separates the cells of a table: of comma,
// semicolon and tab the one that the first line has most of outside of quotes,
// a comma for none.
func Comma(text string) rune {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count := map[rune]int{}
		quoted := false
		for _, r := range line {
			if r == '"' {
				quoted = !quoted
			} else if !quoted {
				count[r]++
			}
		}
		best := ','
		for _, r := range ";\t" {
			if count[r] > count[best] {
				best = r
			}
		}
		return best
	}
	return ','
}

// Line is a line of a table: its cells and the byte columns they start at, from 1.
type Line struct {
	Number int // from 1
	Cells  []string
	At     []int
}

var ruler = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$`)

// Tables returns the pipe tables of a Markdown text, each with its header first.
func Tables(text string) [][]Line {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var out [][]Line
	for i := 1; i < len(lines); i++ {
		if !strings.Contains(lines[i-1], "|") || !ruler.MatchString(lines[i]) {
			continue
		}
		table := []Line{cells(i, lines[i-1])}
		for i++; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
			table = append(table, cells(i+1, lines[i]))
		}
		out = append(out, table)
	}
	return out
}

// emphasis surrounds cells that a report stresses.
var emphasis = strings.NewReplacer("**", "", "`", "", "<br>", " ")

// cells cuts a line of a pipe table.
func cells(number int, line string) Line {
	l := Line{Number: number}
	start := 0
	if i := strings.Index(line, "|"); strings.TrimSpace(line[:i]) == "" {
		start = i + 1
	}
	for start <= len(line) {
		end := strings.IndexByte(line[start:], '|')
		if end < 0 {
			if strings.TrimSpace(line[start:]) != "" {
				l.add(line, start, len(line))
			}
			break
		}
		l.add(line, start, start+end)
		start += end + 1
	}
	return l
}

func (l *Line) add(line string, from, to int) {
	text := strings.TrimSpace(line[from:to])
	l.At = append(l.At, from+1+strings.Index(line[from:to], text))
	l.Cells = append(l.Cells, strings.TrimSpace(emphasis.Replace(text)))
}
