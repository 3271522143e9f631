// Package console reads the result blocks that `vllm bench serve` prints, in
// logs and in Markdown reports, and what the text above a block says of the
// server: its command. Blocks become rows of a table that tidy reads.
package console

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/measured/tidy"
	"scoville/core/scenario"
)

var (
	head    = regexp.MustCompile(`(?m)^[ \t>|]*=+ Serving Benchmark Result =+\s*$`)
	label   = regexp.MustCompile(`^\s*(?:[|>*-]\s*)?([A-Za-z0-9][A-Za-z0-9 ./()%-]*?):\s+([^\s|]+)\s*\|?\s*$`)
	rule    = regexp.MustCompile(`^[\s>|]*(?:=+|-+[A-Za-z(].*-+|={5,}.*)[\s|]*$`)
	version = regexp.MustCompile(`vllm.*\b0\.\d+`)
	title   = regexp.MustCompile(`^#{1,6}\s+(.*)`)
)

// Is reports whether a text that is no JSON holds a result block.
func Is(src *row.Source) bool { return !src.JSON() && head.Match(src.Data) }

// maxBlocks bounds a file.
const maxBlocks = 100_000

// block is one result with the text before it.
type block struct {
	line  int
	cells []row.Cell
	at    []int // lines of the cells
	above []string
	title string
}

// Read reads the blocks of a file.
func Read(src *row.Source, f *row.File) error {
	if !utf8.Valid(src.Data) {
		return src.Errorf("save it as UTF-8", "not text in UTF-8")
	}
	blocks, err := split(src)
	if err != nil {
		return err
	}
	s := &row.Sheet{File: src.Name, Lines: strings.Split(string(src.Data), "\n")}
	server, from := command{}, client{}
	for _, b := range blocks {
		server, from = server.next(b.above), from.next(b.above)
		cells := append(b.cells, server.cells()...)
		cells = append(cells, from.cells(b.cells, server.model)...)
		r := s.Add(row.Place{Line: b.line}, append(cells, row.Cell{Name: "source", Text: b.title}))
		for i, c := range b.cells {
			if k := s.Index(c.Name); k >= 0 {
				s.Records[len(s.Records)-1].At[k] = row.Place{Line: b.at[i], Col: 1}
			}
		}
		r.Line, r.Dropped, r.Notes, r.Suspects = b.line, server.unfit(), server.notes(), server.suspects()
	}
	f.Notes = append(f.Notes, fmt.Sprintf("%d result blocks; model and flags are those of the server command above each", len(blocks)))
	f.Hints = append(f.Hints, row.TextHints(strings.Join(setup(string(src.Data)), "\n"))...)
	return tidy.Table(s, src.Options, f)
}

// split cuts the file into blocks.
func split(src *row.Source) ([]block, error) {
	var out []block
	var above []string
	var open *block
	section := ""
	for i, line := range strings.Split(strings.ReplaceAll(string(bytes.TrimPrefix(src.Data, []byte("\ufeff"))), "\r", ""), "\n") {
		if head.MatchString(line) {
			if len(out) == maxBlocks {
				return nil, &scenario.Error{File: src.Name, Line: i + 1, Msg: fmt.Sprintf("more than %d result blocks", maxBlocks)}
			}
			out = append(out, block{line: i + 1, above: above, title: section})
			open, above = &out[len(out)-1], nil
			continue
		}
		if open != nil {
			m := label.FindStringSubmatch(line)
			switch {
			case m != nil:
				open.cells, open.at = append(open.cells, row.Cell{Name: m[1], Text: number(m[2])}), append(open.at, i+1)
				continue
			case strings.TrimSpace(line) == "", rule.MatchString(line) && !strings.Contains(line, "====="):
				continue
			}
			open = nil
		}
		if m := title.FindStringSubmatch(line); m != nil {
			section = strings.TrimSpace(m[1])
		}
		above = append(above, line)
	}
	return out, nil
}

// number drops separators of thousands, and a latency of 0, which the client
// prints where nothing was measured.
func number(text string) string {
	text = strings.ReplaceAll(text, ",", "")
	if strings.Trim(text, "0.") == "" {
		return ""
	}
	return text
}

// setup returns the lines of a report that describe the machine.
func setup(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if lower := strings.ToLower(line); strings.Contains(lower, "nvidia") || strings.Contains(lower, "amd ") || strings.Contains(lower, "vllm") && version.MatchString(lower) {
			out = append(out, line)
		}
	}
	return out
}
