package workload

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// TraceError points at a line of a trace file.
type TraceError struct {
	File, Msg, Hint string
	Line            int
}

func (e *TraceError) Error() string {
	s := fmt.Sprintf("%s:%d: trace: %s", e.File, e.Line, e.Msg)
	if e.Hint != "" {
		s += "\n      | " + e.Hint
	}
	return s
}

// Limits of a trace file.
const (
	maxTraceRecords = 50_000_000
	maxTraceTokens  = 100_000_000
)

// ReadTrace reads an Azure LLM inference trace: CSV with the columns TIMESTAMP
// ("2023-11-16 18:17:03.9799600", or seconds as a number), ContextTokens and
// GeneratedTokens, in any order, other columns ignored. A byte order mark,
// blank lines, CRLF and blanks around fields are accepted. Arrivals become
// seconds after the first; they must not decrease.
func ReadTrace(file string, data []byte) ([]Record, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return nil, traceSyntax(file, err)
	}
	cols, err := traceColumns(file, head)
	if err != nil {
		return nil, err
	}
	var out []Record
	var first, last float64
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, traceSyntax(file, err)
		}
		line, _ := r.FieldPos(0)
		rec, err := traceRecord(file, line, row, cols)
		if err != nil {
			return nil, err
		}
		if len(out) == 0 {
			first = rec.Arrival
		} else if rec.Arrival < last {
			return nil, &TraceError{file, "timestamp is earlier than the one before", "sort the file by TIMESTAMP", line}
		}
		last = rec.Arrival
		rec.Arrival -= first
		if len(out) == maxTraceRecords {
			return nil, &TraceError{file, fmt.Sprintf("more than %d requests", maxTraceRecords), "split the file", line}
		}
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, &TraceError{file, "no requests", "a header and at least one row are needed", 1}
	}
	return out, nil
}

func traceSyntax(file string, err error) error {
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		return &TraceError{file, pe.Err.Error(), "one row a request, as many fields as the header has", pe.Line}
	}
	if errors.Is(err, io.EOF) {
		return &TraceError{file, "empty file", "expected columns TIMESTAMP, ContextTokens, GeneratedTokens", 1}
	}
	return &TraceError{file, err.Error(), "", 1}
}

// traceColumns finds the three columns by name, case and blanks ignored.
func traceColumns(file string, head []string) ([3]int, error) {
	names := [3]string{"timestamp", "contexttokens", "generatedtokens"}
	cols := [3]int{-1, -1, -1}
	for i, h := range head {
		for j, n := range names {
			if strings.EqualFold(strings.TrimSpace(h), n) {
				cols[j] = i
			}
		}
	}
	for j, c := range cols {
		if c < 0 {
			return cols, &TraceError{file, "no column " + names[j], "expected TIMESTAMP, ContextTokens, GeneratedTokens; found " + strings.Join(head, ", "), 1}
		}
	}
	return cols, nil
}

func traceRecord(file string, line int, row []string, cols [3]int) (Record, error) {
	at, err := traceTime(strings.TrimSpace(row[cols[0]]))
	if err != nil {
		return Record{}, &TraceError{file, fmt.Sprintf("TIMESTAMP %q is no time", row[cols[0]]), `expected "2006-01-02 15:04:05.999" or seconds`, line}
	}
	rec := Record{Arrival: at}
	for j, dst := range []*int32{&rec.Prompt, &rec.Output} {
		name := [2]string{"ContextTokens", "GeneratedTokens"}[j]
		n, err := strconv.Atoi(strings.TrimSpace(row[cols[j+1]]))
		if err != nil || n < 1 || n > maxTraceTokens {
			return Record{}, &TraceError{file, fmt.Sprintf("%s %q must be a whole number from 1 to %d", name, row[cols[j+1]], maxTraceTokens), "remove or correct the row", line}
		}
		*dst = int32(n)
	}
	return rec, nil
}

// traceTime reads a timestamp as seconds.
func traceTime(s string) (float64, error) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		if f < -1e15 || f > 1e15 || f != f {
			return 0, errors.New("out of range")
		}
		return f, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())*1e-9, nil
		}
	}
	return 0, errors.New("unknown time format")
}
