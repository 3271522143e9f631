package program

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// minWidth is the narrowest terminal that text is fitted to, minCell the
// narrowest column that words are wrapped in.
const minWidth, minCell = 40, 20

// Page lets write write a text for people to w. On a terminal the text is
// fitted to its width: words are not broken, and columns of a table that have
// no room stand below the others, beside the first column again; and Paint
// colours it, unless NO_COLOR is set. Elsewhere the text is as written.
func Page(w io.Writer, write func(io.Writer) error) error { return Compare(w, write, nil) }

// Compare is Page for a text with changes of metrics, where better says which
// way a metric should go.
func Compare(w io.Writer, write func(io.Writer) error, better func(metric string) string) error {
	width := Width(w)
	if width < minWidth {
		return write(w)
	}
	var b bytes.Buffer
	err := write(&b)
	text, to := Fit(b.String(), width), w
	if Coloured(w) {
		text, to = painted(text, better), Raw(w)
	}
	if _, failed := io.WriteString(to, text); err == nil {
		err = failed
	}
	return err
}

// Width is how many columns the terminal at w has; 0 where there is none.
func Width(w io.Writer) int {
	f, ok := Raw(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Fit returns text in lines of at most width characters, but for words that are
// longer. Lines of several columns, which two blanks or more part, are tables.
func Fit(text string, width int) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); {
		if gaps(lines[i]) < 2 {
			out = append(out, hang(lines[i], width)...)
			i++
			continue
		}
		j := i + 1
		for j < len(lines) && (gaps(lines[j]) > 1 || gaps(lines[j]) == 1 && j+1 < len(lines) && gaps(lines[j+1]) > 1) {
			j++
		}
		out = append(out, fold(lines[i:j], width)...)
		i = j
	}
	return strings.Join(out, "\n")
}

// gaps counts the blanks of two or more between words of a line.
func gaps(line string) int {
	n := 0
	for _, part := range strings.Split(strings.TrimSpace(line), "  ") {
		if part != "" {
			n++
		}
	}
	return max(n-1, 0)
}

// hang wraps a line; what goes on stands below the text behind the first gap.
func hang(line string, width int) []string {
	if utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	rest := strings.TrimLeft(line, " ")
	head := line[:len(line)-len(rest)]
	if at := strings.Index(rest, "  "); at > 0 && at < width/4 {
		words := strings.TrimLeft(rest[at:], " ")
		head, rest = line[:len(line)-len(words)], words
	}
	indent := utf8.RuneCountInString(head)
	out := wrap(rest, width-indent)
	for i := range out {
		if i > 0 {
			head = strings.Repeat(" ", indent)
		}
		out[i] = head + out[i]
	}
	return out
}

// wrap breaks text between words.
func wrap(text string, width int) (out []string) {
	line, long := "", 0
	for _, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case line == "":
			line, long = word, n
		case long+1+n <= width:
			line, long = line+" "+word, long+1+n
		default:
			out = append(out, strings.TrimRight(line, " "))
			line, long = word, n
		}
	}
	return append(out, strings.TrimRight(line, " "))
}

// fold fits a table.
func fold(lines []string, width int) []string {
	wide := 0
	for _, l := range lines {
		wide = max(wide, utf8.RuneCountInString(strings.TrimRight(l, " ")))
	}
	switch {
	case wide <= width:
		return lines
	case len(lines) < 3: // too few to tell what a column is
		return hung(lines, width)
	}
	columns := cells(lines)
	if len(columns) == 1 { // a picture, or text
		return hung(lines, width)
	}
	if most := max(width/2, minCell); columns[0].width > most {
		columns[0] = columns[0].narrow(most)
	}
	var out []string
	for at := 1; at < len(columns); {
		if at > 1 {
			out = append(out, "")
		}
		part, next := columns[:1:1], at
		room := width - columns[0].width
		for ; next < len(columns) && columns[next].width+2 <= room; next++ {
			part, room = append(part, columns[next]), room-columns[next].width-2
		}
		if next == at || next == len(columns)-1 && room-2 >= minCell {
			part = append(part, columns[next].narrow(max(room-2, minCell)))
			next++
		}
		out = append(out, join(part)...)
		at = next
	}
	return out
}

// column is the cells of a column, each of a line or more.
type column struct {
	width int
	rows  [][]string
}

// cells takes a table apart where all its lines have two blanks.
func cells(lines []string) (out []column) {
	var text [][]rune
	wide := 0
	for _, l := range lines {
		text = append(text, []rune(strings.TrimRight(l, " ")))
		wide = max(wide, len(text[len(text)-1]))
	}
	blank := func(at int) bool {
		for _, l := range text {
			if at < len(l) && l[at] != ' ' {
				return false
			}
		}
		return true
	}
	cut := func(from, to int) {
		c := column{}
		for _, l := range text {
			cell := strings.TrimRight(string(l[min(from, len(l)):min(to, len(l))]), " ")
			c.width, c.rows = max(c.width, utf8.RuneCountInString(cell)), append(c.rows, []string{cell})
		}
		out = append(out, c)
	}
	start, at := 0, 0
	for at < wide && blank(at) { // the indentation is part of the first column
		at++
	}
	for ; at < wide; at++ {
		if blank(at) && blank(at+1) {
			cut(start, at)
			for blank(at) && at < wide {
				at++
			}
			start = at
		}
	}
	cut(start, wide)
	return out
}

// narrow wraps the cells of a column.
func (c column) narrow(width int) column {
	n := column{}
	for _, r := range c.rows {
		cell := wrap(r[0], width)
		for _, l := range cell {
			n.width = max(n.width, utf8.RuneCountInString(l))
		}
		n.rows = append(n.rows, cell)
	}
	return n
}

// join lays columns side by side.
func join(columns []column) (out []string) {
	for i := range columns[0].rows {
		high := 1
		for _, c := range columns {
			high = max(high, len(c.rows[i]))
		}
		for k := range high {
			var b strings.Builder
			for _, c := range columns {
				cell := ""
				if k < len(c.rows[i]) {
					cell = c.rows[i][k]
				}
				b.WriteString(cell + strings.Repeat(" ", c.width-utf8.RuneCountInString(cell)+2))
			}
			out = append(out, strings.TrimRight(b.String(), " "))
		}
	}
	return out
}

// hung folds each line by itself.
func hung(lines []string, width int) []string {
	var out []string
	for _, l := range lines {
		out = append(out, hang(l, width)...)
	}
	return out
}
