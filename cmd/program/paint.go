package program

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Colours of a terminal, as it has them, and the end of any.
const bad, warn, good, plain = "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[39m"

// Coloured reports whether text for w may have colours: w is a terminal that
// knows them, and NO_COLOR is not set (no-color.org).
func Coloured(w io.Writer) bool {
	f, ok := Raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "" && os.Getenv("TERM") != "dumb"
}

// words are the cells of tables that have a colour, also before a colon; those in
// capitals before anything.
var words = map[string]string{
	"saturated": warn, "infeasible": warn, "WEAK": warn, "waiting": warn, "tied": warn,
	"failed": bad, "timeout": bad, "differs": bad, "FAIL": bad, "luck": bad, "broken": bad, "stopped": bad,
	"holds": good, "reproduced": good,
}

var (
	counted = regexp.MustCompile(`\b[1-9][0-9,]* (saturated|infeasible|failed or timed out|failed|timeout|differ)\b`)
	begins  = regexp.MustCompile(`^\s*(SATURATED|FAIL|WEAK|not calibrated|warning|note)\b`)
	marked  = regexp.MustCompile(`\((not judged|not calibrated|dropped after [0-9]+)\)`)
	first   = regexp.MustCompile(`^[A-Za-z]+`)
	change  = regexp.MustCompile(`[+-][0-9][0-9.,]*%( ± [0-9.]+)?`)
	titled  = regexp.MustCompile(`^(\w+): change from the baseline`)
)

// Paint lays colours over a finished text and changes nothing else: what failed,
// is saturated or needs care, and changes for the worse and for the better below
// the name of a metric. better says which way a metric should go, "lower" or
// "higher"; nil knows none.
func Paint(text string, better func(metric string) string) string {
	var out []string
	var goals map[int]string // of the columns of a table, by where they begin
	all := ""                // of what stands beside the bars of a picture
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "":
			goals, all = nil, ""
		case better == nil:
		case titled.MatchString(line):
			all = better(titled.FindStringSubmatch(line)[1])
		case goals == nil:
			goals = heads(line, better)
		}
		out = append(out, paintLine(line, goals, all))
	}
	return strings.Join(out, "\n")
}

// heads are the directions of the metrics that a line names; nil if it names none.
func heads(line string, better func(string) string) map[int]string {
	var out map[int]string
	for _, c := range parts(line) {
		if goal := better(strings.TrimSpace(c.text)); goal != "" {
			if out == nil {
				out = map[int]string{}
			}
			out[c.at] = goal
		}
	}
	return out
}

// part is a cell with the blanks behind it.
type part struct {
	at   int // characters before it
	text string
}

// parts cuts a line where two blanks or more part its cells.
func parts(line string) (out []part) {
	at := 0
	for line != "" {
		end := len(line)
		if gap := strings.Index(strings.TrimLeft(line, " "), "  "); gap >= 0 {
			gap += len(line) - len(strings.TrimLeft(line, " "))
			end = gap + len(line[gap:]) - len(strings.TrimLeft(line[gap:], " "))
		}
		head := len(line[:end]) - len(strings.TrimLeft(line[:end], " "))
		if head > 0 {
			out = append(out, part{at, line[:head]})
		}
		out = append(out, part{at + head, line[head:end]})
		at += utf8.RuneCountInString(line[:end])
		line = line[end:]
	}
	return out
}

func paintLine(line string, goals map[int]string, all string) string {
	if at := begins.FindStringSubmatchIndex(line); at != nil {
		return line[:at[2]] + warn + line[at[2]:at[3]] + plain + line[at[3]:]
	}
	var b strings.Builder
	cells := parts(line)
	for i, c := range cells {
		goal := goals[c.at]
		if all != "" && i == len(cells)-1 {
			goal = all
		}
		b.WriteString(paintCell(c.text, goal))
	}
	return b.String()
}

// paintCell paints a cell of a column whose values should go one way.
func paintCell(cell, goal string) string {
	text := strings.TrimRight(cell, " ")
	if word := first.FindString(text); words[word] != "" && (word == text || text[len(word)] == ':' || word == strings.ToUpper(word)) {
		return words[word] + word + plain + cell[len(word):]
	}
	if goal != "" {
		if at := change.FindStringIndex(text); at != nil {
			colour := good
			if (text[at[0]] == '+') == (goal == "lower") {
				colour = bad
			}
			return text[:at[0]] + colour + text[at[0]:at[1]] + plain + cell[at[1]:]
		}
	}
	cell = counted.ReplaceAllStringFunc(cell, func(s string) string {
		if strings.HasSuffix(s, "saturated") || strings.HasSuffix(s, "infeasible") {
			return warn + s + plain
		}
		return bad + s + plain
	})
	return marked.ReplaceAllString(cell, warn+"$0"+plain)
}

// painted is a text as Paint has it, behind a Door of its own: what others named
// cannot colour anything.
func painted(text string, better func(string) string) string {
	var b bytes.Buffer
	NewDoor(&b).Write([]byte(text))
	return Paint(b.String(), better)
}
